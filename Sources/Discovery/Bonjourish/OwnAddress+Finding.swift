package import _BonjourishDiscovery
import _BonjourishInterfaces
import _BonjourishMulticastBackend

extension OwnAddress {
  /// The present addresses of this machine that can be told to people, those first that a neighbour most likely reaches: over the
  /// interface of the default route, over IPv4, and of IPv4 an address for private networks.
  ///
  /// Asks the kernel, not the network. Interfaces come and go: ask again before an address is shown later.
  ///
  /// - Parameter interfaces: The interfaces. By default, what leads into containers and virtual machines of this machine is left out.
  /// - Returns: The addresses; none if no interface is up, or the kernel cannot be asked.
  public static func all(on interfaces: InterfaceSelection = .all) -> [OwnAddress] {
    ranked(ofThisMachine(on: interfaces))
  }
}

extension IPAddress {
  /// The present addresses at which services of this machine are published on some interfaces. A link-local one of IPv6 has its zone.
  package static func publishedByThisMachine(on interfaces: InterfaceSelection) -> [IPAddress] {
    OwnAddress.ofThisMachine(on: interfaces).map { $0.address.seen(on: $0.interface) }
  }
}
