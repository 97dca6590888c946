package import _BonjourishDiscovery

extension IPAddress {
  /// The addresses of this machine that are published on the links that a selection includes.
  ///
  /// - Parameter interfaces: The interfaces.
  /// - Returns: The addresses in the order of the interfaces, without link-local ones, which are of no use elsewhere.
  package static func published(on interfaces: InterfaceSelection = .all) -> [IPAddress] {
    let all = LocalInterface.all()
    let links = interfaces.links(among: all.map { $0.state(over: Family.allCases) })
    var addresses: [IPAddress] = []
    for interface in all {
      for own in interface.addresses where own.isPublished && !own.address.isLinkLocal {
        let link = Link(NetworkInterface(index: interface.index, name: interface.name), own.address.family)
        if links.contains(link), !addresses.contains(own.address) { addresses.append(own.address) }
      }
    }
    return addresses
  }
}
