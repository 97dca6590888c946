import _BonjourishEventLoop

extension Connection {
  /// The error that broke the connection; `nil` while it is open, and when either side has closed it in order.
  var failure: TransportError? {
    if case .failed(let error) = channel.inbound.withLock({ $0.end }) { return error }
    if case .failed(let error) = channel.outbound.withLock({ $0.end }) { return error }
    return nil
  }
}
