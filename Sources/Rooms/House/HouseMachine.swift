package import TwentyFour

/// A house of many matches, as its host runs it: who plays in which, who has to wait, and who is not let in.
///
/// A value without sockets and clock, like the ``RoomMachine`` that each of its matches is. The shell hands in what happens on its
/// connections, carries out the effects in order, and hands in ``Event/timePassed`` when ``nextDeadline`` has come.
///
/// **Who plays where.** A hello with the token of a seat that is kept leads back to that seat. Any other asks for a match, of as
/// many players as it wishes, or as the house has. It is put into one that waits for players; else into one that is played and
/// has a free place; else into a new one, which begins when enough are there. So people wait as briefly, and play with as many
/// others, as can be. When all places are taken it is refused with `full`. A match is over after its rounds, or when nobody is
/// left in it, and then its place is free for another.
///
/// What an event costs depends on its own match, and not on how many there are.
package struct HouseMachine: Sendable {
  package let house: RoomID
  /// How many matches there can be.
  package let matchLimit: Int
  let rules: Match.Rules
  private let makeID: @Sendable () -> RoomID
  var generator: SeededGenerator

  var phase = Phase.unopened
  /// The matches by their places.
  var matches: [HostedMatch?]
  var freeSlots: [Int]
  /// Where everyone is who is connected: the place of a match, or nil before hello.
  var places: [ConnectionID: Int?] = [:]
  /// Which match has the seat with a token.
  var tokens: [String: Int] = [:]
  var vacancies = Vacancies()
  private var deadlines = DeadlineQueue()
  var lastNumber = 0
  private var advertised: HouseAdvertisement?
  /// What has happened, and how many are there now.
  package internal(set) var counts = HouseCounts()

  enum Phase {
    /// Goes to `open`.
    case unopened
    /// Goes to `draining` or `closed`.
    case open
    /// Goes to `closed` when the last match is over.
    case draining
    /// Final.
    case closed
  }

  /// Makes a house that is not open yet.
  ///
  /// - Parameters:
  ///   - house: What its advertisement calls it.
  ///   - matchLimit: How many matches there can be, at least 1.
  ///   - rules: Those of each match; how many players may be asked for is between its minimum and its maximum.
  ///   - generator: Deals the hands.
  ///   - makeID: Names each match; not from the generator, for whoever knows what it gave could tell what it deals.
  package init(
    house: RoomID, matchLimit: Int, rules: Match.Rules, generator: SeededGenerator,
    makeID: @escaping @Sendable () -> RoomID = { RoomID() }
  ) {
    precondition(matchLimit > 0, "a house has room for a match")
    self.house = house
    self.matchLimit = matchLimit
    self.rules = rules
    self.generator = generator
    self.makeID = makeID
    matches = Array(repeating: nil, count: matchLimit)
    freeSlots = Array((0..<matchLimit).reversed())
  }

  /// From how many players on a match is played, and how many can play.
  var size: ClosedRange<Int> { rules.minimumPlayers...rules.maximumPlayers }

  /// When something falls due by itself; `nil` when nothing will.
  package var nextDeadline: Duration? { deadlines.next }

  /// How every match stands, in the order in which they were opened.
  package var overview: [MatchOverview] {
    matches.compactMap(\.self).sorted { $0.number < $1.number }.map(MatchOverview.init)
  }

  /// What the network is told.
  package var advertisement: HouseAdvertisement {
    HouseAdvertisement(
      house: house, matches: counts.matches, matchLimit: matchLimit, players: counts.players,
      places: matchLimit * rules.maximumPlayers,
      hasRoom: phase != .draining && phase != .closed && (!freeSlots.isEmpty || !vacancies.isEmpty),
      isPlaying: counts.matches > counts.gathering)
  }

  /// Whether nobody new is let in.
  package var isDraining: Bool { phase == .draining }

  /// Takes in what happened at `now`, after whatever fell due until then, and says what to do, in order.
  ///
  /// Connections and matches that the machine does not know (any more) have no effect.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    // What was sent is heard before it is asked who has been silent for too long.
    var effects: [Effect]
    switch event {
    case .open: effects = open(at: now)
    case .connected(let id): effects = connected(id)
    case .received(let id, let message): effects = received(message, from: id, at: now)
    case .malformed(let id, let malformed): effects = self.malformed(malformed, from: id, at: now)
    case .disconnected(let id): effects = disconnected(id, at: now)
    case .timePassed: effects = []
    case .kick(let player, let number): effects = kick(player, from: number, at: now)
    case .closeMatch(let number): effects = slot(of: number).map { close($0, because: .hostLeft, at: now) } ?? []
    case .drain: effects = drain(at: now)
    case .suspend: effects = suspend(at: now)
    case .close: effects = close(at: now)
    }
    while let slot = deadlines.popDue(at: now) { effects += apply(.timePassed, to: slot, at: now) }
    return effects + closedIfDrained() + advertisementIfChanged()
  }
}

// MARK: - Opening and closing

extension HouseMachine {
  private mutating func open(at now: Duration) -> [Effect] {
    guard phase == .unopened else { preconditionFailure("a house is opened once") }
    phase = .open
    // Only a house that goes on has matches already.
    return matches.indices.flatMap { apply(.open, to: $0, at: now) }
  }

  private mutating func drain(at now: Duration) -> [Effect] {
    guard phase == .open else { return [] }
    phase = .draining
    return matches.indices.flatMap { slot -> [Effect] in
      guard let match = matches[slot], !match.hasBegun || endsBetweenRounds(match) else { return [] }
      return close(slot, because: .closing, at: now)
    }
  }

  /// A match that has no last round ends, when the house is drained, between two.
  func endsBetweenRounds(_ match: HostedMatch) -> Bool {
    phase == .draining && match.rounds == nil && !match.isPlaying
  }

  private mutating func close(at now: Duration) -> [Effect] {
    guard phase != .closed else { return [] }
    let effects = matches.indices.flatMap { close($0, because: .hostLeft, at: now) } + dismissNewcomers(.closed(.hostLeft))
    phase = .closed
    return effects + [.closed]
  }

  /// Ends the house here, but not for those who are in it: they will look for it again.
  private mutating func suspend(at now: Duration) -> [Effect] {
    guard phase != .closed else { return [] }
    phase = .closed
    return matches.indices.flatMap { apply(.suspend, to: $0, at: now) } + dismissNewcomers(nil) + [.closed]
  }

  private mutating func closedIfDrained() -> [Effect] {
    guard phase == .draining, counts.matches == 0 else { return [] }
    phase = .closed
    return dismissNewcomers(.refused(.closing)) + [.closed]
  }

  private mutating func dismissNewcomers(_ message: RoomMessage?) -> [Effect] {
    let newcomers = places.keys.sorted()
    places = [:]
    return newcomers.map { .disconnect($0, after: message) }
  }

  private mutating func advertisementIfChanged() -> [Effect] {
    guard phase == .open || phase == .draining, advertisement != advertised else { return [] }
    advertised = advertisement
    return [.advertise(advertisement)]
  }
}

// MARK: - Matches

extension HouseMachine {
  func slot(of number: MatchNumber) -> Int? { matches.firstIndex { $0?.number == number } }

  /// Opens a match of a size.
  ///
  /// - Returns: Its place, and what follows; nil when all places are taken.
  mutating func openMatch(_ size: ClosedRange<Int>, at now: Duration) -> (slot: Int, effects: [Effect])? {
    guard let slot = freeSlots.popLast() else { return nil }
    lastNumber += 1
    counts.matches += 1
    counts.gathering += 1
    counts.matchesOpened += 1
    let room = RoomMachine(
      room: makeID(), player: nil, rules: rules.with(size), generator: SeededGenerator(seed: generator.next()))
    matches[slot] = HostedMatch(number: MatchNumber(rawValue: lastNumber), size: size, room: room)
    return (slot, apply(.open, to: slot, at: now))
  }

  mutating func close(_ slot: Int, because reason: RoomReason, at now: Duration) -> [Effect] {
    apply(.close, to: slot, at: now).map { effect in
      // A room knows only that its host closes it.
      switch effect {
      case .disconnect(let id, after: .closed): .disconnect(id, after: .closed(reason))
      case .report(let number, .closed): .report(number, .closed(reason))
      case .send, .admit, .disconnect, .advertise, .report, .closed: effect
      }
    }
  }

  /// Lets a match take in an event, and takes in what becomes of it.
  mutating func apply(_ event: RoomMachine.Event, to slot: Int, at now: Duration) -> [Effect] {
    guard let number = matches[slot]?.number, let roomEffects = matches[slot]?.room.handle(event, at: now) else { return [] }
    var effects: [Effect] = []
    for effect in roomEffects { effects += carry(effect, of: slot, number) }
    return effects + settle(slot, at: now)
  }

  private mutating func carry(_ effect: RoomMachine.Effect, of slot: Int, _ number: MatchNumber) -> [Effect] {
    switch effect {
    case .send(let message, let ids):
      if case .welcome(let welcome) = message, let player = welcome.player, let token = welcome.token {
        matches[slot]?.note(token: token, of: player.id)
        tokens[token] = slot
      }
      return [.send(message, to: ids)]
    case .admit(let id):
      return [.admit(id)]
    case .disconnect(let id, let message):
      forget(id)
      if case .refused(let reason)? = message { counts.refused[reason.code.rawValue, default: 0] += 1 }
      return [.disconnect(id, after: message)]
    case .advertise:
      return []
    case .report(let event):
      switch event {
      case .roundEnded: counts.roundsPlayed += 1
      case .answer: counts.answersAccepted += 1
      case .back: counts.returns += 1
      default: break
      }
      if let token = matches[slot]?.note(event) { tokens[token] = nil }
      return [.report(number, event)]
    }
  }

  /// Forgets a connection that is closed.
  mutating func forget(_ id: ConnectionID) {
    guard let slot = places.removeValue(forKey: id) ?? nil else { return }
    matches[slot]?.connections.remove(id)
  }

  /// Brings everything up to date that depends on how a match stands.
  private mutating func settle(_ slot: Int, at now: Duration) -> [Effect] {
    guard let match = matches[slot] else { return [] }
    let (before, figures) = (match.counted, match.figures)
    count(figures, after: before)
    matches[slot]?.counted = figures
    guard match.room.isOpen else {
      remove(slot)
      return []
    }
    deadlines.set(slot, to: match.room.nextDeadline)
    let isLastRound = match.round > 0 && match.round == match.rounds
    vacancies.set(
      slot,
      to: isLastRound || phase != .open
        ? nil : Vacancies.Offer(size: match.size, hasBegun: match.hasBegun, players: figures.players))
    if figures.players == 0, before.players > 0 { return close(slot, because: .everyoneLeft, at: now) }
    if before.isPlaying, endsBetweenRounds(match) { return close(slot, because: .closing, at: now) }
    return []
  }

  private mutating func count(_ figures: HostedMatch.Figures, after before: HostedMatch.Figures) {
    counts.players += figures.players - before.players
    counts.away += figures.away - before.away
    counts.watchers += figures.watchers - before.watchers
    if figures.hasBegun, !before.hasBegun { counts.gathering -= 1 }
  }

  /// Takes out a match that is over, with whatever it still counts for.
  private mutating func remove(_ slot: Int) {
    guard let match = matches[slot] else { return }
    counts.matches -= 1
    if !match.hasBegun { counts.gathering -= 1 }
    count(HostedMatch.Figures(hasBegun: match.hasBegun), after: match.counted)
    for token in match.tokens.values { tokens[token] = nil }
    for id in match.connections { places[id] = nil }
    matches[slot] = nil
    freeSlots.append(slot)
    vacancies.set(slot, to: nil)
    deadlines.set(slot, to: nil)
  }
}

extension Match.Rules {
  /// The same rules for another number of players.
  fileprivate func with(_ size: ClosedRange<Int>) -> Match.Rules {
    Match.Rules(
      roundDuration: roundDuration, grace: grace, pause: pause, gathering: gathering, lateJoinThreshold: lateJoinThreshold,
      rounds: rounds, minimumPlayers: size.lowerBound, maximumPlayers: size.upperBound, returnLimit: returnLimit,
      hintCost: hintCost, difficulty: difficulty)
  }
}
