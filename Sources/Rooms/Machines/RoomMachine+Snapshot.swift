package import TwentyFour

extension RoomMachine {
  /// All that a room is at a moment, except its connections: to be written down, and gone on with by a host that starts again.
  package struct Snapshot: Hashable, Sendable {
    /// The version of the form in which it is written.
    package static let format = 1

    let room: String
    let match: Match.Snapshot
    /// The secrets of the seats, by the numbers of the players.
    let tokens: [Int: SeatToken]
    let lastPlayerNumber: Int
    /// The number of the host's own player.
    let own: Int?

    /// Why there is no room to go on with.
    package enum Invalid: Error, Hashable, Sendable {
      /// It was written in another form, by a newer program.
      case format(Int)
      /// No room can have been like that.
      case damaged(String)
    }
  }

  /// The room as it is now; `nil` when it is not open, for then there is nothing to go on with.
  package func snapshot(at now: Duration) -> Snapshot? {
    guard isOpen else { return nil }
    return Snapshot(
      room: room.text, match: match.snapshot(at: now),
      tokens: Dictionary(uniqueKeysWithValues: tokens.map { ($0.key.rawValue, $0.value) }), lastPlayerNumber: lastPlayerNumber,
      own: own?.id.rawValue)
  }

  /// Makes a room that is not open yet, and goes on where another one was.
  ///
  /// When it is opened all its players except the host's own are away, and have the whole time to come back.
  ///
  /// - Parameters:
  ///   - player: The name under which the host plays if he did not play before; `nil` when nobody plays at the host any more.
  ///   - now: When it is opened.
  /// - Throws: ``Snapshot/Invalid/damaged(_:)``.
  package init(
    restoring snapshot: Snapshot, player: PlayerName?, at now: Duration,
    tokens: @escaping @Sendable () -> SeatToken = SeatToken.random
  ) throws(Snapshot.Invalid) {
    guard let room = RoomID(snapshot.room) else { throw .damaged("its room has no UUID") }
    let match: Match
    do {
      match = try Match(restoring: snapshot.match, at: now)
    } catch {
      throw .damaged(error.description)
    }
    guard !match.isOver else { throw .damaged("its match is over") }
    let numbers = match.players.map(\.id.rawValue)
    guard snapshot.lastPlayerNumber < .max / 2, numbers.allSatisfy({ 1 <= $0 && $0 <= snapshot.lastPlayerNumber }),
      snapshot.own.map(numbers.contains) ?? true, snapshot.tokens.keys.allSatisfy(numbers.contains)
    else { throw .damaged("its players are numbered wrongly") }
    self.init(room: room, player: player, match: match, tokens: tokens)
    for (number, token) in snapshot.tokens { self.tokens[PlayerID(rawValue: number)] = token }
    lastPlayerNumber = snapshot.lastPlayerNumber
    own = match.players.first { $0.id.rawValue == snapshot.own }
  }
}

extension RoomMachine.Snapshot: Codable {
  private enum Key: String, CodingKey {
    case format, room, match, tokens, lastPlayerNumber, own
  }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(Self.format, forKey: .format)
    try fields.encode(room, forKey: .room)
    try fields.encode(match, forKey: .match)
    try fields.encode(tokens, forKey: .tokens)
    try fields.encode(lastPlayerNumber, forKey: .lastPlayerNumber)
    try fields.encodeIfPresent(own, forKey: .own)
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    // First, because nothing else may be as it is expected in another form.
    let format = try fields.decode(Int.self, forKey: .format)
    guard format == Self.format else { throw Invalid.format(format) }
    room = try fields.decode(String.self, forKey: .room)
    match = try fields.decode(Match.Snapshot.self, forKey: .match)
    tokens = try fields.decode([Int: SeatToken].self, forKey: .tokens)
    lastPlayerNumber = try fields.decode(Int.self, forKey: .lastPlayerNumber)
    own = try fields.decodeIfPresent(Int.self, forKey: .own)
  }
}
