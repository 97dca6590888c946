package import _BonjourishDiscovery
import _BonjourishEventLoop

extension OwnAddress {
  /// An address of the rest of the world over each family: one for documentation (RFC 5737, RFC 3849). Nothing is sent there.
  private static let elsewhere: [[UInt8]] = [
    [192, 0, 2, 1], [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1],
  ]

  /// The addresses of this machine on interfaces that are up, in no particular order.
  package static func ofThisMachine(on interfaces: InterfaceSelection) -> [OwnAddress] {
    let all = LocalInterface.all()
    let links = interfaces.links(among: all.map { $0.state(over: IPAddress.Family.allCases) })
    let routes = elsewhere.map { try? RouteTable.route(to: $0) }
    return all.flatMap { local -> [OwnAddress] in
      let interface = NetworkInterface(index: local.index, name: local.name)
      return local.addresses.filter { $0.isPublished && links.contains(Link(interface, $0.address.family)) }.map {
        let route = routes[$0.address.family == .ipv4 ? 0 : 1]
        return OwnAddress($0.address, interface, isOnDefaultRoute: route == .unicast(interface: local.index))
      }
    }
  }
}
