package import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces

/// A network interface, whether it can be used or not.
package struct InterfaceFacts: Hashable, Sendable {
  package struct Address: Hashable, Sendable {
    package let address: IPAddress
    /// Whether another host has the address too.
    package let isDuplicate: Bool
    /// Whether it is still being checked for duplicates.
    package let isTentative: Bool
    /// The number of the first bits that all hosts of the link have in common.
    package let prefixLength: Int

    /// - Parameter prefixLength: nil: that of most networks.
    package init(_ address: IPAddress, prefixLength: Int? = nil, isDuplicate: Bool = false, isTentative: Bool = false) {
      self.address = address
      self.prefixLength = prefixLength ?? (address.family == .ipv4 ? 24 : 64)
      self.isDuplicate = isDuplicate
      self.isTentative = isTentative
    }

    package var isUsable: Bool { !isDuplicate && !isTentative }
  }

  package let index: UInt32
  package let name: String
  package let flags: Flags
  /// The kind of a virtual interface, such as "veth"; nil for hardware.
  package let kind: String?
  /// Whether the other end of a virtual cable is in another network namespace.
  package let hasDistantPeer: Bool
  /// Whether it is a port of a bridge or a part of a bond, which has the addresses.
  package let isPort: Bool
  package var addresses: [Address] = []

  package init(
    index: UInt32, name: String, flags: Flags, kind: String? = nil, hasDistantPeer: Bool = false, isPort: Bool = false,
    addresses: [Address] = []
  ) {
    self.index = index
    self.name = name
    self.flags = flags
    self.kind = kind
    self.hasDistantPeer = hasDistantPeer
    self.isPort = isPort
    self.addresses = addresses
  }

  /// The flags of `linux/if.h`.
  package struct Flags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let up = Flags(rawValue: 1 << 0)
    package static let broadcast = Flags(rawValue: 1 << 1)
    package static let loopback = Flags(rawValue: 1 << 3)
    package static let pointToPoint = Flags(rawValue: 1 << 4)
    package static let running = Flags(rawValue: 1 << 6)
    package static let noARP = Flags(rawValue: 1 << 7)
    package static let allMulticast = Flags(rawValue: 1 << 9)
    package static let multicast = Flags(rawValue: 1 << 12)
    package static let carrier = Flags(rawValue: 1 << 16)
  }

  /// Whether the interface is a machine's connection to a network, and not a tunnel or the inside of containers.
  package var isConnection: Bool {
    flags.contains(.broadcast) && flags.isDisjoint(with: [.loopback, .pointToPoint, .noARP]) && !isInside && !isPort
  }

  /// Whether its name is one that programs for containers and virtual machines give to their own ends.
  package var isInside: Bool {
    ["docker", "br-", "virbr", "veth", "vnet", "lxcbr", "lxdbr", "podman", "cni", "cali", "flannel"].contains {
      name.hasPrefix($0)
    }
  }

  func hasAddress(_ family: IPAddress.Family) -> Bool {
    addresses.contains { $0.address.family == family && $0.isUsable }
  }

  /// Whether mDNS can be used there.
  package var isUsable: Bool {
    flags.isSuperset(of: [.up, .running]) && !flags.isDisjoint(with: [.multicast, .loopback])
      && addresses.contains(where: \.isUsable)
  }
}

extension InterfaceFacts {
  init(_ entry: InterfaceTable.Entry) {
    self.init(
      index: entry.index, name: entry.name, flags: Flags(rawValue: UInt32(bitPattern: entry.flags)), kind: entry.kind,
      hasDistantPeer: entry.hasDistantPeer, isPort: entry.owner != nil,
      addresses: entry.addresses.compactMap { address in
        IPAddress(bytes: address.bytes).map {
          Address($0, prefixLength: address.prefixLength, isDuplicate: address.isDuplicate, isTentative: address.isTentative)
        }
      })
  }
}
