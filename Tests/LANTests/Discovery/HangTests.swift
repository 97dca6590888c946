import CBonjourishLinux
import Foundation
import TestSupport
import Testing

extension HangingOnALAN {
  /// What stands still, as if by SIGSTOP: the system bus, avahi-daemon, a directory's server. Programs say so, or do without, and end when
  /// they are asked to.
  struct HangTests {
    /// What an operator waits for: a program says that something hangs, or does without it.
    private static let limit: Duration = .seconds(6)
    /// The longest time from a signal to the end.
    private static let ending: Duration = .seconds(2)

    /// What hangs beside the programs.
    enum Culprit: String, CaseIterable, Sendable {
      case bus, daemon

      func pause(on host: Lab.Host, in lab: Lab) async throws { try await lab.control(rawValue, "\(host)", "pause") }
      func resume(on host: Lab.Host, in lab: Lab) async throws { try await lab.control(rawValue, "\(host)", "resume") }
    }

    /// Starts one program of each kind.
    private func programs(in lab: Lab, _ options: String..., backend: String) throws -> [Program] {
      let bonjourish = [
        ["browse", "_http._tcp"], ["publish", "Ada", "_http._tcp", "80"],
        ["resolve", "Nobody", "_http._tcp", "--timeout", "60"],
        ["lookup", "nobody.local", "--timeout", "60"], ["types"],
      ]
      var programs = try bonjourish.map { arguments in
        try lab.start(
          [LAN.program("bonjourish")] + arguments + ["--json", "--verbose", "--backend", backend] + options, on: .h1)
      }
      programs.append(
        try lab.start(
          lab.own(.h1) + [
            LAN.program("twentyfour-host"), "--name", "Ada", "--bot", "--json", "--verbose", "--backend", backend,
          ]
            + options, on: .h1))
      programs.append(
        try lab.start(
          lab.own(.h1) + [
            LAN.program("twentyfour-join"), "--name", "Bob", "Ada's game", "--json", "--verbose", "--backend", backend,
          ] + options, on: .h1))
      return programs
    }

    /// Asks programs to end, at the same time.
    private func end(_ programs: [Program], within limit: Duration = HangTests.ending, with code: Int32 = 0) async throws {
      // Players before hosts: without its room a player ends by itself.
      let players = programs.filter { $0.title.contains("twentyfour-join") }
      let others = programs.filter { !$0.title.contains("twentyfour-join") }
      for program in players + others { try program.signal(SIGTERM) }
      let start = ContinuousClock.now
      for program in programs {
        #expect(try await program.exitCode() == code, "\(program.title)")
      }
      let time = ContinuousClock.now - start
      #expect(time < limit, "\(programs.map(\.title)) took \(time)")
    }

    // MARK: - At the start

    @Test(arguments: Culprit.allCases)
    func `a program that chooses for itself does without what hangs at the start`(_ culprit: Culprit) async throws {
      try await withLab(hosts: 1) { lab in
        try await culprit.pause(on: .h1, in: lab)
        let programs = try programs(in: lab, backend: "auto")
        // What doctor says is what is so.
        let doctor = try lab.bonjourish("doctor", "--json", on: .h1)
        let once = try lab.bonjourish("browse", "_http._tcp", "--once", "--json", on: .h1)
        for program in programs {
          #expect(try await program.event("backend")["name"] == "builtin", "\(program.title)")
          #expect(try #require(program.ownTime) < Self.limit, "\(program.title)")
        }
        try await programs[1].event("published")
        #expect(try #require(programs[1].ownTime) < Self.limit)
        #expect(try await doctor.exitCode() == 0)
        #expect(try #require(doctor.events("finding").first)["id"]?.string == (culprit == .bus ? "bus-hung" : "avahi-hung"))
        #expect(try #require(doctor.events("summary").first)["works"] == true)
        // Ada may not have been published when it ended.
        let code = try await once.exitCode()
        #expect(code == (once.events("found").isEmpty ? 1 : 0))
        #expect(once.events("settled").count == 1)
        try await end(programs)
      }
    }

    @Test(arguments: Culprit.allCases)
    func `a program that needs the daemon says that something hangs at the start`(_ culprit: Culprit) async throws {
      try await withLab(hosts: 1) { lab in
        try await culprit.pause(on: .h1, in: lab)
        let start = ContinuousClock.now
        let programs = try programs(in: lab, backend: "avahi")
        for program in programs {
          #expect(try await program.exitCode() == 69, "\(program.title)")
          #expect(ContinuousClock.now - start < Self.limit, "\(program.title)")
          #expect(program.errorLines.last?.contains("does not answer in time") == true, "\(program.title)")
        }
      }
    }

    @Test(arguments: Culprit.allCases)
    func `a signal at the start ends a program that waits for what hangs`(_ culprit: Culprit) async throws {
      try await withLab(hosts: 1) { lab in
        try await culprit.pause(on: .h1, in: lab)
        for backend in ["auto", "avahi"] {
          let programs = try programs(in: lab, backend: backend)
          // They have taken over their signals before they connect.
          for program in programs {
            let deadline = ContinuousClock.now + .seconds(10)
            while !program.threads.contains("avahi"), .now < deadline { try await Task.sleep(for: .milliseconds(10)) }
            #expect(program.threads.contains("avahi"))
          }
          try await end(programs)
        }
      }
    }

    /// The requests of a client until its service is published: the handshake of the probe, that of libdbus, and messages.
    @Test(arguments: ["auto", "avahi"])
    func `a bus that hangs at any request of a program is noticed`(_ backend: String) async throws {
      try await withLab(hosts: 1) { lab in
        for counts in [0...5, 6...11, 12...17] {
          try await withThrowingTaskGroup { group in
            for count in counts { group.addTask { try await hang(after: count, backend, in: lab) } }
            try await group.waitForAll()
          }
        }
      }
    }

    private func hang(after count: Int, _ backend: String, in lab: Lab) async throws {
      let path = lab.folder + "/bus\(count)"
      let bus = try lab.start(LAN.peer("hanging_bus") + [path, "\(count)"], on: .h1)
      try await bus.event("listening")
      let program = try lab.start(
        [
          "env", "DBUS_SYSTEM_BUS_ADDRESS=unix:path=\(path)", LAN.program("bonjourish"), "publish", "Ada \(count)",
          "_http._tcp", "80",
        ]
          + ["--json", "--verbose", "--backend", backend], on: .h1)
      try await bus.event("hanging")
      let start = ContinuousClock.now
      guard backend == "auto" else {
        let line = try await program.errorLine { $0.contains("does not answer in time") }
        #expect(ContinuousClock.now - start < Self.limit, "after \(count) requests")
        // The daemon that was there at the start is waited for.
        if line.contains("talking to avahi-daemon") { return try await end([program]) }
        return #expect(try await program.exitCode() == 69)
      }
      try await program.event("backend") { $0["name"] == "builtin" }
      #expect(ContinuousClock.now - start < Self.limit, "after \(count) requests")
      try await program.event("published")
      try await end([program])
    }

    // MARK: - While running

    @Test(arguments: Culprit.allCases, ["auto", "avahi"])
    func `what hangs while a program runs is said, and a signal ends the program`(_ culprit: Culprit, _ backend: String)
      async throws
    {
      try await withLab(hosts: 1) { lab in
        let programs = try programs(in: lab, backend: backend)
        for program in programs { try await program.event("backend") { $0["name"] == "avahi" } }
        try await programs[0].event("settled")
        try await programs[1].event("published")
        try await programs[5].event("open")
        // Of these one is asked to end at once, while its goodbye cannot be taken.
        let hasty = try lab.bonjourish("publish", "Bob", "_http._tcp", "80", "--json", "--backend", backend, on: .h1)
        try await hasty.event("published")
        try await culprit.pause(on: .h1, in: lab)
        let start = ContinuousClock.now
        try await end([hasty])
        for program in [programs[0], programs[1], programs[4]] {
          try await program.event("interrupted")
          #expect(ContinuousClock.now - start < Self.limit, "\(program.title)")
        }
        try await programs[5].errorLine { $0.contains("new players cannot find the room") }
        #expect(ContinuousClock.now - start < Self.limit)
        if backend == "auto" { try await programs[1].event("restored") }
        try await end(programs)
      }
    }

    @Test func `nothing is left behind while a bus hangs, and the daemon is used when it goes on`() async throws {
      try await withLab(hosts: 1) { lab in
        let publisher = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", "--verbose", on: .h1)
        try await publisher.event("published")
        let (threads, descriptors) = (publisher.threads.count, publisher.descriptorCount)
        try await lab.bus(.pause, on: .h1)
        try await publisher.event("backend") { $0["name"] == "builtin" }
        // The bus is tried several times meanwhile.
        for _ in 1...3 { try await publisher.errorLine { $0.contains("looking for avahi-daemon") } }
        #expect(publisher.threads.count <= threads + 1)
        // The engine's sockets and monitor, and one attempt.
        #expect(publisher.descriptorCount <= descriptors + 6)
        try await lab.bus(.resume, on: .h1)
        try await publisher.event("backend") { $0["name"] == "avahi" }
        try await publisher.event("restored")
        // The engine's sockets are closed a little later.
        let deadline = ContinuousClock.now + .seconds(5)
        while publisher.descriptorCount > descriptors, .now < deadline { try await Task.sleep(for: .milliseconds(20)) }
        #expect(publisher.threads.count <= threads + 1 && publisher.descriptorCount <= descriptors)
      }
    }

    // MARK: - A reader

    @Test func `a signal ends a program whose output nobody reads`() async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        let commands = [["browse", "_http._tcp"], ["publish", "Ada", "_http._tcp", "80"], ["types"]]
        var programs = try commands.map { command in
          try lab.start(
            LAN.peer("stuck_reader") + [LAN.program("bonjourish")] + command + ["--json", "--verbose"], on: .h1,
            isTold: false)
        }
        let room = [LAN.program("twentyfour-host"), "--name", "Ada", "--bot", "--json", "--verbose"]
        programs.append(try lab.start(lab.own(.h1) + LAN.peer("stuck_reader") + room, on: .h1))
        for program in programs {
          let ending = try await program.event("ended")
          #expect(ending["code"] == 0, "\(program.title)")
          #expect(ending["seconds"]?.number.map { $0 < 2 } == true, "\(program.title): \(ending)")
        }
      }
    }

    // MARK: - A directory

    @Test func `a directory's server that hangs is said, and a signal ends every program`() async throws {
      try await withLab(hosts: 2, daemons: false) { lab in
        let store = lab.folder + "/hanging-nats"
        let server = try lab.start([LAN.natsServer, "-js", "-sd", store, "-a", Lab.Host.h2.address], on: .h2)
        try await server.errorLine { $0.contains("Server is ready") }
        let url = "nats://\(Lab.Host.h2.address):4222"
        func start() throws -> [Program] {
          // The types of a directory are not followed.
          try programs(in: lab, "--directory", url, backend: "builtin").filter { !$0.title.contains(" types ") }
        }
        let early = try start()
        for program in early { try await program.event("backend") }
        try server.signal(SIGSTOP)
        let late = try start()
        let begin = ContinuousClock.now
        for program in late where !program.title.contains("resolve") && !program.title.contains("lookup") {
          try await program.event("directory") { $0["state"] == "unavailable" }
          #expect(ContinuousClock.now - begin < Self.limit, "\(program.title)")
        }
        // At once, because a player of the one may be with the host of the other.
        try await end(late + early)
        try server.signal(SIGCONT)
      }
    }

    @Test(arguments: [false, true])
    func `a signal ends every program whose directory has never answered`(isTold: Bool) async throws {
      try await withLab(hosts: 2, daemons: false) { lab in
        // Two servers that are connected to, and say nothing: each attempt takes two seconds.
        let mute = """
          import signal, socket
          listeners = [socket.create_server(("\(Lab.Host.h2.address)", port)) for port in (4222, 4223)]
          print("listening", flush=True)
          signal.pause()
          """
        let server = try lab.start(["/usr/bin/python3", "-c", mute], on: .h2)
        try await server.line { $0 == "listening" }
        let urls = [4222, 4223].map { "nats://\(Lab.Host.h2.address):\($0)" }.joined(separator: ",")
        let programs = try [
          ["bonjourish", "browse", "_http._tcp"], ["bonjourish", "publish", "Ada", "_http._tcp", "80"],
          ["bonjourish", "resolve", "Nobody", "_http._tcp", "--timeout", "60"],
          ["twentyfour-host", "--name", "Ada", "--bot"], ["twentyfour-join", "--name", "Bob", "--any"],
          ["twentyfour-host", "--name", "Server", "--dedicated", "--group-key", lab.folder + "/group.pem"],
        ].map { command in
          let options = ["--json", "--directory", urls, "--no-local"]
          return try lab.start(lab.own(.h1) + [LAN.program(command[0])] + command.dropFirst() + options, on: .h1)
        }
        for program in programs {
          let deadline = ContinuousClock.now + .seconds(10)
          while !program.threads.contains("directory-dial"), .now < deadline { try await Task.sleep(for: .milliseconds(10)) }
          #expect(program.threads.contains("directory-dial"), "\(program.title)")
        }
        if isTold { try await programs[0].event("directory") { $0["state"] == "unavailable" } }
        try await end(programs)
      }
    }
  }
}
