/// What happens while a connection is kept up; see ``Reconnections``.
public enum ReconnectionEvent: Sendable {
  /// An attempt begins; they are counted from 1 since the last connection that was stable.
  case connecting(attempt: Int)
  /// The attempt has succeeded.
  case connected(Connection)
  /// The attempt has failed.
  case failed(TransportError)
  /// The connection has ended: it broke with an error, or one of the two has closed it (`nil`).
  case lost(Connection, TransportError?)
  /// Nothing is done until then.
  case waiting(until: ContinuousClock.Instant)
  /// Nothing is done any more, for the policy permits no further failure. The iteration throws this error, too.
  case gaveUp(TransportError)
}
