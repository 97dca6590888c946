import CAvahi.Common
import Discovery
import EventLoop

/// The interfaces as Avahi numbers them, with their names. Used on the loop only.
///
/// Names are remembered, because what was seen on an interface vanishes after the interface itself has gone.
final class LinkTable {
  private var interfaces: [UInt32: NetworkInterface] = [:]

  /// The link that something has appeared on, or vanished from; nil for one that the kernel does not know.
  func link(_ interface: AvahiIfIndex, _ family: AvahiProtocol, isAppearing: Bool) -> Link? {
    guard let index = UInt32(exactly: interface) else { return nil }
    if isAppearing || interfaces[index] == nil, let name = InterfaceTable.name(of: index) {
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

extension NetworkInterface? {
  /// The number that Avahi knows an interface by; the one for any when there is none.
  var avahiIndex: AvahiIfIndex { self.map { AvahiIfIndex($0.index) } ?? AvahiIfIndex(AVAHI_IF_UNSPEC) }
}
