/// An event of a server, for its log.
public enum RaceReport: Hashable, Sendable {
  /// A player has connected, and is back in a match if `continued`.
  case connected(RacePlayer, continued: Bool)
  case disconnected(RacePlayer)
  /// A match has begun.
  case started(match: Int, [RacePlayer])
  /// A racer has arrived.
  case arrived(match: Int, RacePlayer, place: Int)
  /// A player is away, is back, or has left for good.
  case presence(match: Int, RacePlayer, Presence)
  /// A match is over; the players by rank.
  case over(match: Int, [RacePlayer])
  /// The server ended a connection; contains the player if known.
  case refused(RaceMachine.ConnectionID, RacePlayer?, Refusal)
}
