import Foundation
import Testing

extension TalkingOnALAN {
  /// `bonjourish doctor`: faults made on purpose are named, and healthy hosts have none.
  @Suite("Doctor")
  struct DoctorTests {
    /// A fault of a host.
    enum Fault: String, CaseIterable {
      case daemonStopped, daemonPaused, daemonMissed, busMissing, busHung
      case interfaceDown, noCarrier, noAddress, multicastOff, interfaceGone
      case noRoute, blackhole, droppedOutput, droppedInput, noIPv6
      case portHeld, bridge, sameName, memberships, drops, clockSetBack

      /// What the doctor finds beside notes.
      var identifiers: Set<String> {
        switch self {
        case .daemonStopped, .daemonMissed: ["avahi-not-running"]
        case .daemonPaused: ["avahi-hung"]
        case .busMissing: ["bus-missing"]
        case .busHung: ["bus-hung"]
        case .interfaceDown: ["interface-down"]
        case .noCarrier: ["no-carrier"]
        case .noAddress: ["no-address"]
        case .multicastOff: ["no-multicast-flag"]
        case .interfaceGone: ["no-interface"]
        case .noRoute: ["no-multicast-route"]
        case .blackhole: ["multicast-route-blocked"]
        case .droppedOutput: ["sending-refused"]
        case .droppedInput: ["multicast-not-heard"]
        case .noIPv6: []
        case .portHeld: ["port-held-alone"]
        case .bridge: ["multicast-not-forwarded"]
        case .sameName: ["host-renamed", "host-name-taken"]
        case .memberships: ["membership-limit"]
        case .drops: ["receive-buffer-drops"]
        // bonjourishd's timers do not use the clock.
        case .clockSetBack: LAN.daemon == "avahi-daemon" ? ["clock-set-back"] : []
        }
      }

      /// Whether discovery does not work.
      var isProblem: Bool {
        switch self {
        case .daemonMissed, .interfaceDown, .noCarrier, .noAddress, .multicastOff, .interfaceGone, .droppedOutput,
          .droppedInput,
          .portHeld, .bridge:
          true
        case .daemonStopped, .daemonPaused, .busMissing, .busHung, .noRoute, .blackhole, .noIPv6, .sameName, .memberships,
          .drops, .clockSetBack:
          false
        }
      }

      var backend: String {
        switch self {
        case .daemonMissed: "avahi"
        case .portHeld: "builtin"
        default: "auto"
        }
      }

      func arise(on host: Lab.Host, in lab: Lab) async throws {
        func carryOut(_ script: String) async throws {
          #expect(try await lab.start("bash", "-ec", script, on: host).exitCode() == 0)
        }
        func drop(_ hook: String) async throws {
          try await carryOut(
            "nft 'add table inet wall; add chain inet wall c { type filter hook \(hook) priority 0; }; "
              + "add rule inet wall c udp dport 5353 drop'")
        }
        switch self {
        case .daemonStopped, .daemonMissed: try await lab.daemon(.stop, on: host)
        case .daemonPaused: try await lab.daemon(.pause, on: host)
        case .busMissing: try await carryOut("rm /run/dbus/system_bus_socket")
        case .busHung: try await carryOut("kill -STOP $(cat /run/lan/\(host)/bus.pid)")
        case .interfaceDown: try await carryOut("ip link set eth0 down")
        case .noCarrier: try await lab.link(isUp: false, of: host)
        case .noAddress: try await carryOut("ip address flush dev eth0")
        case .multicastOff: try await carryOut("ip link set eth0 multicast off")
        case .interfaceGone: try await lab.link(.remove, of: host)
        case .noRoute: try await carryOut("ip route del 224.0.0.0/4")
        case .blackhole: try await carryOut("ip route del 224.0.0.0/4; ip route add blackhole 224.0.0.0/4")
        case .droppedOutput: try await drop("output")
        case .droppedInput: try await drop("input")
        case .noIPv6: try await carryOut("echo 1 >/proc/sys/net/ipv6/conf/eth0/disable_ipv6")
        case .portHeld:
          try await lab.daemon(.stop, on: host)
          try await lab.start(LAN.peer("deaf") + ["alone"], on: host).line { $0 == "ready" }
        case .bridge:
          // The hosts know each other, and the switch keeps multicast from this one.
          try await carryOut("echo >/dev/udp/\(Lab.Host.h1.address)/9")
          try await lab.control("bridge", "link", "set", "dev", "\(host)", "mcast_flood", "off")
        case .sameName:
          try await carryOut("hostname h1")
          try await lab.daemon(.restart, on: host)
        case .memberships: try await carryOut("echo 0 >/proc/sys/net/ipv4/igmp_max_memberships")
        // As if the file had been written when the clock was an hour ahead.
        case .clockSetBack: try await carryOut("touch -d '1 hour' /run/avahi-daemon/pid")
        case .drops: try await lab.start(LAN.peer("deaf") + ["shared"], on: host).line { $0 == "ready" }
        }
      }
    }

    @Test func `each fault is named, and nothing else`() async throws {
      try await withLab(hosts: Fault.allCases.count + 2) { lab in
        try await publish(on: [.h1, .h2], in: lab)
        let places = Fault.allCases.enumerated().map { (fault: $1, host: Lab.Host(number: $0 + 3)) }
        try await withThrowingTaskGroup { group in
          for (fault, host) in places { group.addTask { try await fault.arise(on: host, in: lab) } }
          try await group.waitForAll()
        }
        // A few at a time: each has five seconds.
        for start in stride(from: 0, to: places.count, by: 5) {
          let some = try places[start..<min(start + 5, places.count)].map { fault, host in
            (fault, try lab.start(LAN.program("bonjourish"), "doctor", "--json", "--backend", fault.backend, on: host))
          }
          for (fault, doctor) in some {
            #expect(try await doctor.exitCode() == (fault.isProblem ? 1 : 0), "\(fault)")
            #expect(doctor.identifiers(but: "information") == fault.identifiers, "\(fault)")
            let summary = try #require(doctor.events("summary").first, "\(fault)")
            #expect(summary["works"] == .bool(!fault.isProblem), "\(fault)")
            #expect(summary["seconds"]?.number.map { $0 < 5 } == true, "\(fault)")
            if fault == .noIPv6 { #expect(doctor.identifiers().contains("ipv6-disabled")) }
          }
        }
      }
    }

    /// Some of the networks of `make doctor-networks`, of several kinds; of lost packets, which a doctor sees differs from run to run.
    @Test func `the cause is named first in networks that are broken in several ways`() async throws {
      let names = [
        "nft-ipv4-alone", "prohibit-rule", "use-ipv4-no", "wrong-subnet", "prefix-32", "same-ipv4", "bus-hangs",
      ]
      let programs = URL(filePath: LAN.program("bonjourish")).deletingLastPathComponent().path
      let script = LAN.script.deletingLastPathComponent().appending(path: "Doctor/networks.py").path
      let networks = try Program(
        title: "networks", running: "/usr/bin/python3",
        ["-B", script, programs, "--only", names.joined(separator: ","), "--at-once", "4"])
      let code = try await networks.exitCode(within: .seconds(300))
      #expect(code == 0, "\(networks.transcript)")
    }

    @Test(arguments: Backend.allCases)
    func `healthy hosts have no finding`(_ backend: Backend) async throws {
      try await withLab(daemons: backend == .avahi, backend: backend) { lab in
        if backend == .avahi {
          try await publish(on: [.h1, .h2], in: lab)
        } else {
          for host in [Lab.Host.h1, .h2] {
            try await lab.bonjourish("publish", "\(host)", "_http._tcp", "80", "--json", on: host).event("published")
          }
        }
        for _ in 0..<2 {
          for doctor in try [Lab.Host.h1, .h2, .h3].map({ try lab.bonjourish("doctor", "--json", on: $0) }) {
            #expect(try await doctor.exitCode() == 0)
            #expect(doctor.identifiers(but: "information") == [])
            #expect(try #require(doctor.events("summary").first)["verdict"] == "works")
          }
        }
      }
    }

    @Test func `people read what was found, and what to do`() async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        try await lab.link(isUp: false, of: .h1)
        let doctor = try lab.start(LAN.program("bonjourish"), "doctor", "--backend", "builtin", on: .h1)
        #expect(try await doctor.exitCode() == 1)
        #expect(doctor.outputLines.first == "problem      eth0 has no carrier [no-carrier]")
        #expect(doctor.errorLines == ["bonjourish: discovery does not work here: 1 problem"])
      }
    }

    @Test func `a container's network is told with its remedies`() async throws {
      try await withLab(hosts: 2) { lab in
        try await publish(on: [.h1, .h2], in: lab)
        let behindBridge = try lab.bonjourish("doctor", "--json", inContainer: .bridge, of: .h1)
        let host = try lab.bonjourish("doctor", "--json", on: .h1)
        let own = try lab.bonjourish("doctor", "--json", inContainer: .macvlan, of: .h2)
        let bus = try lab.bonjourish("doctor", "--json", inContainer: .bus, of: .h2)
        for doctor in [behindBridge, host, own, bus] { #expect(try await doctor.exitCode() == 0) }
        let network = try #require(behindBridge.events("finding").first { $0["id"] == "container-network" })
        #expect(network["remedies"]?.array?.count == 3)
        // Its bridge, which nobody answers from, is none of the host's networks.
        #expect(host.identifiers() == [])
        #expect(!own.identifiers().contains("container-network"))
        #expect(bus.identifiers() == [])
      }
    }

    /// Publishes a service on each host, so that there is an answer.
    private func publish(on hosts: [Lab.Host], in lab: Lab) async throws {
      for host in hosts {
        let publisher = try lab.start("avahi-publish", "-s", "\(host)'s", "_http._tcp", "80", on: host)
        try await publisher.errorLine { $0.contains("Established") }
      }
    }
  }
}

extension Program {
  /// The identifiers of what `doctor --json` found, without those of a severity.
  fileprivate func identifiers(but severity: String? = nil) -> Set<String> {
    Set(events("finding").filter { $0["severity"]?.string != severity }.compactMap { $0["id"]?.string })
  }
}
