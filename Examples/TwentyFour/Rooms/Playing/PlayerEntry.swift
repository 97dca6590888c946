public import TwentyFour

/// A player's or spectator's request to enter a room.
public struct PlayerEntry: Hashable, Sendable {
  /// The name for the other players.
  public var name: PlayerName
  /// Whether to watch without playing, and without taking a place.
  public var spectates = false
  /// The wanted number of players in the match, 1 to `Match.Rules.playerLimit`; for a host with several matches.
  public var players: ClosedRange<Int>?

  public init(name: PlayerName) {
    self.name = name
  }
}
