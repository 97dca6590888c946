import Testing
import _BonjourishDiscovery
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

@testable import _BonjourishDoctor

/// What follows from the addresses of the hosts that are heard, and from what is lost on the way.
@Suite struct SubnetFindingsTests {
  /// The findings where hosts are heard over IPv4, and over IPv6 too or not.
  private func heard(
    _ hosts: [String], at address: String, _ length: Int, overIPv6: Bool = false,
    _ change: (inout DoctorFacts) -> Void = { _ in }
  ) throws -> [String] {
    let others = Set(try hosts.map { try #require(IPAddress($0)) })
    let own = InterfaceFacts.Address(try #require(IPAddress(address)), prefixLength: length)
    return findings { facts in
      facts.interfaces[1] = DoctorFacts.eth0(addresses: [own, .init(.ipv6(high: 0xFE80 << 48, low: 5))])
      facts.routes.removeAll { $0.gateway != nil }
      facts.routes.append(Route(to: .ipv4(0xE000_0000), prefixLength: 4, on: "eth0"))
      facts.links[0].others = others
      if !overIPv6 { facts.links[1].others = [] }
      change(&facts)
    }
  }

  @Test func `hosts in another subnet are told`() throws {
    #expect(try heard(["10.77.0.2", "10.77.0.3"], at: "10.88.0.1", 24) == ["problem other-subnet"])
    #expect(try heard(["10.77.0.2"], at: "10.88.0.1", 24, overIPv6: true) == ["warning other-subnet"])
    #expect(try heard(["10.77.0.2"], at: "10.77.0.1", 32) == ["problem other-subnet"])
    // One of them is in the network, which is too small.
    #expect(try heard(["10.77.0.2", "10.77.0.9"], at: "10.77.0.1", 30) == ["warning other-subnet"])
    #expect(try heard(["10.77.0.2", "10.77.0.3"], at: "10.77.0.1", 24) == [])
  }

  @Test func `hosts that a route reaches, or that have given themselves an address, are in no other subnet`() throws {
    #expect(
      try heard(["10.77.0.2"], at: "10.88.0.1", 24) {
        $0.routes.append(Route(to: .ipv4(0x0A4D_0000), prefixLength: 24, on: "eth0"))
      } == [])
    #expect(try heard(["169.254.1.2", "10.77.0.2"], at: "10.77.0.1", 24) == [])
    #expect(try heard(["169.254.1.2"], at: "169.254.1.1", 16) == [])
    // The router may know the way.
    func routed(_ hosts: [String]) throws -> [String] {
      try heard(hosts, at: "10.88.0.1", 24) {
        $0.routes.append(Route(to: .ipv4(0), prefixLength: 0, via: .ipv4(0x0A58_00FE), on: "eth0"))
      }
    }
    #expect(try routed(["10.77.0.2"]) == ["warning other-subnet"])
    #expect(try routed(["10.77.0.2", "10.88.0.2"]) == ["information other-subnet"])
  }

  @Test func `what the kernel drops for want of a route is told where nobody is heard`() throws {
    #expect(try heard([], at: "10.77.0.1", 32) { $0.reversePathDrops = 3 } == ["problem reverse-path-filter"])
    #expect(try heard([], at: "10.77.0.1", 32, overIPv6: true) { $0.reversePathDrops = 3 } == ["warning reverse-path-filter"])
    #expect(try heard(["10.77.0.2"], at: "10.77.0.1", 24) { $0.reversePathDrops = 3 } == [])
    #expect(try heard([], at: "10.77.0.1", 32) == ["information nobody-answers"])
  }

  @Test func `another host with an address of this machine is told, once`() {
    let own = IPAddress.ipv4(0x0A00_0005)
    let conflict = AddressConflict(interface: "eth0", address: own, hardware: "02:00:00:00:00:09")
    #expect(findings { $0.duplicates = [conflict] } == ["warning ipv4-duplicate-address"])
    #expect(findings { $0.links[1].duplicates = [own] } == ["warning ipv4-duplicate-address"])
    #expect(
      findings {
        $0.duplicates = [conflict]
        $0.links[1].duplicates = [own]
      } == ["warning ipv4-duplicate-address"])
  }

  @Test(arguments: [(10, 3, true), (10, 7, true), (10, 8, false), (40, 29, true), (7, 1, false), (0, 0, false)])
  func `packets that are lost are told if there were enough`(_ asked: Int, _ answered: Int, _ isTold: Bool) {
    #expect(
      findings { ($0.links[0].asked, $0.links[0].answered) = (asked, answered) } == (isTold ? ["warning packet-loss"] : []))
  }

  @Test func `where packets are lost, what was not heard is laid to that`() {
    func change(_ answered: Int) -> [String] {
      findings { facts in
        facts.links = [
          DoctorFacts.link(.ipv4) {
            ($0.isHeard, $0.directAnswerers, $0.asked, $0.answered, $0.isTried) = (true, [.ipv4(9)], 10, answered, false)
          }
        ]
      }
    }
    #expect(change(3) == ["warning packet-loss"])
    #expect(change(9) == ["problem avahi-silent", "problem multicast-not-forwarded"])
  }
}
