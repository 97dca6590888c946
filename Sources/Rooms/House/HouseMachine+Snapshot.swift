package import TwentyFour

extension HouseMachine {
  /// All that a house is at a moment, except its connections: to be written down, and gone on with by a host that starts again.
  package struct Snapshot: Hashable, Sendable {
    /// The version of the form in which it is written.
    package static let format = 1

    let house: String
    let lastNumber: Int
    let generator: UInt64
    let matches: [SavedMatch]

    struct SavedMatch: Hashable, Codable, Sendable {
      let number: Int
      let room: RoomMachine.Snapshot
    }
  }

  /// The house as it is now; `nil` when it is not open, for then there is nothing to go on with.
  package func snapshot(at now: Duration) -> Snapshot? {
    guard phase == .open || phase == .draining else { return nil }
    let saved = matches.compactMap { match in
      match.flatMap { match in
        match.room.snapshot(at: now).map { Snapshot.SavedMatch(number: match.number.rawValue, room: $0) }
      }
    }
    return Snapshot(house: house.text, lastNumber: lastNumber, generator: generator.state, matches: saved)
  }

  /// Makes a house that is not open yet, and goes on where another one was.
  ///
  /// When it is opened all players are away, and have the whole time to come back. The matches go on by the rules that they
  /// have; those that are opened later have the new ones.
  ///
  /// - Parameters:
  ///   - matchLimit: How many matches there can be; when the snapshot has more, they are played to their ends all the same.
  ///   - rules: Those of new matches.
  ///   - now: When it is opened.
  /// - Throws: `RoomMachine.Snapshot.Invalid.damaged`.
  package init(
    restoring snapshot: Snapshot, matchLimit: Int, rules: Match.Rules, at now: Duration,
    makeID: @escaping @Sendable () -> RoomID = { RoomID() }
  ) throws(RoomMachine.Snapshot.Invalid) {
    guard let house = RoomID(snapshot.house) else { throw .damaged("its house has no UUID") }
    let numbers = snapshot.matches.map(\.number)
    guard snapshot.lastNumber < .max / 2, numbers.allSatisfy({ 1 <= $0 && $0 <= snapshot.lastNumber }),
      Set(numbers).count == numbers.count
    else { throw .damaged("its matches are numbered wrongly") }
    self.init(
      house: house, matchLimit: max(matchLimit, numbers.count), rules: rules,
      generator: SeededGenerator(seed: snapshot.generator), makeID: makeID)
    lastNumber = snapshot.lastNumber
    for saved in snapshot.matches {
      let room = try RoomMachine(restoring: saved.room, player: nil, at: now)
      guard !room.match.players.isEmpty else { throw .damaged("a match of it has no players") }
      take(HostedMatch(number: MatchNumber(rawValue: saved.number), resuming: room))
    }
  }

  /// Gives a match that goes on a place.
  private mutating func take(_ match: HostedMatch) {
    guard let slot = freeSlots.popLast() else { preconditionFailure("there is a place for every match") }
    counts.matches += 1
    counts.gathering += 1
    for token in match.tokens.values { tokens[token] = slot }
    matches[slot] = match
  }
}

extension HouseMachine.Snapshot: Codable {
  private enum Key: String, CodingKey {
    case format, house, lastNumber, generator, matches
  }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(Self.format, forKey: .format)
    try fields.encode(house, forKey: .house)
    try fields.encode(lastNumber, forKey: .lastNumber)
    try fields.encode(generator, forKey: .generator)
    try fields.encode(matches, forKey: .matches)
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    // First, because nothing else may be as it is expected in another form.
    let format = try fields.decode(Int.self, forKey: .format)
    guard format == Self.format else { throw RoomMachine.Snapshot.Invalid.format(format) }
    house = try fields.decode(String.self, forKey: .house)
    lastNumber = try fields.decode(Int.self, forKey: .lastNumber)
    generator = try fields.decode(UInt64.self, forKey: .generator)
    matches = try fields.decode([SavedMatch].self, forKey: .matches)
  }
}
