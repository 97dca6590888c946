import Bonjourish
public import Rooms
import TwentyFour

/// A match that a server can go on with.
public struct CarriedMatch: Hashable, Codable, Sendable {
  /// The name under which the match is listed.
  public let name: String
  let room: RoomMachine.Snapshot

  /// The match's room.
  public var id: RoomID { room.id }
}

/// Matches that go from one server to another.
extension ServerMachine {
  /// The rooms of the matches that are listed.
  var listedRooms: [RoomID] { Array(listed.values) }

  /// The pairs of the advertisement of a match.
  func pairs(of room: RoomID) -> [String: String] { matches[room]?.room.advertisedPairs ?? [:] }

  /// One match, to go on with it later; nil if there is none.
  func carried(_ room: RoomID, at now: Duration) -> CarriedMatch? {
    guard let match = matches[room], let name = match.name, match.figures.players > 0,
      let snapshot = match.room.snapshot(at: now)
    else { return nil }
    return CarriedMatch(name: name, room: snapshot)
  }

  /// Whether this server can go on with a match.
  func canAdopt(_ match: CarriedMatch) -> Bool {
    guard phase == .open, matches.count < matchLimit, matches[match.id] == nil, listed[match.name] == nil,
      (try? InstanceName(match.name)) != nil, let room = try? restored(match)
    else { return false }
    return !room.match.players.isEmpty
  }

  private func restored(_ match: CarriedMatch) throws(DamagedSnapshot) -> RoomMachine {
    var generator = generator
    return try RoomMachine(
      restoring: match.room, player: nil, shares: .none, generator: SeededGenerator(seed: generator.next()), at: .zero)
  }

  /// Goes on with a match. Its players are away, and have the full time to come back.
  mutating func adopt(_ match: CarriedMatch, at now: Duration) -> [HostEffect] {
    guard canAdopt(match),
      let room = try? RoomMachine(
        restoring: match.room, player: nil, shares: .none, generator: SeededGenerator(seed: generator.next()), at: now)
    else { return [] }
    lastNumber += 1
    add(ServedMatch(number: MatchNumber(rawValue: lastNumber), name: match.name, room: room))
    ended.remove(room.room)
    return apply(.open, to: room.room, at: now)
  }

  mutating func suspend(_ room: RoomID, at now: Duration) -> [HostEffect] {
    guard matches[room] != nil else { return [] }
    let effects = apply(.suspend, to: room, at: now)
    ended.remove(room)
    return effects
  }

  /// Whether a player comes back to a match that may go on at another server of the group: they are to look for it there.
  func isElsewhere(_ hello: RoomMessage.Hello) -> Bool {
    guard isInGroup, !hello.watches, let room = hello.seat?.room else { return false }
    return matches[room] == nil && !ended.contains(room)
  }

  /// Names the matches of a restored server, as they were named before.
  mutating func nameMatches() {
    for (room, match) in matches where match.name == nil {
      guard let name = name(of: match.number, room) else { return }
      matches[room]!.name = name
      listed[name] = room
    }
  }

  /// The name of a new match: unique among all servers, because its room is.
  func name(of number: MatchNumber, _ room: RoomID) -> String? {
    guard let listedAs else { return nil }
    let suffix = " · match \(number)-\(room.text.prefix(4))"
    var name = listedAs.text
    while name.utf8.count + suffix.utf8.count > InstanceName.maximumByteCount { name.removeLast() }
    return name + suffix
  }
}

/// The rooms that were noted last.
struct RecentRooms: Hashable {
  static let limit = 4_096
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
