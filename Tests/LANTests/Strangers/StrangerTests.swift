import CBonjourishLinux
import Foundation
import TestSupport
import Testing

extension StrangersOnALAN {
  /// A stranger who answers for others. Discovery is a hint: what they say leads nobody astray, and the honest go on.
  struct StrangerTests {
    private func forger(_ arguments: String..., in lab: Lab, on host: Lab.Host = .h3) async throws -> Program {
      let forger = try lab.start(LAN.peer("forger") + arguments, on: host)
      try await forger.event("forging")
      return forger
    }

    /// Counts the attempts to connect that arrive at an address of a host.
    private func counter(_ interface: String, _ address: String, in lab: Lab, on host: Lab.Host) async throws -> Program {
      let counter = try lab.start(LAN.peer("counter") + [interface, address], on: host)
      try await counter.event("counting")
      return counter
    }

    /// All attempts until now, and the most in ten seconds.
    private func attempts(_ counter: Program) async throws -> (all: Int, inTenSeconds: Int) {
      // What has arrived by now is told in a second. Those that were told before are taken first.
      let told = counter.events("attempts").count
      repeat { try await counter.event("attempts") } while counter.events("attempts").count < told + 2
      let seconds = counter.events("attempts").compactMap { $0["second"]?.number.map { Int($0) } }
      let sums = seconds.indices.map { seconds[$0..<min($0 + 10, seconds.count)].reduce(0, +) }
      return (seconds.reduce(0, +), sums.max() ?? 0)
    }

    @Test(arguments: Backend.allCases) func `an answer with the loopback address leads nobody into a service of this machine`(
      backend: Backend
    ) async throws {
      try await withLab(backend: backend) { lab in
        let counter = try await counter("lo", "127.0.0.1", in: lab, on: .h2)
        let forger = try await forger(
          "claim", "_bonjourish-chat._tcp", "127.0.0.1", "4000+", "5", "room=lobby", "id=z", in: lab)
        let ada = try lab.chat("Ada", on: .h1)
        try await ada.line { $0 == "* You are Ada in lobby" }
        let bob = try lab.chat("Bob", on: .h2)
        let resolving = try lab.bonjourish("resolve", "False 0", "_bonjourish-chat._tcp", "--timeout", "4", on: .h2)
        // The honest find each other.
        try await ada.line { $0 == "* Bob is here" }
        try await bob.line { $0 == "* Ada is here" }
        #expect(try await resolving.exitCode() == 1)
        #expect(resolving.errorLines.last?.contains("127.0.0.1") == true, "\(resolving.errorLines)")
        try bob.send("Hello")
        try await ada.line { $0 == "Bob: Hello" }
        // What the stranger said can still be looked at.
        let records = try lab.bonjourish("query", "false-0.local", "A", "--json", on: .h2)
        #expect(try await records.exitCode() == 0)
        #expect(records.outputLines.contains { $0.contains("127.0.0.1") }, "\(records.outputLines)")
        let made = try await attempts(counter)
        #expect(made.all == 0)
        try forger.signal(SIGKILL)
      }
    }

    @Test func `three hundred false services make nobody flood a third host`() async throws {
      try await withLab(hosts: 4, daemons: false, backend: .builtin) { lab in
        let third = Lab.Host(number: 4)
        let counter = try await counter("eth0", third.address, in: lab, on: third)
        let ada = try lab.chat("Ada", on: .h1)
        try await ada.line { $0 == "* You are Ada in lobby" }
        // Half of them at one port, the others at a port each.
        _ = try await forger("claim", "_bonjourish-chat._tcp", third.address, "4000+", "300", "room=lobby", "id=z", in: lab)
        let bob = try lab.chat("Bob", on: .h2)
        // However long it takes to try the others.
        try await bob.line(within: .seconds(240)) { $0 == "* Ada is here" }
        for number in 1...12 {
          try bob.send("Hello \(number)")
          try await ada.line { $0 == "Bob: Hello \(number)" }
          try await counter.event("attempts")
        }
        let made = try await attempts(counter)
        // Two programs: 32 at once and 16 a second each.
        #expect(made.all > 0)
        #expect(made.inTenSeconds <= 2 * (32 + 160), "\(made)")
        Attachment.record("\(made)", named: "attempts.txt")
      }
    }

    /// After CVE-2023-43620 (croc): names with escape sequences.
    @Test func `a thousand hostile names reach no terminal as anything but text`() async throws {
      try await withLab(daemons: false, backend: .builtin) { lab in
        let names = HostileTexts.make(1_000, from: ["Ada's game", "Bob's game"]).filter { 1...63 ~= $0.utf8.count }
        let forger = try lab.start(
          LAN.peer("forger") + [
            "named", "_twentyfour._tcp", Lab.Host.h3.address, "9", "v=3", "lock=open",
            "id=6a1f0c9e-0000-4000-8000-000000000001",
            "players=1",
            "max=4", "state=waiting",
          ], on: .h3)
        for name in names { try forger.send(String(decoding: try JSONEncoder().encode(name), as: UTF8.self)) }
        try forger.closeInput()
        try await forger.event("forging")
        let honest = try lab.host("Cleo", "--bot", on: .h1)
        try await honest.event("open")
        let browser = try lab.bonjourish("browse", "_twentyfour._tcp", "--resolve", "--plain", on: .h2)
        let lobby = try lab.player("Bob", json: false, "--plain", on: .h2)
        // However long it takes to name them.
        try await lobby.line(within: .seconds(60)) { $0.contains("Cleo's game") && !$0.contains("looks like") }
        try await lobby.line(within: .seconds(60)) { $0.contains("(looks like another room)") }
        for _ in 0...names.count / 2 { try await browser.line(within: .seconds(60)) { _ in true } }
        try browser.signal(SIGINT)
        #expect(try await browser.exitCode() == 0)
        for line in browser.outputLines + lobby.outputLines + lobby.errorLines {
          #expect(HostileTexts.dangers(in: line) == [], "\(line.debugDescription)")
        }
        // The honest room can be joined.
        let dora = try lab.player("Dora", "Cleo's game", "--bot", on: .h2)
        try await dora.event("open")
      }
    }

    @Test(arguments: Backend.allCases)
    func `a stranger who disputes every name keeps no room from opening`(_ backend: Backend) async throws {
      try await withEach(of: ["answers", "probes"]) { manner in
        try await withLab(backend: backend) { lab in
          _ = try await forger("dispute", manner, in: lab)
          let start = ContinuousClock.now
          let ada = try lab.host("Ada", "--bot", on: .h1)
          try await ada.event("open", within: .seconds(90))
          Attachment.record("open after \(ContinuousClock.now - start)", named: "open.txt")
          var name = "Ada's game"
          // avahi-daemon does not lose against these probes.
          if manner == "answers" || backend == .builtin || LAN.daemon != "avahi-daemon" {
            let warning = try await ada.errorLine { $0.contains("somebody claims every other name") }
            name = try #require(warning.split(separator: "\"").dropFirst().first.map(String.init))
            #expect(name.hasPrefix("Ada's game #"))
          }
          let bob = try lab.player("Bob", name, "--bot", on: .h2)
          try await bob.event("open")
          try await ada.event("joined") { $0["player"]?.string == "Bob" }
        }
      }
    }

    @Test func `a player who comes back is not led to another host`() async throws {
      try await withLab(daemons: false, backend: .builtin) { lab in
        let ada = try lab.host("Ada", "--bot", "--round-seconds", "4", "--pause-seconds", "1", on: .h1)
        let port = try #require(try await ada.event("open")["port"]?.number.map { Int($0) })
        let bob = try lab.player("Bob", "Ada's game", "--bot", on: .h2)
        try await bob.event("open")
        // A seat is kept for who has answered.
        try await ada.event("answer", within: .seconds(40)) { $0["player"]?.string == "Bob" }
        let counter = try await counter("eth0", Lab.Host.h3.address, in: lab, on: .h3)
        // The host is out of reach for a while, and the stranger takes its place.
        try await lab.link(isUp: false, of: .h1)
        let forger = try await forger(
          "move", "Ada's game", "_twentyfour._tcp", "eve.local", Lab.Host.h3.address, "\(port)", in: lab)
        try await bob.event("reconnecting", within: .seconds(40)) { ($0["attempt"]?.number ?? 0) >= 3 }
        let made = try await attempts(counter)
        #expect(made.all == 0)
        try forger.signal(SIGKILL)
        try await lab.link(isUp: true, of: .h1)
        try await bob.event("resumed", within: .seconds(40))
      }
    }
  }
}
