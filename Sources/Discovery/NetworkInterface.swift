/// A network interface of this machine.
public struct NetworkInterface: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The kernel's number for it, at least 1.
  public let index: UInt32
  /// Its name, such as `eth0`.
  public let name: String

  public init(index: UInt32, name: String) {
    self.index = index
    self.name = name
  }

  public var description: String { name }

  public static func < (one: Self, other: Self) -> Bool {
    (one.index, one.name) < (other.index, other.name)
  }
}

/// The address family that mDNS spoke when something was seen.
package enum AddressFamily: Hashable, Sendable, CaseIterable {
  case ipv4, ipv6
}

/// Where something was seen: mDNS runs on each interface and for each address family on its own (RFC 6762 §2, §20).
package struct Link: Hashable, Sendable {
  package let interface: NetworkInterface
  package let family: AddressFamily

  package init(_ interface: NetworkInterface, _ family: AddressFamily) {
    self.interface = interface
    self.family = family
  }
}
