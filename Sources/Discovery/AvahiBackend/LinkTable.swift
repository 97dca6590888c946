#if Avahi
import _BonjourishInterfaces
import CBonjourishAvahi.Common
import _BonjourishDiscovery
import _BonjourishEventLoop

/// The known interfaces by index. Confined to the loop.
///
/// Names are kept because services may vanish after their interface is gone. The daemon does not tell the names of interfaces in
/// another network namespace, so they are called `if` and their index.
final class LinkTable {
  private let network: DaemonNetwork
  private var interfaces: [UInt32: NetworkInterface] = [:]

  init(of network: DaemonNetwork) {
    self.network = network
  }

  /// The link on which something has appeared or vanished; nil when the interface is unknown to the kernel.
  func link(_ interface: AvahiIfIndex, _ family: AvahiProtocol, isAppearing: Bool) -> Link? {
    guard let index = UInt32(exactly: interface) else { return nil }
    if isAppearing || interfaces[index] == nil, let name = network.isForeign ? "if\(index)" : InterfaceTable.name(of: index) {
      interfaces[index] = NetworkInterface(index: index, name: name)
    }
    guard let interface = interfaces[index] else { return nil }
    switch Int(family) {
    case AVAHI_PROTO_INET: return Link(interface, .ipv4)
    case AVAHI_PROTO_INET6: return Link(interface, .ipv6)
    default: return nil
    }
  }
}
#endif
