public import Bonjourish
public import FramedTransport

extension Endpoint {
  /// Where to connect to: each of the addresses with the port, in the order in which to try them.
  ///
  /// A link-local address whose interface has gone meanwhile is left out.
  public var socketAddresses: [SocketAddress] {
    addresses.compactMap { SocketAddress(numericHost: $0.description, port: port) }
  }
}
