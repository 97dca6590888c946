import _BonjourishDiscovery
import _BonjourishInterfaces
import _BonjourishMulticastDNS

extension LocalInterface {
  /// The address of the responder that sent a datagram on this interface.
  ///
  /// On the loopback interface it is always this host. But multicast datagrams do not have 127.0.0.1 as their source there, because it
  /// is valid for the host alone: the kernel takes an address of another interface, even of one that is down, or else 0.0.0.0.
  func sender(_ source: MulticastSource) -> IPAddress {
    // A resolver that uses another port is answered where it is.
    guard isLoopback, source.port == MulticastEngine.port else { return source.address }
    return addresses.first { $0.address.family == source.address.family }?.address ?? source.address
  }
}
