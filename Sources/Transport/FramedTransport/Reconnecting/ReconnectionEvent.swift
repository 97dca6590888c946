/// An event of ``Reconnections``.
public enum ReconnectionEvent: Sendable {
  /// An attempt begins. Attempts are counted from 1 since the last stable connection.
  case connecting(attempt: Int)
  /// The attempt has succeeded.
  case connected(Connection)
  /// The attempt has failed.
  case failed(TransportError)
  /// The connection has ended: with an error, or because either side closed it in order (`nil`).
  case lost(Connection, TransportError?)
  /// The next attempt begins at this instant.
  case waiting(until: ContinuousClock.Instant)
  /// The policy permits no further failure, or the error is permanent, so no attempt follows. The iteration throws this error, too.
  case gaveUp(TransportError)
}
