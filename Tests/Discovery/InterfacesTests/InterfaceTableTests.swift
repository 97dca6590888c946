import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishDiscovery

@testable import _BonjourishInterfaces

/// What the kernel says of interfaces and addresses.
@Suite struct InterfaceTableTests {
  private typealias Address = InterfaceTable.Address
  private typealias Entry = InterfaceTable.Entry

  @Test func `an interface has its driver, its owner, its other end and its hardware address`() {
    let driver = NetlinkBytes.attribute(1, Array("veth\0".utf8)) + NetlinkBytes.attribute(4, Array("bridge\0".utf8))
    let cable = NetlinkBytes.link(
      7, "veth12", flags: 0x11043,
      attributes: [
        (1, [2, 0, 0, 0, 0, 7]), (4, NetlinkBytes.number(1_400)), (10, NetlinkBytes.number(3)),
        // The kernel marks what has attributes in it.
        (18 | 0x8000, driver), (37, NetlinkBytes.number(0)),
      ])
    var expected = Entry(
      index: 7, name: "veth12", flags: 0x11043, mtu: 1_400, kind: "veth", memberKind: "bridge", owner: 3, hasDistantPeer: true)
    expected.hardwareAddress = [2, 0, 0, 0, 0, 7]
    let plain = NetlinkBytes.link(1, "lo", flags: 0x49)
    #expect(
      InterfaceTable.entries(links: cable + plain, addresses: []) == [
        Entry(index: 1, name: "lo", flags: 0x49, mtu: 0), expected,
      ])
  }

  @Test func `what is no new interface is passed over`() {
    let others =
      NetlinkBytes.link(0, "none", flags: 1) + NetlinkBytes.link(3, "gone", flags: 1, type: 17)
      + NetlinkBytes.message(16, [0, 0, 1, 0] + NetlinkBytes.number(4) + NetlinkBytes.number(1) + NetlinkBytes.number(0))
      // What follows begins at a multiple of four.
      + NetlinkBytes.message(16, [1])
    let links = others + NetlinkBytes.link(2, "eth0", flags: 1)
    #expect(InterfaceTable.entries(links: links, addresses: []) == [Entry(index: 2, name: "eth0", flags: 1, mtu: 0)])
    // One that is cut off, and one that claims to be shorter than its head.
    #expect(InterfaceTable.entries(links: links.dropLast(), addresses: []) == [])
    #expect(InterfaceTable.entries(links: NetlinkBytes.number(15) + links.dropFirst(4), addresses: []) == [])
  }

  @Test func `addresses have their prefix, flags and scope, and the own end of a tunnel counts`() throws {
    let addresses =
      NetlinkBytes.address(2, [10, 77, 0, 1], prefixLength: 24)
      + NetlinkBytes.address(2, [10, 77, 0, 2], prefixLength: 32, flags: 0x80, local: [10, 77, 0, 9])
      // Without the attribute, the head has the flags.
      + NetlinkBytes.address(2, [10, 77, 0, 3], headerFlags: 0x08, flags: nil, scope: 253)
      + NetlinkBytes.address(2, [10, 77, 0, 4], headerFlags: 0x08, flags: 0x40)
      + NetlinkBytes.address(2, [10, 77, 0, 5, 0]) + NetlinkBytes.address(9, [10, 77, 0, 6])
      + NetlinkBytes.address(2, [10, 77, 0, 7], type: 21) + NetlinkBytes.message(20, [2, 24, 0, 0] + NetlinkBytes.number(2))
      + NetlinkBytes.address(2, [UInt8](repeating: 7, count: 16))
    let links = NetlinkBytes.link(2, "eth0", flags: 1)
    let entry = try #require(InterfaceTable.entries(links: links, addresses: addresses).first)
    #expect(
      entry.addresses == [
        Address([10, 77, 0, 1], prefixLength: 24), Address([10, 77, 0, 9], prefixLength: 32, flags: 0x80),
        Address([10, 77, 0, 3], prefixLength: 64, flags: 0x08, scope: 253),
        Address([10, 77, 0, 4], prefixLength: 64, flags: 0x40), Address([UInt8](repeating: 7, count: 16), prefixLength: 64),
      ])
  }

  @Test func `flags and scopes tell what an address is good for`() {
    func address(_ flags: Int = 0, scope: UInt32 = 0) -> Address {
      Address([10, 77, 0, 1], prefixLength: 24, flags: UInt32(flags), scope: UInt8(scope))
    }
    #expect(address().isGlobal && !address().isTentative && !address().isDuplicate && !address().isDeprecated)
    #expect(address(scope: RT_SCOPE_SITE.rawValue).isGlobal && !address(scope: RT_SCOPE_LINK.rawValue).isGlobal)
    let (tentative, duplicate) = (address(Int(IFA_F_TENTATIVE)), address(Int(IFA_F_DADFAILED)))
    #expect(tentative.isTentative && !tentative.isDuplicate && duplicate.isDuplicate && !duplicate.isTentative)
    #expect(address(Int(IFA_F_DEPRECATED)).isDeprecated)
  }

  @Test func `numbers and text are read within their bytes`() {
    let bytes = KernelBytes(bytes: [9, 9, 1, 0, 2, 0, 97, 0, 98][2...])
    #expect(bytes.half(at: 0) == UInt16(1).littleEndian && bytes.half(at: 5) != nil)
    #expect(bytes.half(at: 6) == nil && bytes.half(at: -1) == nil)
    #expect(bytes.word(at: 0) == UInt32(0x2_0001).littleEndian && bytes.word(at: 3) != nil)
    #expect(bytes.word(at: 4) == nil && bytes.word(at: -1) == nil)
    #expect(KernelBytes(bytes: bytes.bytes[6...]).text == "a" && KernelBytes(bytes: [98]).text == "b")
  }

  @Test func `an attribute that does not fit ends the search`() {
    let (one, other) = (NetlinkBytes.attribute(1, [5]), NetlinkBytes.attribute(2, []))
    func bytes(of type: Int, in bytes: [UInt8]) -> [UInt8]? {
      NetlinkMessage.attribute(type, in: bytes[...]).map { Array($0.bytes) }
    }
    #expect(bytes(of: 1, in: one + other) == [5] && bytes(of: 2, in: one + other) == [])
    #expect(bytes(of: 3, in: one + other) == nil && bytes(of: 2, in: [3, 0, 2, 0] + other) == nil)
    #expect(bytes(of: 2, in: [9, 0, 2, 0, 1, 2, 3, 4]) == nil && bytes(of: 2, in: [8, 0, 2, 0, 1, 2, 3, 4]) == [1, 2, 3, 4])
  }

  @Test func `an interface has a name and a number`() throws {
    let index = try #require(InterfaceTable.index(of: "lo"))
    #expect(InterfaceTable.name(of: index) == "lo")
    #expect(InterfaceTable.index(of: "nonexistent0") == nil && InterfaceTable.name(of: 0x7FFF_FFFF) == nil)
  }

  @Test func `the addresses of this machine are those of the interfaces that are selected`() throws {
    let index = try #require(InterfaceTable.index(of: "lo"))
    let address = IPAddress.ipv4(0x7F00_0001)
    let own = OwnAddress.ofThisMachine(on: "lo")
    #expect(own.contains(OwnAddress(address, NetworkInterface(index: index, name: "lo"))))
    #expect(own.allSatisfy { $0.interface.name == "lo" } && Set(own).count == own.count)
    #expect(IPAddress.published(on: "lo").contains(address))
    let six = InterfaceSelection.only("lo").over(.ipv6)
    #expect((OwnAddress.ofThisMachine(on: six).map(\.address) + IPAddress.published(on: six)).allSatisfy { $0.family == .ipv6 })
    #expect(OwnAddress.ofThisMachine(on: "nonexistent0") == [] && IPAddress.published(on: "nonexistent0") == [])
  }
}
