import Bonjourish
public import Rooms
import TwentyFour

/// A match that a server can go on with.
public struct CarriedMatch: Hashable, Codable, Sendable {
  /// The name under which the match is advertised.
  public let name: String
  let room: RoomMachine.Snapshot

  /// The match's room.
  public var id: RoomID { room.id }
}

/// Matches that go from one server to another.
extension ServerMachine {
  /// The rooms of the matches that are advertised.
  var advertisedRooms: [RoomID] { Array(advertisedMatches.values) }

  /// The pairs of the advertisement of a match.
  func pairs(of room: RoomID) -> [String: String] { matches[room]?.room.advertisedPairs ?? [:] }

  /// One match, to go on with it later; nil if there is none.
  func carried(_ room: RoomID, at now: Duration) -> CarriedMatch? {
    guard let match = matches[room], let name = match.name, match.figures.players > 0,
      let snapshot = match.room.snapshot(at: now)
    else { return nil }
    return CarriedMatch(name: name, room: snapshot)
  }

  /// Answers a request of the group.
  ///
  /// - Returns: The effects, and the answer if the request has one.
  mutating func answer(_ request: Membership.Request, at now: Duration) -> (effects: [HostEffect], answer: Membership.Answer?) {
    var effects: [HostEffect] = []
    var answer: Membership.Answer?
    switch request {
    case .reserve(let match): answer = reserve(match)
    case .adopt(let match, let recordedRounds): (effects, answer) = adopt(match, recordedRounds, at: now)
    case .suspend(let room):
      let match = carried(room, at: now)
      answer = .suspended(room, match)
      if match != nil { effects = suspend(room, keepsPlace: true, at: now) }
    case .leave(let room): effects = suspend(room, keepsPlace: false, at: now)
    case .hold(let room): effects = hold(room)
    case .goOn(let room): effects = goOn(room, at: now)
    case .beat:
      effects = holdAfterPause(at: now)
      answer = wasPaused ? .paused : nil
      (lastBeat, wasPaused) = (now, false)
    }
    return (effects + changes(at: now), answer)
  }

  /// The present states of some matches.
  func running(_ rooms: some Sequence<RoomID>, _ journal: MatchJournal?, at now: Duration) -> [Membership.RunningMatch] {
    rooms.compactMap { room in
      carried(room, at: now).map {
        Membership.RunningMatch(match: $0, pairs: pairs(of: room), eventCount: journal?.count(of: room) ?? 0)
      }
    }
  }

  /// What else is to know.
  ///
  /// - Parameter known: The matches of which is asked whether they are over.
  func survey(of known: some Sequence<RoomID>, _ journal: MatchJournal?) -> Membership.Survey {
    var survey = Membership.Survey(freePlaces: phase == .open ? freePlaces : 0, isDraining: isDraining)
    for room in known where ended.contains(room) { survey.over[room] = journal?.count(of: room) ?? 0 }
    return survey
  }

  private mutating func reserve(_ match: CarriedMatch) -> Membership.Answer {
    guard canContinue(match) else { return .unusable(match.id) }
    guard phase == .open, freePlaces > 0 else { return .noRoom(match.id) }
    reserved.insert(match.id)
    return .reserved(match.id)
  }

  /// Whether this server could go on with a match if it had a place.
  private func canContinue(_ match: CarriedMatch) -> Bool {
    guard matches[match.id] == nil, !reserved.contains(match.id), advertisedMatches[match.name] == nil,
      (try? InstanceName(match.name)) != nil, let room = try? restored(match)
    else { return false }
    return !room.match.players.isEmpty
  }

  private func restored(_ match: CarriedMatch) throws(DamagedSnapshot) -> RoomMachine {
    var generator = generator
    return try RoomMachine(
      restoring: match.room, player: nil, shares: .none, generator: SeededGenerator(seed: generator.next()), at: .zero)
  }

  /// Goes on with a match for which a place is kept. Its players are away, and have the full time to come back. If its former server
  /// may have died before it recorded the last round, that is reported once more.
  private mutating func adopt(
    _ match: CarriedMatch, _ recordedRounds: Int?, at now: Duration
  ) -> ([HostEffect], Membership.Answer) {
    guard reserved.remove(match.id) != nil, phase == .open || phase == .draining else { return ([], .noRoom(match.id)) }
    guard canContinue(match),
      let room = try? RoomMachine(
        restoring: match.room, player: nil, shares: .none, generator: SeededGenerator(seed: generator.next()), at: now)
    else { return ([], .unusable(match.id)) }
    let served = ServedMatch(number: MatchNumber(rawValue: lastNumber + 1), name: match.name, room: room)
    // Another server can play it; this one would end it.
    guard phase == .open || served.figures.hasBegun && !endsBetweenRounds(served) else { return ([], .noRoom(match.id)) }
    lastNumber += 1
    add(served)
    ended.remove(room.room)
    let result = recordedRounds.map { $0 < match.room.endedRounds } == true ? room.match.lastResult : nil
    let effects = apply(.open, to: room.room, at: now)
    return (effects + (result.map { [.report(room.room, .roundEnded($0))] } ?? []), .adopted(match.id))
  }

  /// Ends a match here without a word, because it may go on elsewhere: its players look for it again.
  private mutating func suspend(_ room: RoomID, keepsPlace: Bool, at now: Duration) -> [HostEffect] {
    if keepsPlace { reserved.insert(room) } else { reserved.remove(room) }
    let effects = apply(.suspend, to: room, at: now)
    // The room never heard of those whose messages were kept.
    let unheard = places.filter { $0.value.room == room }.keys.sorted()
    for id in unheard { places[id] = nil }
    return effects + unheard.map { .disconnect($0, because: nil) }
  }

  /// Whether a player comes back to a match that may go on at another server of the group: they are to look for it there.
  func isElsewhere(_ hello: RoomMessage.Hello) -> Bool {
    guard isInGroup, !hello.spectates, let room = hello.seat?.room else { return false }
    return matches[room] == nil && !ended.contains(room)
  }

  /// Names the matches of a restored server, as they were named before.
  mutating func nameMatches() {
    for (room, match) in matches where match.name == nil {
      guard let name = name(of: match.number, room) else { return }
      matches[room]!.name = name
      advertisedMatches[name] = room
    }
  }

  /// The name of a new match: unique among all servers, because its room is.
  func name(of number: MatchNumber, _ room: RoomID) -> String? {
    guard let advertisedAs else { return nil }
    let suffix = " · match \(number)-\(room.text.prefix(4))"
    var name = advertisedAs.text
    while name.utf8.count + suffix.utf8.count > InstanceName.maximumByteCount { name.removeLast() }
    return name + suffix
  }
}

/// The rooms that were noted last.
struct RecentRooms: Hashable {
  static let limit = 16_384
  private var rooms: Set<RoomID> = []
  private var order: [RoomID] = []

  func contains(_ room: RoomID) -> Bool { rooms.contains(room) }

  mutating func insert(_ room: RoomID) {
    guard rooms.insert(room).inserted else { return }
    order.append(room)
    // Half at a time, so that each costs little.
    guard order.count > Self.limit else { return }
    rooms.subtract(order.prefix(Self.limit / 2))
    order.removeFirst(Self.limit / 2)
  }

  mutating func remove(_ room: RoomID) {
    guard rooms.remove(room) != nil else { return }
    order.removeAll { $0 == room }
  }
}
