/// An event of ``Reconnections``. Later versions may add cases: a `switch` has a `default` or `@unknown default`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
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

extension ReconnectionEvent: CustomStringConvertible {
  /// The event for display, such as `connecting (attempt 2)`.
  public var description: String {
    switch self {
    case .connecting(let attempt): "connecting (attempt \(attempt))"
    case .connected(let connection): "connected with \(connection.peer)"
    case .failed(let error): "failed: \(error)"
    case .lost(let connection, let error?): "lost the connection with \(connection.peer): \(error)"
    case .lost(let connection, nil): "the connection with \(connection.peer) was closed"
    case .waiting(let deadline): "waiting for \(max(.zero, deadline - ContinuousClock.now).inMilliseconds) ms"
    case .gaveUp(let error): "gave up: \(error)"
    }
  }
}

extension Duration {
  fileprivate var inMilliseconds: Int { Int((self / .milliseconds(1)).rounded(.up)) }
}
