public import Bonjourish
public import FramedTransport

extension Endpoint {
  /// The addresses with the port, in the order in which to try them.
  ///
  /// A link-local address whose interface no longer exists is left out.
  public var socketAddresses: [SocketAddress] {
    addresses.compactMap { SocketAddress(bytes: $0.bytes, port: port, zone: $0.zone) }
  }
}
