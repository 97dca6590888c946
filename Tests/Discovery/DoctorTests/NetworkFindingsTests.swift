import Foundation
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

@testable import _BonjourishDoctor

/// What follows from the facts about the network, names and limits.
@Suite struct NetworkFindingsTests {
  @Test func `missing and refusing routes are told`() {
    #expect(findings { $0.routes.remove(at: 0) } == ["warning no-multicast-route"])
    #expect(findings { $0.routes.remove(at: 1) } == [])
    #expect(
      findings {
        $0.routes[1] = Route(to: .ipv6(high: 0xFE80 << 48, low: 0), prefixLength: 64, on: "eth0")
      } == ["warning no-multicast-route"])
    #expect(
      findings {
        $0.routes.append(Route(to: .ipv4(0xE000_0000), prefixLength: 4, on: "*", isRefusing: true))
      } == ["warning multicast-route-blocked"])
  }

  @Test(arguments: [(7, false), (8, true), (16, true), (17, false)])
  func `a route leads to the IPv6 group if it is one for multicast`(_ length: Int, _ isOne: Bool) {
    // The group is ff02::fb.
    let found = findings { facts in
      facts.routes[1] = Route(to: .ipv6(high: 0xFF02_8000 << 32, low: 0), prefixLength: length, on: "eth0")
    }
    #expect(found == (isOne ? [] : ["warning no-multicast-route"]))
  }

  @Test(arguments: [0, 1, 2, 3, 12, 13])
  func `a long list is cut`(_ count: Int) {
    let words = (0..<count).map(String.init)
    let expected = [
      0: "", 1: "0", 2: "0 and 1", 3: "0, 1 and 2", 12: "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 11",
      13: "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more",
    ]
    #expect(DoctorFacts.list(words) == expected[count])
  }

  @Test func `what is not sent or not heard is a problem if no link works`() {
    let refused = NetworkOutage.cannotSend(interface: "eth0", reason: "sendmsg: Operation not permitted")
    func change(_ outages: [NetworkOutage?]) -> [String] {
      findings { facts in
        facts.links = zip(IPAddress.Family.allCases, outages).map { family, outage in
          DoctorFacts.link(family) { ($0.isHeard, $0.outage, $0.others) = (outage == nil, outage, [DoctorFacts.neighbour]) }
        }
      }
    }
    #expect(change([refused, refused]) == ["problem sending-refused"])
    #expect(change([.notHeard(interface: "eth0"), .notHeard(interface: "eth0")]) == ["problem multicast-not-heard"])
    #expect(change([nil, .notHeard(interface: "eth0")]) == ["warning multicast-not-heard"])
  }

  @Test func `a firewall's own commands are named`() {
    func remedies(_ change: (inout DoctorFacts) -> Void) -> [Finding.Remedy] {
      var facts = DoctorFacts.healthy()
      facts.links = [DoctorFacts.link(.ipv4) { $0.outage = .notHeard(interface: "eth0") }]
      change(&facts)
      return facts.report.findings.first?.remedies ?? []
    }
    #expect(remedies { $0.bus.hasFirewalld = true }.contains(.command("firewall-cmd --reload")))
    #expect(remedies { $0.machine.hasUFW = true } == [.command("ufw allow 5353/udp")])
    #expect(remedies { _ in }.contains(.command("nft list ruleset")))
  }

  @Test func `a host that answers only by unicast shows that multicast is not passed on`() {
    func change(_ others: Set<IPAddress>) -> [String] {
      findings { facts in
        facts.links = [DoctorFacts.link(.ipv4) { ($0.isHeard, $0.others, $0.directAnswerers) = (true, others, [.ipv4(9)]) }]
      }
    }
    #expect(change([]) == ["problem multicast-not-forwarded"])
    #expect(change([DoctorFacts.neighbour]) == [])
  }

  @Test func `that nobody answers is a warning only in a container's network`() {
    func alone(_ kind: String?, container: String? = nil, others: Set<IPAddress> = []) -> [String] {
      findings { facts in
        facts.machine.container = container
        facts.interfaces[1] = DoctorFacts.eth0(kind: kind)
        facts.links = [DoctorFacts.link(.ipv4) { ($0.isHeard, $0.others) = (true, others) }]
      }
    }
    #expect(alone(nil) == ["information nobody-answers"])
    #expect(alone("veth") == ["warning container-network"])
    // The container's host, which is its router, answers on the bridge; then another host.
    #expect(alone("veth", others: [.ipv4(0x0A00_0001)]) == ["warning container-network"])
    #expect(alone("veth", others: [.ipv4(0x0A00_0001), .ipv4(0x0A00_0002)]) == [])
    #expect(alone("tun", container: "Podman") == ["warning container-network"])
    #expect(alone("macvlan", container: "Docker") == ["information nobody-answers"])
  }

  @Test func `a network namespace without a router is no container's`() {
    for container in [nil, "Docker"] {
      let found = findings { facts in
        facts.machine.container = container
        facts.interfaces[1] = DoctorFacts.eth0(kind: "veth")
        facts.routes = [Route(to: .ipv4(0), prefixLength: 0, on: "eth0")] + facts.routes.filter { $0.gateway == nil }
        facts.links = [DoctorFacts.link(.ipv4) { $0.isHeard = true }]
      }
      #expect(found == ["information nobody-answers"])
    }
  }

  @Test func `only what may be a container's network is examined as one`() {
    func isSuspected(_ kind: String?, _ change: (inout DoctorFacts) -> Void = { _ in }) -> Bool {
      var facts = DoctorFacts.healthy()
      facts.interfaces[1] = DoctorFacts.eth0(kind: kind)
      facts.request.backend = .builtin
      facts.sockets = []
      change(&facts)
      return facts.mayBeBehindBridge
    }
    #expect(isSuspected("veth"))
    #expect(!isSuspected(nil))
    #expect(!isSuspected("veth") { $0.interfaces.remove(at: 1) })
    #expect(!isSuspected("veth") { $0.routes.removeAll { $0.gateway != nil } })
    #expect(isSuspected("tun") { $0.machine.container = "Podman" })
    #expect(!isSuspected("tun"))
    // Nobody here has the port: the daemon that answers is the host's, whose network this is not.
    #expect(!isSuspected("veth") { $0.request.backend = .avahi })
    #expect(
      isSuspected("veth") { facts in
        facts.request.backend = .avahi
        facts.sockets = [PortSocket(.ipv4, inode: 1, owner: .init(process: 12, name: "avahi-daemon"))]
      })
  }

  @Test func `a rule that refuses multicast is told`() {
    func change(_ errno: Int32) -> [String] { findings { $0.groupRefusal = SystemError("connect", errno: errno) } }
    #expect(change(13) == ["warning multicast-route-blocked"])
    // Without any route, the want of a route is the finding.
    #expect(change(101) == [])
  }

  @Test func `what is nearer to the wire comes first among equals`() {
    let found = findings { facts in
      (facts.bus.daemon, facts.trial) = (.absent, nil)
      (facts.sockets, facts.socketsLater) = ([], [])
      facts.clock.now = 0
      facts.links[0] = DoctorFacts.link(.ipv4) { $0.outage = .notHeard(interface: "eth0") }
    }
    #expect(found == ["warning multicast-not-heard", "warning avahi-not-running", "warning clock-in-the-past"])
    // The daemon quarrels about the name because it publishes the address.
    let duplicate = findings { facts in
      facts.bus.daemon = .answers(.init(version: "avahi 0.8", hostName: "ada-2.local", state: 1))
      facts.interfaces[1] = DoctorFacts.eth0(addresses: [
        .init(.ipv4(0x0A00_0005)), .init(.ipv6(high: 0xFE80 << 48, low: 5)),
        .init(.ipv6(high: 0xFD77 << 48, low: 9), isDuplicate: true),
      ])
    }
    #expect(duplicate == ["warning ipv6-duplicate-address", "warning avahi-not-ready", "warning host-renamed"])
  }

  // MARK: - The rest

  @Test func `a port that is not shared is a problem unless the daemon has it`() {
    func held(_ families: [IPAddress.Family], daemon: Bool = false) -> [String] {
      findings { facts in
        if !daemon { (facts.bus.daemon, facts.sockets) = (.absent, []) }
        facts.machine.hasAvahi = false
        for index in facts.links.indices where families.contains(facts.links[index].link.family) {
          facts.links[index] = DoctorFacts.link(facts.links[index].link.family) { $0.refusal = SystemError("bind", errno: 98) }
        }
      }
    }
    #expect(held([.ipv4, .ipv6]) == ["problem port-held-alone", "information avahi-not-installed"])
    #expect(held([.ipv4]) == ["warning port-held-alone", "information avahi-not-installed"])
    #expect(held([.ipv4, .ipv6], daemon: true) == ["information port-held-alone"])
  }

  @Test func `drops are a warning while they go on`() {
    func drops(_ former: Int, _ later: Int) -> [String] {
      findings {
        $0.sockets = [PortSocket(.ipv4, inode: 1, drops: former)]
        $0.socketsLater = [PortSocket(.ipv4, inode: 1, drops: later)]
      }
    }
    #expect(drops(0, 0) == [])
    #expect(drops(5, 5) == ["information receive-buffer-drops"])
    #expect(drops(5, 6) == ["warning receive-buffer-drops"])
  }

  @Test func `another responder of the machine is told`() {
    #expect(
      findings {
        $0.sockets.append(PortSocket(.ipv4, inode: 2, owner: .init(process: 3, name: "systemd-resolve")))
      } == ["information other-responder"])
  }

  @Test func `conflicts of the host's name are told`() throws {
    let name = try DNSName("ada.local")
    let answer = ForeignAnswer(name: name, address: .ipv4(9), source: .ipv4(9))
    #expect(findings { $0.links[0].foreignAnswers = [answer] } == ["warning host-name-taken"])
    #expect(
      findings {
        $0.bus.daemon = .answers(.init(version: "", hostName: "ada-2.local", state: 2))
      } == ["warning host-renamed"])
    #expect(
      findings {
        $0.bus.daemon = .answers(.init(version: "", hostName: "ada-lovelace.local", state: 2))
      } == [])
    #expect(findings { $0.machine.hostName = "localhost" } == ["information host-name-generic"])
  }

  @Test func `limits are told when they are near`() {
    func memberships(_ limit: Int, backend: DoctorRequest.Backend = .auto) -> [String] {
      findings { facts in
        facts.request.backend = backend
        facts.limits.memberships = limit
        facts.links = (0..<5).map { _ in DoctorFacts.link(.ipv4) { ($0.isHeard, $0.others) = (true, [DoctorFacts.neighbour]) } }
      }
    }
    #expect(memberships(20) == [])
    #expect(memberships(7) == [] && memberships(6) == ["information membership-limit"])
    #expect(memberships(4) == ["warning membership-limit"])
    #expect(memberships(4, backend: .builtin) == ["information membership-limit"])
    #expect(findings { $0.limits.files = 20 } == ["warning file-limit"])
    #expect(
      findings { facts in
        facts.links = [DoctorFacts.link(.ipv4) { $0.refusal = SystemError("setsockopt", errno: 105) }]
        facts.limits.memberships = 0
      } == ["problem membership-limit"])
  }

  @Test func `a clock that was set back, or is years late, is told`() {
    #expect(findings { $0.clock.setBack = 3_600 } == ["warning clock-set-back"])
    #expect(findings { $0.clock.setBack = -3_600 } == [])
    #expect(findings { $0.clock.now = 1_000_000 } == ["warning clock-in-the-past"])
  }

  @Test func `every finding is explained in the documentation`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let page = root.appending(path: "Sources/Discovery/Bonjourish/Bonjourish.docc/WhatDoctorFinds.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
    #expect(
      rows.map { String($0.dropFirst(3).prefix { $0 != "`" }) }.sorted() == Finding.Identifier.allCases.map(\.rawValue).sorted()
    )
  }

  @Test func `the worst finding comes first`() {
    let severities = findings {
      $0.clock.now = 0
      $0.hasIPv6 = false
      $0.links = [DoctorFacts.link(.ipv4) { $0.outage = .notHeard(interface: "eth0") }]
    }.map { $0.prefix { $0 != " " } }
    #expect(severities == ["problem", "warning", "information"])
  }
}
