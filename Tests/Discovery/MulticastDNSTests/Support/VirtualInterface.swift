import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// An interface of a ``VirtualHost``.
struct VirtualInterface {
  /// What stands for the interface in the engine.
  let number: UInt32
  /// Which of the network's segments it is attached to. Only interfaces of one segment hear each other.
  let segment: Int
  let mtu: Int
  var addresses: [InterfaceAddress]
  /// An interface that is not plugged in has no links, whatever its addresses.
  var isPluggedIn = true

  init(_ number: UInt32, on segment: Int, mtu: Int = 1500, addresses: [InterfaceAddress]) {
    self.number = number
    self.segment = segment
    self.mtu = mtu
    self.addresses = addresses
  }

  /// The links that it has: one for each family that it has an address of.
  var links: [MulticastLink] {
    guard isPluggedIn else { return [] }
    return IPAddress.Family.allCases.filter { source($0) != nil }.map { MulticastLink(interface: number, family: $0) }
  }

  /// The address that datagrams of a family come from: the first, which is link-local for IPv6 as on real hosts.
  func source(_ family: IPAddress.Family) -> IPAddress? { addresses.first { $0.address.family == family }?.address }

  /// The addresses that others are to know.
  var published: Set<IPAddress> { Set(addresses.filter(\.isPublished).map(\.address)) }
}

/// A segment and a family: hosts that have links there hear each other.
struct Medium: Hashable {
  let segment: Int
  let family: IPAddress.Family
}

extension InterfaceAddress {
  /// The IPv4 address with a number on a segment.
  static func ipv4(_ number: Int, on segment: Int) -> InterfaceAddress {
    InterfaceAddress(.ipv4(0x0A00_0000 + UInt32(segment) << 16 + UInt32(number)), prefixLength: 16)
  }

  /// The link-local address with a number, the same on each segment.
  static func linkLocal(_ number: Int, isPublished: Bool = true) -> InterfaceAddress {
    InterfaceAddress(.ipv6(high: 0xFE80 << 48, low: UInt64(number)), prefixLength: 64, isPublished: isPublished)
  }

  /// An address with a number of one of the networks that a segment has one after another.
  static func global(_ number: Int, on segment: Int, network: Int) -> InterfaceAddress {
    let high: UInt64 = 0x2001_0DB8 << 32 + UInt64(segment) << 16 + UInt64(network)
    return InterfaceAddress(.ipv6(high: high, low: UInt64(number)), prefixLength: 64)
  }
}
