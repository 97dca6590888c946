import CLinux

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

    package init(
      index: UInt32, name: String, flags: CInt, mtu: Int, kind: String? = nil, memberKind: String? = nil, owner: UInt32? = nil
    ) {
      self.index = index
      self.name = name
      self.flags = flags
      self.mtu = mtu
      self.kind = kind
      self.memberKind = memberKind
      self.owner = owner
    }
  }

  /// All interfaces, in the order of their indices.
  ///
  /// - Throws: ``SystemError`` when the kernel cannot be asked.
  package static func all() throws(SystemError) -> [Entry] {
    let type = CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = try systemCall("socket") { socket(AF_NETLINK, type, CInt(NETLINK_ROUTE)) }
    defer { close(descriptor) }
    var request = (nlmsghdr(), ifinfomsg())
    request.0.nlmsg_len = UInt32(MemoryLayout.size(ofValue: request))
    request.0.nlmsg_type = UInt16(RTM_GETLINK)
    request.0.nlmsg_flags = UInt16(NLM_F_REQUEST | NLM_F_DUMP)
    try systemCall("send") { send(descriptor, &request, MemoryLayout.size(ofValue: request), 0) }
    var entries: [Entry] = []
    // The kernel fills at most 32 KiB at once.
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = try systemCall("recv") { recv(descriptor, &buffer, buffer.count, 0) }
      guard count > 0 else { return entries }
      let isComplete = buffer[..<count].withUnsafeBytes { bytes in
        read(bytes, &entries)
      }
      if isComplete { return entries.sorted { $0.index < $1.index } }
    }
  }

  /// Reads messages.
  ///
  /// - Returns: Whether the list is complete.
  private static func read(_ bytes: UnsafeRawBufferPointer, _ entries: inout [Entry]) -> Bool {
    var place = 0
    while place + MemoryLayout<nlmsghdr>.size <= bytes.count {
      let header = bytes.loadUnaligned(fromByteOffset: place, as: nlmsghdr.self)
      let end = place + Int(header.nlmsg_len)
      guard header.nlmsg_len >= 16, end <= bytes.count else { return true }
      switch Int32(header.nlmsg_type) {
      case NLMSG_DONE, NLMSG_ERROR: return true
      case Int32(RTM_NEWLINK): read(UnsafeRawBufferPointer(rebasing: bytes[(place + 16)..<end])).map { entries.append($0) }
      default: break
      }
      place = (end + 3) & ~3
    }
    return false
  }

  private static func read(_ message: UnsafeRawBufferPointer) -> Entry? {
    let size = MemoryLayout<ifinfomsg>.size
    guard message.count >= size else { return nil }
    let info = message.loadUnaligned(as: ifinfomsg.self)
    var name: String?
    var mtu = 0
    var (kind, memberKind): (String?, String?) = (nil, nil)
    var owner: UInt32?
    forEachAttribute(UnsafeRawBufferPointer(rebasing: message[size...])) { type, value in
      switch type {
      case IFLA_IFNAME: name = text(value)
      case IFLA_MTU: mtu = Int(number(value) ?? 0)
      case IFLA_MASTER: owner = number(value)
      case IFLA_LINKINFO:
        forEachAttribute(value) { type, value in
          switch type {
          case IFLA_INFO_KIND: kind = text(value)
          case IFLA_INFO_SLAVE_KIND: memberKind = text(value)
          default: break
          }
        }
      default: break
      }
    }
    guard let name, info.ifi_index > 0 else { return nil }
    return Entry(
      index: UInt32(info.ifi_index), name: name, flags: CInt(bitPattern: info.ifi_flags), mtu: mtu, kind: kind,
      memberKind: memberKind, owner: owner)
  }

  private static func forEachAttribute(_ bytes: UnsafeRawBufferPointer, _ body: (Int, UnsafeRawBufferPointer) -> Void) {
    var place = 0
    while place + 4 <= bytes.count {
      let attribute = bytes.loadUnaligned(fromByteOffset: place, as: rtattr.self)
      let end = place + Int(attribute.rta_len)
      guard attribute.rta_len >= 4, end <= bytes.count else { return }
      // The two highest bits are flags.
      body(Int(attribute.rta_type & 0x3FFF), UnsafeRawBufferPointer(rebasing: bytes[(place + 4)..<end]))
      place = (end + 3) & ~3
    }
  }

  private static func text(_ value: UnsafeRawBufferPointer) -> String {
    String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
  }

  private static func number(_ value: UnsafeRawBufferPointer) -> UInt32? {
    value.count >= 4 ? value.loadUnaligned(as: UInt32.self) : nil
  }
}
