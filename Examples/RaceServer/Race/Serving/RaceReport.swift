/// What happens at a server, for its log.
package enum RaceReport: Hashable, Sendable {
  /// A player has said who he is; he is back in his match, or in none.
  case connected(RacePlayer, continued: Bool)
  case disconnected(RacePlayer)
  /// A match has begun between those.
  case started(match: Int, [RacePlayer])
  /// A racer has arrived.
  case arrived(match: Int, RacePlayer, place: Int)
  /// A player has gone, come back, or left for good.
  case presence(match: Int, RacePlayer, Presence)
  /// A match is over, and this is how they are ranked.
  case over(match: Int, [RacePlayer])
  /// A connection is ended, of a player if he has said who he is.
  case refused(RaceMachine.ConnectionID, RacePlayer?, Refusal)
}
