import CBonjourishLinux
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import _BonjourishInterfaces

/// What interfaces lead to, by what the kernel tells of them.
@Suite struct InterfaceKindTests {
  private static let common = CInt(IFF_UP) | CInt(IFF_MULTICAST)

  private func entry(
    _ index: UInt32, _ kind: String?, member: String? = nil, owner: UInt32? = nil, flags: CInt = InterfaceKindTests.common
  ) -> InterfaceTable.Entry {
    InterfaceTable.Entry(
      index: index, name: "if\(index)", flags: flags, mtu: 1500, kind: kind, memberKind: member, owner: owner)
  }

  private func kinds(_ all: InterfaceTable.Entry...) -> [InterfaceState.Kind] {
    all.map { InterfaceState.Kind(of: $0, among: all) }
  }

  @Test func `hardware and what lies on it lead to a network`() {
    #expect(
      kinds(entry(1, nil), entry(2, "vlan"), entry(3, "bond"), entry(4, "macvlan"))
        == [.network, .network, .network, .network])
  }

  @Test func `a virtual cable leads into a container and a bridge to such cables too`() {
    #expect(
      kinds(
        entry(1, "bridge"), entry(2, "veth", member: "bridge", owner: 1), entry(3, "tun", member: "bridge", owner: 1),
        entry(4, "veth"), entry(5, "bridge"), entry(6, "dummy", member: "bridge", owner: 5))
        == [.inside, .port, .port, .inside, .inside, .port])
  }

  @Test func `a bridge with hardware leads to a network and its ports to it`() {
    #expect(
      kinds(
        entry(1, "bridge"), entry(2, "veth", member: "bridge", owner: 1), entry(3, nil, member: "bridge", owner: 1),
        entry(4, nil, member: "bond", owner: 5), entry(5, "bond"), entry(6, nil, member: "vrf", owner: 7))
        == [.network, .port, .port, .port, .network, .network])
  }

  @Test(arguments: ["bridge", "bond", "team", "openvswitch"])
  func `what is a member of another interface is its port`(_ member: String) {
    #expect(kinds(entry(1, nil, member: member)) == [.port])
  }

  @Test func `point-to-point and loopback interfaces are known by their flags`() {
    #expect(
      kinds(
        entry(1, nil, flags: CInt(IFF_LOOPBACK)), entry(2, "tun", flags: Self.common | CInt(IFF_POINTOPOINT)),
        entry(3, "dummy", flags: CInt(IFF_UP)), entry(4, "dummy"))
        == [.loopback, .tunnel, .tunnel, .inside])
  }

  @Test func `the kernel lists the loopback interface`() throws {
    let loopback = try #require(try InterfaceTable.all().first { $0.name == "lo" })
    #expect(loopback.index == InterfaceTable.index(of: "lo"))
    #expect(loopback.flags & CInt(IFF_LOOPBACK) != 0 && loopback.mtu > 0 && loopback.kind == nil)
    #expect(InterfaceState.ofThisMachine().contains { $0.interface.name == "lo" && $0.kind == .loopback })
  }
}
