import CBonjourishLinux
import Testing

extension DirectoryOnALAN {
  /// Rooms whose players reach nothing but the directory's server, which relays what they say.
  struct RelayedRoomTests {
    @Test func `whom only the directory's server reaches plays to the end, whatever happens to it and to a cable`() async throws
    {
      try await withLab(hosts: 4, daemons: false, isRouted: true) { lab in
        let directory = try lab.directory()
        let nats = try await directory.start()
        for (one, other) in [(Lab.Host.h1, Lab.Host.h2), (.h1, .h3), (.h2, .h3)] { try await lab.cut(one, from: other) }
        let ada = try lab.host(
          "Ada", ["--bot", "--rounds", "10", "--round-seconds", "5", "--pause-seconds", "2", "--seed", "7"], directory, on: .h1)
        try await ada.event("open")
        let bob = try lab.player("Bob", ["Ada's game", "--bot", "--seed", "8"], directory, on: .h2)
        let cleo = try lab.player("Cleo", ["Ada's game", "--bot", "--seed", "9"], directory, on: .h3)
        for player in ["Bob", "Cleo"] { try await ada.event("joined") { $0["player"]?.string == player } }
        try await ada.event("roundEnded", within: .seconds(30))

        try nats.signal(SIGKILL)
        // Its port is free then.
        _ = try await nats.exitCode()
        _ = try await directory.start()
        try await ada.event("roundEnded", within: .seconds(30))
        #expect([ada, bob, cleo].allSatisfy { $0.events("away", "reconnecting").isEmpty })

        try await lab.link(isUp: false, of: .h3)
        try await Task.sleep(for: .seconds(10))
        try await lab.link(isUp: true, of: .h3)

        for program in [ada, bob, cleo] {
          #expect(try await program.exitCode(within: .seconds(90)) == 0)
          #expect(program.events.last?["reason"] == "finished")
        }
        let standings = [ada, bob, cleo].map { $0.events("roundEnded").last?["standings"] }
        #expect(standings[0] != nil && standings.allSatisfy { $0 == standings[0] })
        #expect(ada.events("left").isEmpty)
      }
    }

    @Test func `a direct connection needs no relay, and a relay takes over from it`() async throws {
      try await withLab(hosts: 4, daemons: false, isRouted: true) { lab in
        let directory = try lab.directory()
        _ = try await directory.start()
        // Nobody but Bob answers, and the round goes on.
        let ada = try lab.host("Ada", ["--round-seconds", "600", "--web"], directory, on: .h1)
        try await ada.event("open")
        let bob = try lab.player("Bob", ["Ada's game"], directory, on: .h2)
        try await bob.event("round")
        // A seat is kept for who has answered.
        try bob.send("1+1")
        try await bob.event("refused")

        try await lab.cut(.h2, from: .h4)
        try await bob.event("directory", within: .seconds(40)) { $0["state"] == "unavailable" }
        try bob.send("1+1")
        try await bob.event("refused")
        #expect(bob.events("reconnecting").isEmpty)

        try await lab.cut(.h2, from: .h4, isCut: false)
        try await bob.event("directory", within: .seconds(40)) { $0["state"] == "available" }
        try await lab.cut(.h1, from: .h2)
        try await bob.event("resumed", within: .seconds(60))
        try bob.send("1+1")
        try await bob.event("refused")
      }
    }

    /// Without a key nobody is followed by a relay to another program, see `ServiceHost`.
    @Test func `a host that was killed keeps its name in the directory, and whom only a relay reaches comes back`() async throws
    {
      try await withLab(hosts: 4, daemons: false, isRouted: true) { lab in
        let directory = try lab.directory()
        _ = try await directory.start()
        try await lab.cut(.h1, from: .h2)
        let state = "\(lab.folder)/room.json"
        func open() throws -> Program {
          try lab.host(
            "Ada", ["--state", state, "--pause-seconds", "1", "--round-seconds", "600"], directory, on: .h1)
        }
        let ada = try open()
        try await ada.event("open")
        let bob = try lab.player("Bob", ["Ada's game"], directory, on: .h2)
        try await bob.event("round")
        // A seat is kept for who has answered, and what happens is on the disk a second later.
        try bob.send("1+1")
        try await bob.event("refused")
        try await Task.sleep(for: .milliseconds(1_500))
        try ada.signal(SIGKILL)
        let again = try open()
        #expect(try await again.event("open")["name"] == "Ada's game")
        try await bob.event("resumed", within: .seconds(40))
        #expect(again.errorLines == [])
      }
    }
  }
}
