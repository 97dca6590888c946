import CLinux
import Discovery
import EventLoop

extension AddressFilter {
  /// Decides by the kernel's routes and interfaces, as they are when an answer arrives.
  static let kernel = AddressFilter(
    route: { address in
      switch try? RouteTable.route(to: address.bytes) {
      case .local?: .here
      case .unicast(let interface)?: .out(interface)
      case .nowhere?: .nowhere
      case nil: nil
      }
    }, side: { Side(of: $0) })
}

extension AddressFilter.Side {
  fileprivate init(of interface: NetworkInterface) {
    let entries = (try? InterfaceTable.all()) ?? []
    guard let entry = entries.first(where: { $0.index == interface.index && $0.name == interface.name }) else {
      self = .unknown
      return
    }
    if entry.flags & CInt(IFF_LOOPBACK) != 0 {
      self = .loopback
    } else {
      self = .network(
        entry.addresses.compactMap { own in
          IPAddress(bytes: own.bytes).map { AddressFilter.Subnet($0, prefixLength: own.prefixLength) }
        })
    }
  }
}
