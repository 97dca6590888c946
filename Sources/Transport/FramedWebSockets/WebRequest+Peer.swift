public import FramedTransport
public import _FramedWebProtocol

extension WebRequest {
  /// The address that the request came from, with its port. Behind a proxy it is the proxy's.
  ///
  /// Several clients may have one address in common, and one client several addresses.
  public var peer: SocketAddress {
    guard let peer = peerBox?.value as? SocketAddress else { preconditionFailure("a handler's request has a peer") }
    return peer
  }
}
