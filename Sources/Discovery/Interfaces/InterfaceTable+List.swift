import CBonjourishLinux
package import _BonjourishEventLoop

extension InterfaceTable {
  /// What the kernel tells of an interface.
  package struct Entry: Hashable, Sendable {
    package let index: UInt32
    package let name: String
    /// `IFF_UP` and others.
    package let flags: CInt
    /// The MTU in bytes.
    package let mtu: Int
    /// The driver's name of a virtual interface, such as `bridge` or `veth`; nil for hardware.
    package let kind: String?
    /// The kind of the interface that this one is a part of, such as `bridge` or `bond`.
    package let memberKind: String?
    /// The index of the interface that this one is a part of.
    package let owner: UInt32?
    /// Whether the other end of a virtual cable is in another network namespace.
    package let hasDistantPeer: Bool
    package var addresses: [Address] = []
    /// The address of the link layer, such as six bytes for Ethernet; empty if it has none.
    package var hardwareAddress: [UInt8] = []

    package init(
      index: UInt32, name: String, flags: CInt, mtu: Int, kind: String? = nil, memberKind: String? = nil, owner: UInt32? = nil,
      hasDistantPeer: Bool = false
    ) {
      self.index = index
      self.name = name
      self.flags = flags
      self.mtu = mtu
      self.kind = kind
      self.memberKind = memberKind
      self.owner = owner
      self.hasDistantPeer = hasDistantPeer
    }
  }

  /// An address of an interface.
  package struct Address: Hashable, Sendable {
    /// 4 bytes for IPv4, 16 bytes for IPv6.
    package let bytes: [UInt8]
    /// The number of the first bits that all hosts of the link have in common.
    package let prefixLength: Int
    private let flags: UInt32
    private let scope: UInt8

    /// - Parameters:
    ///   - bytes: 4 bytes for IPv4, 16 bytes for IPv6.
    ///   - prefixLength: The number of the first bits that all hosts of the link have in common.
    ///   - flags: `IFA_F_TENTATIVE` and others.
    ///   - scope: `RT_SCOPE_UNIVERSE` and others.
    package init(_ bytes: [UInt8], prefixLength: Int, flags: UInt32 = 0, scope: UInt8 = 0) {
      self.bytes = bytes
      self.prefixLength = prefixLength
      self.flags = flags
      self.scope = scope
    }

    /// Whether whoever configured it says that it is valid beyond the link.
    package var isGlobal: Bool { scope == UInt8(RT_SCOPE_UNIVERSE.rawValue) || scope == UInt8(RT_SCOPE_SITE.rawValue) }

    /// Whether it cannot be used yet, because it is being checked for duplicates (RFC 4862 §5.4).
    package var isTentative: Bool { flags & UInt32(IFA_F_TENTATIVE) != 0 }
    /// Whether it cannot be used, because another host has it too.
    package var isDuplicate: Bool { flags & UInt32(IFA_F_DADFAILED) != 0 }
    /// Whether it will be gone soon, and is for existing connections only.
    package var isDeprecated: Bool { flags & UInt32(IFA_F_DEPRECATED) != 0 }
  }

  /// All interfaces with their addresses, in the order of their indices.
  ///
  /// - Throws: ``SystemError`` when the kernel cannot be asked.
  package static func all() throws(SystemError) -> [Entry] {
    let socket = try NetlinkSocket()
    return entries(links: try socket.dump(Int(RTM_GETLINK)), addresses: try socket.dump(Int(RTM_GETADDR)))
  }

  /// Reads the kernel's answers. Messages that make no sense are skipped.
  ///
  /// - Parameters:
  ///   - links: The answer to `RTM_GETLINK`.
  ///   - addresses: The answer to `RTM_GETADDR`.
  package static func entries(links: [UInt8], addresses: [UInt8]) -> [Entry] {
    var entries = NetlinkMessage.all(in: links).compactMap(Entry.init).sorted { $0.index < $1.index }
    let places = Dictionary(entries.indices.map { (entries[$0].index, $0) }) { first, _ in first }
    for message in NetlinkMessage.all(in: addresses) where message.type == RTM_NEWADDR {
      guard let index = message.body.word(at: 4), let place = places[index], let address = Address(message) else { continue }
      entries[place].addresses.append(address)
    }
    return entries
  }
}

extension InterfaceTable.Entry {
  /// - Parameter message: A message with `struct ifinfomsg` and attributes (`linux/if_link.h`).
  fileprivate init?(_ message: NetlinkMessage) {
    let header = MemoryLayout<ifinfomsg>.size
    guard message.type == RTM_NEWLINK, let index = message.body.word(at: 4), index > 0,
      let flags = message.body.word(at: 8), let name = message.attribute(IFLA_IFNAME, after: header)?.text
    else { return nil }
    let driver = message.attribute(IFLA_LINKINFO, after: header)?.bytes ?? []
    self.init(
      index: index, name: name, flags: CInt(bitPattern: flags),
      mtu: Int(message.attribute(IFLA_MTU, after: header)?.word(at: 0) ?? 0),
      kind: NetlinkMessage.attribute(IFLA_INFO_KIND, in: driver)?.text,
      memberKind: NetlinkMessage.attribute(IFLA_INFO_SLAVE_KIND, in: driver)?.text,
      owner: message.attribute(IFLA_MASTER, after: header)?.word(at: 0),
      hasDistantPeer: message.attribute(IFLA_LINK_NETNSID, after: header) != nil)
    hardwareAddress = (message.attribute(IFLA_ADDRESS, after: header)?.bytes).map(Array.init) ?? []
  }
}

extension InterfaceTable.Address {
  /// - Parameter message: A message with `struct ifaddrmsg` and attributes (`linux/if_addr.h`).
  fileprivate init?(_ message: NetlinkMessage) {
    let header = MemoryLayout<ifaddrmsg>.size
    let start = Array(message.body.bytes.prefix(header))
    // Of a point-to-point interface, IFA_ADDRESS is the other end's address, and IFA_LOCAL the own one.
    guard start.count == header,
      let bytes = (message.attribute(IFA_LOCAL, after: header) ?? message.attribute(IFA_ADDRESS, after: header))?.bytes,
      bytes.count == 4 || bytes.count == 16
    else { return nil }
    // The header has the lower eight flags only.
    let flags = message.attribute(IFA_FLAGS, after: header)?.word(at: 0) ?? UInt32(start[2])
    self.init(Array(bytes), prefixLength: Int(start[1]), flags: flags, scope: start[3])
  }
}
