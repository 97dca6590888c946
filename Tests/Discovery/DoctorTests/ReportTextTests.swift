import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

@testable import _BonjourishDoctor

/// All that people read of what was found, for each state of a machine.
@Suite struct ReportTextTests {
  @Test func `what is found is told with its reason, and what helps`() throws {
    var states = States()
    daemon(&states)
    interfaces(&states)
    links(&states)
    others(&states)
    names(&states)
    try Transcript("doctor").compare(states.text)
  }

  /// States of a machine, and what is reported of them.
  private struct States {
    var text = ""

    /// A healthy machine after a change; with the daemon as the backend, where that says something else.
    mutating func add(_ title: String, _ change: (inout DoctorFacts) -> Void) {
      let report = report(.auto, change)
      text += "# \(title)\n" + Self.text(of: report)
      for backend in [DoctorRequest.Backend.avahi, .builtin] {
        let other = self.report(backend, change)
        if other != report { text += "## with \(backend)\n" + Self.text(of: other) }
      }
    }

    private func report(_ backend: DoctorRequest.Backend, _ change: (inout DoctorFacts) -> Void) -> Report {
      var facts = DoctorFacts.healthy()
      facts.request.backend = backend
      change(&facts)
      return facts.report
    }

    private static func text(of report: Report) -> String {
      let trial =
        switch report.trial {
        case .others: "others were heard"
        case .alone: "nobody else was heard"
        case .unsteady: "packets are lost"
        case .none(let reason): "not tried: \(reason)"
        }
      let findings = report.findings.map { finding in
        "\(finding.severity) \(finding.identifier.rawValue) \(finding.interfaces.joined(separator: " "))\n"
          + "  \(finding.seen)\n  \(finding.reason)\n" + finding.remedies.map { "  \($0)\n" }.joined()
      }
      return findings.joined() + (report.healthy + report.unseen + [trial]).map { "- \($0)\n" }.joined()
    }
  }

  // MARK: - States

  private func daemon(_ states: inout States) {
    states.add("healthy") { _ in }
    for (title, state) in [
      ("no bus", BusFacts.State.missing(path: "/bus")), ("no bus that runs", .notRunning(path: "/bus")),
      ("a bus that is denied", .denied(reason: "no")), ("a bus that hangs", .hung),
      ("a full bus", .limitReached(reason: "full")),
      ("a bus that fails", .failed(reason: "cut")),
    ] {
      states.add(title) { facts in (facts.bus.state, facts.bus.daemon) = (state, .unknown) }
    }
    states.add("no bus in a container, without systemd") { facts in
      (facts.bus.state, facts.bus.daemon) = (.missing(path: "/bus"), .unknown)
      (facts.machine.container, facts.machine.hasAvahi, facts.machine.hasSystemd) = ("Docker", false, false)
    }
    states.add("no daemon") { $0.bus.daemon = .absent }
    states.add("no daemon on any bus") { facts in
      (facts.bus.daemon, facts.sockets, facts.socketsLater, facts.areSocketsKnown) = (.absent, [], [], false)
      (facts.machine.hasSystemd, facts.machine.scripts) = (false, ["avahi-daemon"])
    }
    states.add("no daemon is installed") { facts in
      (facts.bus.daemon, facts.sockets, facts.socketsLater) = (.absent, [], [])
      (facts.machine.hasAvahi, facts.machine.packages) = (false, .apt)
    }
    states.add("the daemon hangs") { $0.bus.daemon = .hung }
    states.add("the daemon is stopped") { ($0.bus.daemon, $0.bus.isStopped) = (.hung, true) }
    states.add("an unknown process is stopped") { ($0.bus.daemon, $0.bus.isStopped, $0.bus.process) = (.hung, true, nil) }
    states.add("the daemon is denied") { $0.bus.daemon = .denied(reason: "policy") }
    for state in [1, 3, 4] {
      states.add("the daemon is in state \(state)") {
        $0.bus.daemon = .answers(.init(version: "avahi 0.8", hostName: "ada.local", state: state, refusal: "too many objects"))
      }
    }
    states.add("a daemon that leaves the interface out") { $0.bus.configuration.denied = ["eth0"] }
    states.add("a daemon that has one family") { facts in
      facts.bus.configuration.unused = [.ipv6]
      facts.links[1].isTried = false
    }
    states.add("a daemon that asks over one family") { $0.links[0].isTried = false }
    states.add("a daemon that asks nothing") { facts in
      for index in facts.links.indices { facts.links[index].isTried = false }
    }
    states.add("a daemon that hears nothing") { $0.trial = DaemonTrial.Result() }
    states.add("a daemon that could not be asked") { $0.trial = nil }
    states.add("a daemon of another network") { ($0.sockets, $0.socketsLater) = ([], []) }
    states.add("another responder") {
      $0.sockets.append(PortSocket(.ipv4, inode: 2, owner: .init(process: 3, name: "systemd-resolve")))
      $0.sockets.append(PortSocket(.ipv6, inode: 3, owner: .init(process: 2, name: "mdnsd")))
    }
    states.add("drops that go on") { facts in
      facts.sockets = [PortSocket(.ipv4, inode: 1, drops: 5)]
      facts.socketsLater = [PortSocket(.ipv4, inode: 1, drops: 7, owner: .init(process: 12, name: "avahi-daemon"))]
      facts.limits.drops = 9
    }
    states.add("drops that are over, with a large buffer") { facts in
      facts.sockets = [PortSocket(.ipv4, inode: 1, drops: 5)]
      (facts.socketsLater, facts.limits.receiveBuffer) = (facts.sockets, 4 << 20)
    }
  }

  private func interfaces(_ states: inout States) {
    states.add("no interface") { ($0.interfaces, $0.links) = ([$0.interfaces[0]], []) }
    states.add("an interface that came just now") { $0.links = [] }
    states.add("an interface that is not there") { $0.request.interface = "eth7" }
    let two = [InterfaceFacts.Address(.ipv4(0x0A00_0005)), .init(.ipv6(high: 0xFE80 << 48, low: 5), isTentative: true)]
    for (title, flags, addresses) in [
      ("switched off", InterfaceFacts.Flags(), two), ("without multicast", [.up, .running], two),
      ("without a carrier", [.up, .multicast], two), ("with an address to be", [.up, .running, .multicast], [two[1]]),
      ("without an address", [.up, .running, .multicast], []),
    ] {
      let flags = flags.union(.broadcast)
      states.add("an interface \(title)") { facts in
        (facts.interfaces[1], facts.links) = (DoctorFacts.eth0(flags, addresses: addresses), [])
      }
      states.add("three interfaces \(title) beside one that works") { facts in
        facts.interfaces += (3...5).map {
          InterfaceFacts(index: $0, name: "eth\($0)", flags: flags, addresses: addresses)
        }
      }
    }
    states.add("no IPv6") { $0.hasIPv6 = false }
    states.add("no IPv6 on the interface") { $0.withoutIPv6 = ["eth0"] }
    states.add("no link-local address") { $0.interfaces[1] = DoctorFacts.eth0(addresses: [.init(.ipv4(0x0A00_0005))]) }
    states.add("a doubled IPv6 address") { facts in
      facts.interfaces[1].addresses.append(.init(.ipv6(high: 0xFD77 << 48, low: 9), isDuplicate: true))
    }
    states.add("doubled IPv4 addresses") { facts in
      facts.duplicates = [AddressConflict(interface: "eth0", address: .ipv4(0x0A00_0005), hardware: "02:00:00:00:00:09")]
      facts.links[0].duplicates = [.ipv4(0x0A00_0005), .ipv4(0x0A00_0007), .ipv4(0x0A00_0006)]
    }
    states.add("no route") { $0.routes = [Route(to: .ipv6(high: 0x2000 << 48, low: 0), prefixLength: 3, on: "eth0")] }
    states.add("a route that refuses") {
      $0.routes.append(Route(to: .ipv4(0xE000_0000), prefixLength: 4, on: "*", isRefusing: true))
    }
    states.add("a rule that refuses") { $0.groupRefusal = SystemError("connect", errno: EACCES) }
    states.add("all multicast, on many interfaces") { facts in
      for number in UInt32(3)...14 {
        let name = "eth\(number)"
        facts.interfaces.append(
          InterfaceFacts(
            index: number, name: name, flags: [.up, .running, .broadcast, .multicast, .allMulticast],
            addresses: [.init(.ipv4(0x0B00_0001)), .init(.ipv6(high: 0xFE80 << 48, low: 6))]))
        var link = LinkSurvey(interface: name, link: MulticastLink(interface: number, family: .ipv4))
        (link.isHeard, link.isTried) = (true, number % 2 == 0)
        facts.links.append(link)
      }
    }
    states.add("few memberships") { $0.limits.memberships = 1 }
    states.add("a refused membership, few files, an old clock") { facts in
      facts.links[0].refusal = SystemError("setsockopt", errno: ENOBUFS)
      (facts.limits.memberships, facts.limits.files) = (0, 63)
      (facts.clock.now, facts.clock.setBack) = (1_735_689_599, 11)
    }
    states.add("limits that are just enough") { facts in
      (facts.limits.files, facts.clock.now, facts.clock.setBack) = (64, 1_735_689_600, 10)
    }
  }

  private func links(_ states: inout States) {
    let refusal = SystemError("bind", errno: EACCES)
    for (title, families) in [("IPv4", [0]), ("IPv6", [1]), ("both families", [0, 1])] {
      states.add("nothing is heard over \(title)") { facts in
        for index in families { facts.links[index].outage = .notHeard(interface: "eth0") }
      }
      states.add("nothing can be sent over \(title), with a firewall") { facts in
        (facts.bus.hasFirewalld, facts.machine.hasUFW) = (true, true)
        facts.machine.missingTools = ["iptables-save"]
        for index in families { facts.links[index].outage = .cannotSend(interface: "eth0", reason: "Operation not permitted") }
      }
      states.add("nobody may listen over \(title), with ufw") { facts in
        facts.machine.hasUFW = true
        for index in families { facts.links[index].refusal = refusal }
      }
      states.add("another program has the port over \(title)") { facts in
        (facts.bus.daemon, facts.trial) = (.absent, nil)
        facts.sockets = [
          PortSocket(.ipv6, inode: 1, owner: .init(process: 9, name: "b")),
          PortSocket(.ipv4, inode: 2, owner: .init(process: 8, name: "a")),
        ]
        for index in families { facts.links[index].refusal = SystemError("bind", errno: EADDRINUSE) }
      }
    }
    states.add("firewalld drops what comes") { facts in
      facts.bus.hasFirewalld = true
      facts.links[0].outage = .notHeard(interface: "eth0")
    }
    states.add("nobody knows who has the port") { facts in
      (facts.sockets, facts.socketsLater, facts.areSocketsKnown) = ([], [], false)
      facts.links[0].refusal = SystemError("bind", errno: EADDRINUSE)
    }
    states.add("the daemon has the port alone") { $0.links[0].refusal = SystemError("bind", errno: EADDRINUSE) }
  }

  private func others(_ states: inout States) {
    states.add("a quarter is lost") { ($0.links[0].asked, $0.links[0].answered) = (8, 6) }
    states.add("more than a quarter is lost") { ($0.links[0].asked, $0.links[0].answered) = (8, 5) }
    states.add("too few to tell") { ($0.links[0].asked, $0.links[0].answered) = (7, 0) }
    states.add("a switch that drops multicast") { facts in
      (facts.links[0].others, facts.links[0].directAnswerers) = ([], [.ipv4(0x0A00_0009), .ipv4(0x0A00_0003)])
    }
    states.add("nobody answers") { facts in for index in facts.links.indices { facts.links[index].others = [] } }
    states.add("a container") { facts in
      facts.machine.container = "Docker"
      facts.interfaces[1] = DoctorFacts.eth0(kind: "veth")
      facts.links[0].others = [.ipv4(0x0A00_0001)]
    }
    states.add("a bridge") { facts in
      facts.interfaces[1] = DoctorFacts.eth0(kind: "veth")
      for index in facts.links.indices { facts.links[index].others = [] }
    }
    for (title, hosts) in [
      ("one host", [0x0A00_0105]), ("hosts near and far", [0x0A00_0105, 0x0A00_0002, 0x0B00_0001] as [UInt32]),
    ] {
      states.add("\(title) of another subnet") { facts in
        facts.links[0].others = Set(hosts.map(IPAddress.ipv4))
        facts.routes.removeAll { $0.gateway != nil }
      }
      states.add("\(title) of another subnet behind a router") { $0.links[0].others = Set(hosts.map(IPAddress.ipv4)) }
    }
    states.add("too long a prefix") { facts in
      facts.interfaces[1] = DoctorFacts.eth0(addresses: [.init(.ipv4(0x0A00_0005), prefixLength: 32)])
      facts.routes.removeAll { $0.gateway != nil }
    }
    for count in [1, 2] {
      states.add("the filter drops \(count)") { facts in
        (facts.reversePathDrops, facts.links[0].others) = (count, [])
        if count == 2 { facts.links[1].others = [] }
      }
    }
    states.add("a reflector") { $0.links[0].repeaters = [DoctorFacts.neighbour, .ipv4(0x0A00_0001)] }
    states.add("a reflector, as it seems") { facts in
      facts.links[0].carriers = [DoctorFacts.neighbour: [DNSName(literalText: "a.local"), DNSName(literalText: "b.local")]]
    }
  }

  private func names(_ states: inout States) {
    for name in ["ada", "ada-1", "ada-2", "Ada-2", "ada-x", "eve"] {
      states.add("the daemon says \(name)") { facts in
        facts.bus.daemon = .answers(.init(version: "avahi 0.8", hostName: "\(name).local", state: 2))
      }
    }
    for name in ["", "localhost", "(none)"] {
      states.add("the machine is called '\(name)'") { facts in
        (facts.machine.hostName, facts.machine.hasSystemd) = (name, false)
      }
    }
    states.add("others have the name") { facts in
      let name = facts.hostNames[0]
      facts.links[0].foreignAnswers = [
        ForeignAnswer(name: name, address: .ipv4(9), source: .ipv4(9)),
        ForeignAnswer(name: name, address: .ipv4(8), source: .ipv4(9)),
        ForeignAnswer(name: name, address: DoctorFacts.neighbour6, source: .ipv4(9)),
      ]
    }
    states.add("another has both names, over IPv6") { facts in
      facts.bus.daemon = .answers(.init(version: "avahi 0.8", hostName: "ada-2.local", state: 2))
      facts.links[0].foreignAnswers = Set(
        facts.hostNames.map { ForeignAnswer(name: $0, address: DoctorFacts.neighbour6, source: .ipv4(9)) })
    }
    states.add("no tools") { facts in
      facts.machine.missingTools = Set(Machine.usedTools)
      (facts.withoutIPv6, facts.links[0].outage) = (["eth0"], .notHeard(interface: "eth0"))
      facts.unseen = ["the sockets: not permitted"]
    }
  }
}

extension DNSName {
  fileprivate init(literalText text: String) { self = try! DNSName(text) }
}
