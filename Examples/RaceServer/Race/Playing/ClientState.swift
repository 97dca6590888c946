/// How far a client has got on its way into a match.
///
/// ```
/// notAvailable → pendingAuthentication → authenticated → connecting → connected → pendingMatchStatus → receivedMatchStatus
/// receivedMatchStatus → pendingMatch ⇄ pendingMatchStart → matchActive → receivedMatchStatus
/// ```
/// From ``connecting`` on, a connection that is lost leads back to ``connecting``; and each may end at ``notAvailable``.
package enum ClientState: String, Hashable, Sendable, CaseIterable {
  /// Nobody plays: nothing has begun, or all is over.
  case notAvailable
  /// It is being found out who plays.
  case pendingAuthentication
  /// It is known who plays.
  case authenticated
  /// There is no connection with the server, and one is being made.
  case connecting
  /// There is a connection.
  case connected
  /// The server has been told who plays, and not said yet whether he is in a match.
  case pendingMatchStatus
  /// The server has said whether the player is in a match.
  case receivedMatchStatus
  /// A match was asked for, and players are missing.
  case pendingMatch
  /// There are enough for a match, and it starts soon.
  case pendingMatchStart
  /// The race is on.
  case matchActive
}
