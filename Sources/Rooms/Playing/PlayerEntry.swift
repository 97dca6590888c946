public import TwentyFour

/// As whom someone enters a room.
public struct PlayerEntry: Hashable, Sendable {
  /// The name that the others are to see.
  public var name: PlayerName
  /// Whether to look on without playing: then no place is taken.
  public var watches = false
  /// How many players the match should have, 1 to `Match.Rules.playerLimit`; for a host that has several matches.
  public var players: ClosedRange<Int>?
  /// The secret of a seat, from an earlier ``RoomPlayer/token``, to come back to it. Who comes too late is a newcomer.
  public var token: String?

  public init(name: PlayerName) {
    self.name = name
  }
}
