import CBonjourishLinux
import Testing

extension PlayingOnALAN {
  /// Hosts and players that go without a goodbye: killed, or cut off.
  struct LostPeersTests {
    private let clock = ContinuousClock()

    @Test func `players are told at once that their host was killed`() async throws {
      try await withLab { lab in
        let lobby = try lab.bonjourish("browse", "_twentyfour._tcp", "--json", on: .h3)
        let ada = try lab.host("Ada", on: .h1)
        try await ada.event("open")
        let bob = try lab.player("Bob", "Ada's game", on: .h2)
        let cleo = try lab.player("Cleo", json: false, "Ada's game", on: .h3)
        for player in ["Bob", "Cleo"] { try await ada.event("joined") { $0["player"]?.string == player } }
        try await lobby.event("found")
        // Before that they have no seat to come back to.
        try await bob.event("open")
        try await cleo.line { $0.contains("You are Cleo") }

        let start = clock.now
        try ada.signal(SIGKILL)
        try await bob.event("reconnecting")
        try await cleo.line { $0.contains("to come back in") }
        #expect(clock.now - start < .seconds(5))

        // Who does not want to wait for the host goes.
        for program in [bob, cleo] {
          try program.signal(SIGINT)
          #expect(try await program.exitCode() == 0)
          #expect(program.errorLines == [])
        }
        // The daemon says goodbye for the dead.
        try await lobby.event("lost") { $0["name"] == "Ada's game" }
      }
    }

    @Test(arguments: Backend.allCases) func `a room with a host that is cut off cannot be joined, and reports that in time`(
      backend: Backend
    ) async throws {
      try await withLab(backend: backend) { lab in
        let ada = try lab.host("Ada", on: .h1)
        try await ada.event("open")
        let lobby = try lab.bonjourish("browse", "_twentyfour._tcp", "--resolve", "--json", on: .h2)
        try await lobby.event("found")
        try await lab.link(isUp: false, of: .h1)

        // Bob's daemon still believes in the room; Cleo's has begun anew and never heard of it, and neither has a program
        // that brings an engine of its own.
        let unknown = "there is no room \"Ada's game\"; there are none at present"
        let believed = backend == .avahi ? "could not connect to \"Ada's game\"" : unknown
        try await lab.daemon(.restart, on: .h3)
        let start = clock.now
        let bob = try lab.player("Bob", "Ada's game", "--bot", on: .h2)
        let cleo = try lab.player("Cleo", "Ada's game", "--bot", on: .h3)
        for (program, reason) in [(bob, believed), (cleo, unknown)] {
          #expect(try await program.exitCode() == 69)
          #expect(program.outputLines == [])
          #expect(program.errorLines.count == 1)
          #expect(program.errorLines.first?.contains(reason) == true)
        }
        #expect(clock.now - start < .seconds(12))
        #expect(lobby.events("lost") == [], "it was a ghost that Bob wanted to join")
      }
    }

    @Test func `a player who is cut off is away, the others play on, and the player gets their seat back`() async throws {
      try await withLab { lab in
        let ada = try lab.host("Ada", "--bot", "--round-seconds", "4", "--pause-seconds", "1", on: .h1)
        try await ada.event("open")
        let bob = try lab.player("Bob", "Ada's game", "--bot", on: .h2)
        let cleo = try lab.player("Cleo", "Ada's game", "--bot", on: .h3)
        for player in ["Bob", "Cleo"] { try await ada.event("joined") { $0["player"]?.string == player } }
        // With points that can get lost.
        try await ada.event("standings") { points(of: "Bob", in: $0) ?? 0 > 0 }
        let start = clock.now
        try await lab.link(isUp: false, of: .h2)

        for program in [ada, cleo] { try await program.event("away", within: .seconds(21)) { $0["player"] == "Bob" } }
        #expect(.seconds(14)...(.seconds(20)) ~= clock.now - start)
        try await bob.event("reconnecting")
        let won = try #require(ada.events("standings").compactMap { points(of: "Bob", in: $0) }.last)

        // Rounds went on all the time.
        let played = ada.events("roundEnded").count
        #expect(played >= 2)
        try await lab.link(isUp: true, of: .h2)
        try await bob.event("resumed")
        for program in [ada, cleo] { try await program.event("back") { $0["player"] == "Bob" } }
        let next = try await ada.event("roundEnded") { $0["number"]?.number ?? 0 > Double(played) }
        #expect(next["standings"]?.array?.count == 3)
        #expect(try #require(points(of: "Bob", in: next)) >= won)
        #expect(ada.events("left") == [])

        try ada.signal(SIGTERM)
        for program in [bob, cleo] { #expect(try await program.event("closed")["reason"] == "hostLeft") }
        for program in [ada, bob, cleo] { #expect(try await program.exitCode() == 0) }
        #expect(ada.story.ends(with: cleo.story))
      }
    }

    private func points(of player: String, in event: JSON) -> Double? {
      event["standings"]?.array?.first { $0["player"]?.string == player }?["points"]?.number
    }
  }
}
