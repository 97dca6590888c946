import Testing
import _BonjourishDiscovery
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

@testable import _BonjourishDoctor

/// What follows from the facts about the daemon and the interfaces.
@Suite struct FindingsTests {
  @Test func `a healthy machine has no findings`() {
    let report = DoctorFacts.healthy().report
    #expect(report.findings.isEmpty && report.isHealthy && report.unseen.isEmpty)
    #expect(
      report.healthy == [
        "avahi-daemon answers (avahi 0.8, ada.local)", "port 5353 can be used, shared with avahi-daemon (process 12)",
        "eth0: multicast comes back over IPv4 and IPv6; 2 other addresses were heard",
      ])
  }

  @Test func `bonjourishd in place of avahi-daemon is called by its name`() {
    func change(_ change: (inout DoctorFacts) -> Void = { _ in }) -> Report {
      var facts = DoctorFacts.healthy()
      facts.bus.daemon = .answers(.init(version: "bonjourish 0.1.0", hostName: "ada.local", state: 2))
      facts.sockets = [PortSocket(.ipv4, inode: 1, owner: .init(process: 12, name: "bonjourishd"))]
      facts.socketsLater = facts.sockets
      change(&facts)
      return facts.report
    }
    #expect(change().isHealthy && change().findings.isEmpty)
    #expect(change().healthy[0] == "bonjourishd answers (bonjourish 0.1.0, ada.local)")
    // Its timers do not use the clock.
    #expect(change { $0.clock.setBack = 3_600 }.findings.isEmpty)
    #expect(findings { $0.clock.setBack = 3_600 } == ["warning clock-set-back"])
    let hung = change { $0.bus.daemon = .hung }.findings
    #expect(hung.first?.seen == "bonjourishd does not answer within a second")
    #expect(hung.first?.remedies == [.command("systemctl restart bonjourishd")])
    let absent = change { $0.bus.daemon = .absent }.findings
    #expect(absent.first?.seen == "bonjourishd (process 12) runs, and is not on the system bus")
  }

  @Test func `a daemon that does not do what it is asked is told`() {
    func change(_ families: [IPAddress.Family], heard: Set<UInt32> = [2], _ configuration: String = "") -> [String] {
      findings { facts in
        facts.bus.configuration = DaemonConfiguration(configuration)
        facts.trial = DaemonTrial.Result(interfaces: heard)
        for index in facts.links.indices { facts.links[index].isTried = families.contains(facts.links[index].link.family) }
      }
    }
    #expect(change([.ipv4, .ipv6]) == [])
    #expect(change([.ipv6]) == ["warning avahi-silent"])
    #expect(change([.ipv4]) == ["information avahi-silent"])
    #expect(change([]) == ["problem avahi-silent"])
    #expect(change([.ipv6], "[server]\nuse-ipv4=no\n") == ["warning avahi-family"])
    #expect(change([.ipv4, .ipv6], heard: [3]) == ["problem avahi-deaf"])
    // The configuration that leaves the interface out is the finding.
    #expect(change([], "[server]\ndeny-interfaces=eth0\n") == ["problem avahi-interfaces"])
    #expect(findings { $0.trial = nil } == [])
  }

  @Test func `discovery is said to work only where the backend that is used has reached others`() {
    func trial(_ backend: DoctorRequest.Backend, _ change: (inout DoctorFacts) -> Void = { _ in }) -> Report.Trial {
      var facts = DoctorFacts.healthy()
      facts.request.backend = backend
      change(&facts)
      return facts.report.trial
    }
    func isUntried(_ trial: Report.Trial) -> Bool { if case .none = trial { true } else { false } }
    for backend in [DoctorRequest.Backend.auto, .avahi, .builtin] {
      #expect(trial(backend) == .others)
      #expect(trial(backend) { facts in for index in facts.links.indices { facts.links[index].others = [] } } == .alone)
    }
    // Others are heard, and not by the daemon.
    #expect(isUntried(trial(.auto) { $0.trial = nil }))
    #expect(isUntried(trial(.avahi) { $0.trial = DaemonTrial.Result() }))
    #expect(isUntried(trial(.avahi) { ($0.sockets, $0.socketsLater) = ([], []) }))
    #expect(trial(.builtin) { $0.trial = nil } == .others)
    #expect(trial(.builtin) { ($0.links[0].asked, $0.links[0].answered) = (10, 3) } == .unsteady)
    #expect(trial(.auto) { ($0.bus.daemon, $0.trial) = (.absent, nil) } == .others)
  }

  @Test func `what cannot be typed as it is printed is an example`() {
    func remedies(_ change: (inout DoctorFacts) -> Void) -> [Finding.Remedy] {
      var facts = DoctorFacts.healthy()
      change(&facts)
      return facts.report.findings.flatMap(\.remedies)
    }
    let command = "sysctl -w net/ipv6/conf/eth0/disable_ipv6=0"
    #expect(remedies { $0.withoutIPv6 = ["eth0"] } == [.command(command)])
    #expect(
      remedies { facts in
        facts.withoutIPv6 = ["eth0"]
        facts.machine.missingTools = ["sysctl"]
      } == [.example(command)])
    #expect(
      remedies { facts in
        facts.machine.hasSystemd = false
        facts.bus.daemon = .hung
      } == [.example("avahi-daemon --kill; avahi-daemon --daemonize")])
    #expect(
      remedies { facts in
        (facts.machine.hasSystemd, facts.machine.scripts) = (false, ["avahi-daemon"])
        facts.bus.daemon = .hung
      } == [.command("/etc/init.d/avahi-daemon restart")])
    let replaced = /\b[A-Z]{3,}\b/
    for remedy in remedies({ facts in
      facts.links[0].foreignAnswers = [ForeignAnswer(name: facts.hostNames[0], address: .ipv4(9), source: .ipv4(9))]
      facts.interfaces.append(DoctorFacts.eth0(addresses: []))
      facts.links[1] = DoctorFacts.link(.ipv6) { ($0.isHeard, $0.directAnswerers) = (true, [.ipv4(9)]) }
    }) {
      if case .command(let command) = remedy { #expect(command.firstMatch(of: replaced) == nil) }
    }
  }

  @Test(arguments: [DoctorRequest.Backend.auto, .avahi])
  func `the daemon is a problem only where it has to be used`(_ backend: DoctorRequest.Backend) {
    let severity = backend == .avahi ? "problem" : "warning"
    func change(_ state: BusFacts.State = .reachable, _ daemon: BusFacts.Daemon = .absent) -> [String] {
      findings {
        $0.request.backend = backend
        $0.bus.state = state
        $0.bus.daemon = daemon
      }
    }
    #expect(change() == ["\(severity) avahi-not-on-bus"])
    #expect(
      findings {
        $0.request.backend = backend
        $0.bus.daemon = .absent
        $0.sockets = []
        $0.socketsLater = []
      } == ["\(severity) avahi-not-running"])
    #expect(change(.failed(reason: "no")) == ["\(severity) bus-unusable"])
    #expect(change(.reachable, .hung) == ["\(severity) avahi-hung"])
    #expect(change(.reachable, .denied(reason: "no")) == ["\(severity) avahi-denied"])
    #expect(change(.missing(path: "/a")) == ["\(severity) bus-missing"])
    #expect(change(.notRunning(path: "/a")) == ["\(severity) bus-not-running"])
    #expect(change(.denied(reason: "no")) == ["\(severity) bus-denied"])
    #expect(change(.hung) == ["\(severity) bus-hung"])
    #expect(change(.limitReached(reason: "no")) == ["\(severity) bus-limit"])
  }

  @Test func `neither bus nor daemon is missed where none is installed or wanted`() {
    #expect(
      findings {
        $0.machine.hasAvahi = false
        $0.bus.state = .missing(path: "/a")
      } == ["information bus-missing"])
    #expect(
      findings {
        $0.machine.hasAvahi = false
        $0.bus.daemon = .absent
        $0.sockets = []
      } == ["information avahi-not-installed"])
    #expect(
      findings {
        $0.request.backend = .builtin
        $0.bus.daemon = .hung
      } == [])
  }

  @Test func `a daemon's troubles are told`() {
    func change(state: Int = 2, refusal: String? = nil) -> [String] {
      findings { $0.bus.daemon = .answers(.init(version: "", hostName: "ada.local", state: state, refusal: refusal)) }
    }
    #expect(change(state: 1) == ["warning avahi-not-ready"])
    #expect(change(state: 4) == ["warning avahi-not-ready"])
    #expect(change(refusal: "Too many objects") == ["warning avahi-limit"])
    #expect(findings { $0.bus.configuration.denied = ["eth0"] } == ["problem avahi-interfaces"])
    #expect(findings { $0.bus.configuration.allowed = ["eth0"] } == [])
    #expect(
      findings {
        $0.bus.configuration.allowed = ["eth0"]
        $0.interfaces.append(
          InterfaceFacts(index: 3, name: "eth1", flags: $0.interfaces[1].flags, addresses: $0.interfaces[1].addresses))
        $0.routes.append(Route(to: .ipv6(high: 0xFF00 << 48, low: 0), prefixLength: 8, on: "eth1"))
      } == ["information avahi-interfaces"])
  }

  @Test func `a daemon in another network makes this one irrelevant`() {
    func change(_ backend: DoctorRequest.Backend) -> [String] {
      findings { facts in
        facts.request.backend = backend
        facts.machine.container = "Docker"
        facts.sockets = []
        facts.interfaces = [facts.interfaces[0]]
        facts.links = []
      }
    }
    #expect(change(.auto) == [] && change(.avahi) == [])
    #expect(change(.builtin) == ["problem no-interface"])
  }

  // MARK: - Interfaces

  private func obstacles(of interface: InterfaceFacts?) -> [String] {
    findings { facts in
      facts.interfaces = [facts.interfaces[0]] + (interface.map { [$0] } ?? [])
      facts.links = []
    }
  }

  @Test func `an interface that cannot be used is told with the reason`() {
    #expect(obstacles(of: nil) == ["problem no-interface"])
    #expect(obstacles(of: DoctorFacts.eth0([.broadcast, .multicast])) == ["problem interface-down"])
    #expect(obstacles(of: DoctorFacts.eth0([.up, .broadcast, .multicast])) == ["problem no-carrier"])
    #expect(obstacles(of: DoctorFacts.eth0([.up, .running, .broadcast])) == ["problem no-multicast-flag"])
    #expect(obstacles(of: DoctorFacts.eth0(addresses: [])) == ["problem no-address"])
    let tentative = InterfaceFacts.Address(.ipv6(high: 0xFE80 << 48, low: 5), isTentative: true)
    #expect(obstacles(of: DoctorFacts.eth0(addresses: [tentative])) == ["problem no-address"])
  }

  @Test func `an interface that is not plugged in does not matter beside one that works`() {
    func second(_ flags: InterfaceFacts.Flags, _ name: String = "eth1") -> [String] {
      findings { $0.interfaces.append(InterfaceFacts(index: 3, name: name, flags: flags)) }
    }
    #expect(second([.broadcast, .multicast]) == ["information interface-down"])
    #expect(second([.up, .running, .broadcast]) == ["warning no-multicast-flag"])
    // Insides of containers, tunnels.
    #expect(second([.broadcast, .multicast], "docker0") == [])
    #expect(second([.up, .running, .pointToPoint], "wg0") == [])
  }

  @Test func `a named interface must be there and work`() {
    #expect(findings { $0.request.interface = "wlan0" } == ["problem interface-missing"])
    #expect(findings { $0.request.interface = "eth0" } == [])
    #expect(findings { $0.request.interface = "lo" } == [])
  }

  @Test func `what is missing of IPv6 is told`() {
    #expect(findings { $0.hasIPv6 = false } == ["information ipv6-disabled"])
    #expect(findings { $0.withoutIPv6 = ["eth0"] } == ["information ipv6-disabled"])
    #expect(findings { $0.interfaces[1].addresses.removeLast() } == ["warning ipv6-no-link-local"])
    #expect(
      findings {
        $0.interfaces[1].addresses.append(.init(.ipv6(high: 0x2001 << 48, low: 5), isDuplicate: true))
      } == ["warning ipv6-duplicate-address"])
  }
}
