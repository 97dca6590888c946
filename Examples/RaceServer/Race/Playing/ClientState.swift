/// The state of a client on its way into a match.
///
/// ```
/// notAvailable → pendingAuthentication → authenticated → connecting → connected → pendingMatchStatus → receivedMatchStatus
/// receivedMatchStatus → pendingMatch ⇄ pendingMatchStart → matchActive → receivedMatchStatus
/// ```
/// From ``connecting`` on, a lost connection leads back to ``connecting``; every state may lead to ``notAvailable``.
public enum ClientState: String, Hashable, Sendable, CaseIterable {
  /// The client has not begun, or has ended.
  case notAvailable
  /// The player is being identified.
  case pendingAuthentication
  /// The player is known.
  case authenticated
  /// The client is connecting to the server.
  case connecting
  /// The client is connected.
  case connected
  /// The server knows the player, but has not yet said whether they are in a match.
  case pendingMatchStatus
  /// The server has said whether the player is in a match.
  case receivedMatchStatus
  /// The client has asked for a match, and players are missing.
  case pendingMatch
  /// There are enough players for a match, and it starts soon.
  case pendingMatchStart
  /// The race is on.
  case matchActive
}
