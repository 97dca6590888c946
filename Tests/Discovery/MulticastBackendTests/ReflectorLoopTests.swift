import Testing
import _BonjourishDiscovery

@testable import _BonjourishInterfaces
@testable import _BonjourishMulticastBackend

/// Between which interfaces services are reflected.
@Suite struct ReflectorLoopTests {
  private func interface(_ index: UInt32, _ name: String, _ addresses: (String, Int)...) throws -> LocalInterface {
    LocalInterface(
      index: index, name: name, kind: .network, mtu: 1500,
      addresses: try addresses.map { InterfaceAddress(try #require(IPAddress($0.0)), prefixLength: $0.1) })
  }

  @Test func `two interfaces in one network are noticed`() throws {
    let all = [
      try interface(1, "eth0", ("10.0.0.1", 24), ("fe80::1", 64)), try interface(2, "eth1", ("10.0.1.1", 24), ("fe80::2", 64)),
      try interface(3, "wlan0", ("fe80::3", 64), ("10.0.0.9", 24)), try interface(4, "eth2", ("169.254.1.1", 16)),
      try interface(5, "eth3", ("169.254.1.2", 16), ("fd00::1", 64)), try interface(6, "eth4", ("fd00::2", 64)),
    ]
    func shared(_ names: String...) -> [String]? {
      ReflectorLoop.sharedNetwork(of: names, among: all).map { [$0.0, $0.1] }
    }
    #expect(shared("eth0", "eth1") == nil)
    #expect(shared("eth1", "wlan0", "eth0") == ["wlan0", "eth0"])
    #expect(shared("eth2", "eth3") == nil, "link-local addresses say nothing")
    #expect(shared("eth3", "eth4") == ["eth3", "eth4"])
    #expect(shared("eth0", "nosuch") == nil)
  }

  @Test(arguments: [
    (["lo"], "between two interfaces or more"), ([], "between two interfaces or more"),
    (["lo", "eth9", "lo"], "lo is named twice"),
    (["nonexistent0", "lo"], "no interface nonexistent0"), (["lo", "nonexistent0"], "lo leads to this machine alone"),
  ])
  func `interfaces between which nothing can be reflected are refused`(_ names: [String], _ reason: String) {
    let error = #expect(throws: DiscoveryError.self) { try ReflectorLoop.check(names) }
    #expect(error?.code == .noSuchInterface && error?.message.contains(reason) == true, "\(String(describing: error))")
  }
}
