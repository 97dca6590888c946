import EventLoop

extension Connection {
  /// Why the connection broke; `nil` while it stands, and when one of the two has closed it.
  var failure: TransportError? {
    if case .failed(let error) = channel.inbound.withLock({ $0.end }) { return error }
    if case .failed(let error) = channel.outbound.withLock({ $0.end }) { return error }
    return nil
  }
}
