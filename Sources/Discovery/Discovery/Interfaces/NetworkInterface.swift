import _BonjourishBase

/// A network interface of this machine.
///
/// An operation that is restricted to an interface follows its name: an interface that is made again, such as a USB adapter or a
/// tunnel, gets another index, and is used again by itself.
public struct NetworkInterface: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The kernel's index of the interface, at least 1.
  public let index: UInt32
  /// The name, such as `eth0`.
  public let name: String

  /// Makes an interface from its index and name. Whether it exists is not checked.
  ///
  /// - Parameters:
  ///   - index: The kernel's index of the interface, at least 1.
  ///   - name: The name, such as `eth0`.
  public init(index: UInt32, name: String) {
    self.index = index
    self.name = name
  }

  /// The name for display: characters that control a terminal, reorder text or are invisible are escaped.
  public var description: String { name.escapedForDisplay }

  /// Compares by index, then by name.
  public static func < (one: Self, other: Self) -> Bool {
    (one.index, one.name) < (other.index, other.name)
  }
}

/// An interface or a directory, and an address family. mDNS runs separately on each link (RFC 6762 §2, §20).
public struct Link: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The interface or the directory.
  public let source: DiscoverySource
  /// The address family.
  public let family: IPAddress.Family

  /// Makes a link of an interface. Whether it exists is not checked.
  public init(_ interface: NetworkInterface, _ family: IPAddress.Family) { self.init(DiscoverySource(interface), family) }

  /// Makes a link. Whether it exists is not checked.
  public init(_ source: DiscoverySource, _ family: IPAddress.Family) {
    self.source = source
    self.family = family
  }

  /// The kernel's index of the interface; 0 for a directory.
  package var index: UInt32 { source.interface?.index ?? 0 }

  /// The link for display, such as `eth0 over IPv4`.
  public var description: String { "\(source) over \(family == .ipv4 ? "IPv4" : "IPv6")" }

  /// Compares by source, then by family, IPv4 first.
  public static func < (one: Self, other: Self) -> Bool {
    (one.source, one.family.rawValue) < (other.source, other.family.rawValue)
  }
}
