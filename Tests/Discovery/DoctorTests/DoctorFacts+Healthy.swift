import _BonjourishDiscovery
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

@testable import _BonjourishDoctor

/// A machine to change in tests.
extension DoctorFacts {
  /// A machine on which all is well, with one interface and avahi-daemon.
  static func healthy() -> DoctorFacts {
    var facts = DoctorFacts()
    facts.machine.hostName = "ada"
    facts.machine.hasAvahi = true
    facts.machine.hasSystemd = true
    facts.bus.daemon = .answers(.init(version: "avahi 0.8", hostName: "ada.local", state: 2))
    facts.bus.process = 12
    facts.interfaces = [
      InterfaceFacts(
        index: 1, name: "lo", flags: [.up, .running, .loopback, .carrier], addresses: [.init(.ipv4(0x7F00_0001))]),
      eth0(),
    ]
    facts.routes = [
      Route(to: .ipv4(0), prefixLength: 0, via: .ipv4(0x0A00_0001), on: "eth0"),
      Route(to: .ipv6(high: 0xFF00 << 48, low: 0), prefixLength: 8, on: "eth0"),
    ]
    facts.sockets = [PortSocket(.ipv4, inode: 1, owner: .init(process: 12, name: "avahi-daemon"))]
    facts.socketsLater = facts.sockets
    facts.links = IPAddress.Family.allCases.map { family in
      link(family) { ($0.isHeard, $0.others) = (true, [family == .ipv4 ? neighbour : neighbour6]) }
    }
    facts.trial = DaemonTrial.Result(interfaces: [2])
    facts.limits.memberships = 20
    facts.limits.files = 1_024
    facts.limits.receiveBuffer = 212_992
    facts.clock.now = 1_800_000_000
    facts.clock.setBack = 0
    return facts
  }

  static let neighbour = IPAddress.ipv4(0x0A00_0002)
  static let neighbour6 = IPAddress.ipv6(high: 0xFE80 << 48, low: 2)

  static func eth0(
    _ flags: InterfaceFacts.Flags = [.up, .running, .broadcast, .multicast, .carrier], kind: String? = nil,
    addresses: [InterfaceFacts.Address] = [.init(.ipv4(0x0A00_0005)), .init(.ipv6(high: 0xFE80 << 48, low: 5))]
  ) -> InterfaceFacts {
    InterfaceFacts(index: 2, name: "eth0", flags: flags, kind: kind, hasDistantPeer: kind == "veth", addresses: addresses)
  }

  static func link(_ family: IPAddress.Family, _ change: (inout LinkSurvey) -> Void) -> LinkSurvey {
    var link = LinkSurvey(interface: "eth0", link: MulticastLink(interface: 2, family: family))
    link.isTried = true
    change(&link)
    return link
  }
}

/// The findings about the healthy machine after a change, as `severity identifier`.
func findings(_ change: (inout DoctorFacts) -> Void) -> [String] {
  var facts = DoctorFacts.healthy()
  change(&facts)
  return facts.report.findings.map { "\($0.severity.rawValue) \($0.identifier.rawValue)" }
}
