import CBonjourishLinux
import Testing
import _BonjourishDiscovery

@testable import _BonjourishInterfaces

@Suite struct LocalInterfaceTests {
  private let own = try! #require(IPAddress("10.77.0.1"))
  private let linkLocal = try! #require(IPAddress(bytes: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]))
  private let global = IPAddress.ipv6(high: 0x2001_0db8_0077_0000, low: 1)

  private func published(of addresses: [IPAddress], preferring preferred: Set<IPAddress>) -> [IPAddress] {
    let interface = LocalInterface(
      index: 2, name: "eth0", kind: .network, mtu: 1500, addresses: addresses.map { InterfaceAddress($0, prefixLength: 64) })
    let chosen = interface.publishing(preferred)
    #expect(chosen.addresses.map(\.address) == addresses)
    return chosen.addresses.filter(\.isPublished).map(\.address)
  }

  @Test func `a link-local address is not published beside a global one of its family`() {
    #expect(published(of: [own, linkLocal, global], preferring: [own, global]) == [own, global])
  }

  @Test func `a link-local address is published when its family has no other`() {
    #expect(published(of: [own, linkLocal], preferring: [own]) == [own, linkLocal])
  }

  @Test func `deprecated addresses are published when there is no other`() {
    #expect(published(of: [linkLocal, global], preferring: []) == [linkLocal, global])
  }

  @Test func `what the kernel tells of addresses decides which are used and which are published`() throws {
    let link = UInt8(RT_SCOPE_LINK.rawValue)
    let old = IPAddress.ipv6(high: 0x2001_0db8_0078_0000, low: 1)
    let autoconfigured = try #require(IPAddress("169.254.7.7"))
    var entry = InterfaceTable.Entry(
      index: 2, name: "eth0", flags: CInt(IFF_UP) | CInt(IFF_RUNNING) | CInt(IFF_MULTICAST), mtu: 1500)
    entry.addresses = [
      InterfaceTable.Address(own.bytes, prefixLength: 24),
      InterfaceTable.Address(autoconfigured.bytes, prefixLength: 16, scope: link),
      InterfaceTable.Address(linkLocal.bytes, prefixLength: 64, scope: link),
      InterfaceTable.Address(global.bytes, prefixLength: 64),
      InterfaceTable.Address(old.bytes, prefixLength: 64, flags: UInt32(IFA_F_DEPRECATED)),
      InterfaceTable.Address(IPAddress.ipv6(high: 1, low: 1).bytes, prefixLength: 64, flags: UInt32(IFA_F_TENTATIVE)),
      InterfaceTable.Address(IPAddress.ipv6(high: 1, low: 2).bytes, prefixLength: 64, flags: UInt32(IFA_F_DADFAILED)),
    ]
    let interface = LocalInterface(entry, among: [entry])
    #expect(interface.addresses.map(\.address) == [own, autoconfigured, linkLocal, global, old])
    #expect(interface.addresses.filter(\.isPublished).map(\.address) == [own, global])
    #expect(interface.addresses.map(\.prefixLength) == [24, 16, 64, 64, 64])
    let down = InterfaceTable.Entry(index: 2, name: "eth0", flags: CInt(IFF_MULTICAST), mtu: 1500)
    #expect(LocalInterface(down, among: [down]).addresses == [])
  }

  @Test(arguments: [
    (0 as CInt, InterfaceState.Readiness.down), (CInt(IFF_RUNNING), .down), (CInt(IFF_UP), .noCarrier),
    (CInt(IFF_UP | IFF_RUNNING), .ready),
  ])
  func `an interface is ready when it is up and has a carrier`(_ flags: CInt, _ readiness: InterfaceState.Readiness) {
    var entry = InterfaceTable.Entry(index: 2, name: "eth0", flags: flags | CInt(IFF_MULTICAST), mtu: 1_400)
    entry.addresses = [InterfaceTable.Address(own.bytes, prefixLength: 24)]
    let interface = LocalInterface(entry, among: [entry])
    #expect(interface.mtu == 1_400 && !interface.isLoopback)
    let families: Set<IPAddress.Family> = readiness == .ready ? [.ipv4] : []
    let known = NetworkInterface(index: 2, name: "eth0")
    #expect(interface.state(over: IPAddress.Family.allCases) == InterfaceState(known, .network, families, readiness))
    #expect(interface.state(over: [.ipv6]).families == [])
  }
}
