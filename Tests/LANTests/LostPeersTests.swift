import Glibc
import Testing

extension OnALAN {
  /// Hosts and players that go without a goodbye: killed, or cut off.
  @Suite("Lost peers")
  struct LostPeersTests {
    private let clock = ContinuousClock()

    @Test func `players are told at once that their host was killed, and look for it`() async throws {
      try await withLab { lab in
        let lobby = try lab.bonjourish("browse", "_twentyfour._tcp", "--json", on: .h3)
        let ada = try lab.host("Ada", on: .h1)
        try await ada.event("open")
        let bob = try lab.player("Bob", "Ada's game", on: .h2)
        let cleo = try lab.player("Cleo", "Ada's game", on: .h3)
        for player in ["Bob", "Cleo"] { try await ada.event("joined") { $0["player"]?.string == player } }
        try await lobby.event("found")

        let start = clock.now
        try ada.signal(SIGKILL)
        for program in [bob, cleo] { #expect(try await program.event("reconnecting")["attempt"] == 1) }
        #expect(clock.now - start < .seconds(2))
        // The daemon says goodbye for the dead.
        try await lobby.event("lost") { $0["name"] == "Ada's game" }
        // Who does not want to wait goes.
        try bob.signal(SIGINT)
        #expect(try await bob.exitCode() == 0)
        // A room of the same name is another room, where the one who still looks for it begins anew.
        try await cleo.event("open")
        let eve = try lab.host("Ada", on: .h1)
        let room = try await eve.event("open")["room"]
        #expect(try await cleo.event("open", within: .seconds(20))["room"] == room)
      }
    }

    @Test(arguments: Backend.allCases) func `a room whose host is cut off cannot be joined, and that is said in time`(
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
        let believed = backend == .avahi ? "could not connect to \"Ada's game\"" : "is not available any more"
        try await lab.daemon(.restart, on: .h3)
        let start = clock.now
        let bob = try lab.player("Bob", "Ada's game", "--bot", on: .h2)
        let cleo = try lab.player("Cleo", "Ada's game", "--bot", on: .h3)
        for (program, reason) in [(bob, believed), (cleo, "is not available any more")] {
          #expect(try await program.exitCode() == 69)
          #expect(program.outputLines == [])
          #expect(program.errorLines.count == 1)
          #expect(program.errorLines.first?.contains(reason) == true)
        }
        #expect(clock.now - start < .seconds(6))
        #expect(lobby.events("lost") == [], "it was a ghost that Bob wanted to join")
      }
    }

    @Test func `a player who is cut off is away and then gone, and the others play on`() async throws {
      try await withLab { lab in
        let ada = try lab.host("Ada", "--bot", "--round-seconds", "4", "--pause-seconds", "1", on: .h1)
        try await ada.event("open")
        let bob = try lab.player("Bob", "Ada's game", "--bot", on: .h2)
        let cleo = try lab.player("Cleo", "Ada's game", "--bot", on: .h3)
        for player in ["Bob", "Cleo"] { try await ada.event("joined") { $0["player"]?.string == player } }
        let start = clock.now
        try await lab.link(isUp: false, of: .h2)

        for program in [ada, cleo] { try await program.event("away", within: .seconds(21)) { $0["player"] == "Bob" } }
        #expect(.seconds(14)...(.seconds(20)) ~= clock.now - start)
        try await bob.event("reconnecting")
        for program in [ada, cleo] { try await program.event("left", within: .seconds(65)) { $0["player"] == "Bob" } }
        #expect(.seconds(74)...(.seconds(80)) ~= clock.now - start)
        #expect(try await bob.exitCode() == 69)
        #expect(bob.events.last?["reason"] == "lost")
        #expect(bob.errorLines.count == 1)
        #expect(bob.errorLines.first?.contains("The connection to the room broke") == true)

        // Rounds went on all the time, and go on.
        let played = ada.events("roundEnded").count
        #expect(played >= 10)
        let next = try await ada.event("roundEnded") { $0["number"]?.number ?? 0 > Double(played) }
        #expect(next["standings"]?.array?.count == 2)
        try ada.signal(SIGTERM)
        #expect(try await cleo.event("closed")["reason"] == "hostLeft")
        for program in [ada, cleo] { #expect(try await program.exitCode() == 0) }
        #expect(ada.story.ends(with: cleo.story))
      }
    }
  }
}
