@testable import _BonjourishDiscovery

let eth0 = NetworkInterface(index: 2, name: "eth0")
let wlan0 = NetworkInterface(index: 3, name: "wlan0")

let eth0v4 = Link(eth0, .ipv4)
let eth0v6 = Link(eth0, .ipv6)
let wlan0v4 = Link(wlan0, .ipv4)

let game: ServiceType = "_twentyfour._tcp"
let ada = ServiceInstance("Ada's game", type: game)
let bob = ServiceInstance("Bob's game", type: game)
let cyd = ServiceInstance("Cyd's game", type: game)

/// A service seen on an interface.
func seen(_ instance: ServiceInstance, on interfaces: NetworkInterface..., endpoint: Endpoint? = nil) -> DiscoveredService {
  DiscoveredService(instance: instance, interfaces: interfaces, endpoint: endpoint)
}

let daemonIsGone = DiscoveryError(.unavailable, "avahi-daemon has stopped")
let noRoom = DiscoveryError(.limitReached, "too many objects")

func v4(_ bytes: UInt8...) -> IPAddress { IPAddress(bytes: bytes)! }

func v6(_ bytes: [UInt8], on interface: NetworkInterface? = nil) -> IPAddress {
  IPAddress(bytes: bytes)!.seen(on: interface)
}

/// 2001:db8::`last`
func v6(_ last: UInt8) -> IPAddress {
  v6([0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [last])
}

/// fe80::`last` on an interface.
func linkLocal(_ last: UInt8, on interface: NetworkInterface) -> IPAddress {
  v6([0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [last], on: interface)
}
