import CBonjourishLinux
import Testing

extension DirectoryOnALAN {
  /// Rooms of other networks, which only a directory tells.
  struct FarRoomsTests {
    private let clock = ContinuousClock()

    @Test func `rooms are found and played in where no multicast passes, while the directory is killed and comes back`()
      async throws
    {
      try await withLab(hosts: 4, daemons: false, isRouted: true) { lab in
        let directory = try lab.directory()
        let nats = try await directory.start()
        // Ada never answers, so each round takes its five seconds: the game is longer than the directory's absence.
        let ada = try lab.host(
          "Ada", ["--rounds", "9", "--round-seconds", "5", "--pause-seconds", "2", "--seed", "7"], directory, on: .h1)
        try await ada.event("open")
        try await ada.event("directory") { $0["state"] == "available" && $0["region"] == "eu" }

        // The lobby and the tool tell that it is elsewhere; without a directory it is nowhere.
        let lobby = try lab.player("Dora", [], directory, on: .h2)
        let seen = try await lobby.event("lobby") { $0["rooms"]?.array?.count == 1 }
        let room = try #require(seen["rooms"]?[0])
        #expect(room["name"] == "Ada's game")
        #expect(room["here"] == false)
        #expect(room["region"] == "eu")
        let lines = try lab.player("Eve", json: false, [], directory, on: .h3)
        try await lines.line { $0.contains("Ada's game") && $0.contains("in the directory's region eu") }
        let tool = try lab.bonjourish(["browse", "_twentyfour._tcp", "--resolve", "--json"], directory, on: .h3)
        let found = try await tool.event("found")
        #expect(found["region"] == "eu")
        #expect(found["interfaces"] == ["directory:eu"])
        #expect(found["addresses"] == ["10.77.0.1", "2001:db8:77::1"])
        let alone = try lab.bonjourish("browse", "_twentyfour._tcp", "--once", "--json", "--backend", "builtin", on: .h2)
        #expect(try await alone.exitCode() == 1)
        #expect(alone.events("found").isEmpty)

        let bob = try lab.player("Bob", ["--any", "--bot", "--seed", "8"], directory, on: .h2)
        let cleo = try lab.player("Cleo", ["Ada's game", "--bot", "--seed", "9"], directory, on: .h3)
        for player in ["Bob", "Cleo"] { try await ada.event("joined") { $0["player"]?.string == player } }
        try await ada.event("roundEnded", within: .seconds(30)) { _ in true }

        try nats.signal(SIGKILL)
        let lost = try await ada.event("directory") { $0["state"] == "unavailable" }
        #expect(lost["reason"]?.string?.hasPrefix("using the directory at nats://") == true)
        try await tool.event("lost", within: .seconds(40))
        _ = try await directory.start()
        try await ada.event("directory") { $0["state"] == "available" }
        try await tool.event("found")
        try await lobby.event("lobby") { $0["rooms"]?.array?.count == 1 }

        for program in [ada, bob, cleo] {
          #expect(try await program.exitCode(within: .seconds(60)) == 0)
          #expect(program.errorLines == [])
          #expect(program.events.last?["reason"] == "finished")
          #expect(program.events("reconnecting", "away").isEmpty)
        }
        for program in [bob, cleo] {
          #expect(ada.story.ends(with: program.story))
          #expect(program.events("roundEnded").count >= 5)
        }
        // Who leaves in order is gone at once.
        try await tool.event("lost", within: .seconds(5))
      }
    }

    @Test func `a room whose host is cut off from the directory is gone within 65 seconds, and comes back by itself`()
      async throws
    {
      try await withLab(hosts: 4, daemons: false, isRouted: true) { lab in
        let directory = try lab.directory()
        _ = try await directory.start()
        let ada = try lab.host("Ada", [], directory, on: .h1)
        try await ada.event("open")
        let browser = try lab.bonjourish(["browse", "_twentyfour._tcp", "--json", "--no-local"], directory, on: .h2)
        try await browser.event("found")
        let start = clock.now
        try await lab.cut(.h1, from: .h4)
        try await ada.event("directory", within: .seconds(30)) { $0["state"] == "unavailable" }
        try await browser.event("lost", within: .seconds(70))
        let gone = clock.now - start
        #expect(gone < .seconds(65), "gone after \(gone)")
        #expect(browser.events("interrupted").isEmpty)
        try await lab.cut(.h1, from: .h4, isCut: false)
        try await browser.event("found", within: .seconds(30))
        try await ada.event("directory") { $0["state"] == "available" }
        try ada.signal(SIGINT)
        #expect(try await ada.exitCode() == 0)
        try await browser.event("lost", within: .seconds(5))
      }
    }

    @Test func `a machine without a network says so, with a directory too`() async throws {
      try await withLab(hosts: 4, daemons: false, isRouted: true) { lab in
        let directory = try lab.directory()
        _ = try await directory.start()
        try await lab.link(isUp: false, of: .h1)
        let programs = [
          try lab.bonjourish(["publish", "Ada", "_http._tcp", "80", "--json"], directory, on: .h1),
          try lab.bonjourish(["browse", "_http._tcp", "--json"], directory, on: .h1),
        ]
        for program in programs {
          let reason = try await program.event("limited")["reason"]?.string
          #expect(reason?.hasPrefix("outside the directory, only services of this machine can be found: no network") == true)
          try await program.event("directory") { $0["state"] == "unavailable" }
        }
        try await lab.link(isUp: true, of: .h1)
        for program in programs { try await program.event("unlimited") }
      }
    }

    @Test func `false records neither hide a room, nor reach the terminal raw, nor keep anybody from joining`() async throws {
      try await withLab(hosts: 4, daemons: false, isRouted: true) { lab in
        let directory = try lab.directory()
        _ = try await directory.start()
        let ada = try lab.host("Ada", ["--rounds", "9"], directory, on: .h1)
        try await ada.event("open")
        try await ada.event("directory")
        let browser = try lab.bonjourish(["browse", "_twentyfour._tcp", "--json"], directory, on: .h3)
        try await browser.event("found") { $0["name"] == "Ada's game" }
        let vandal = try lab.start(LAN.peer("directory") + [Lab.Host.h4.address, "eu"], on: .h3)
        try await vandal.event("done")
        #expect(try await vandal.exitCode() == 0)

        let lobby = try lab.player("Dora", json: false, [], directory, on: .h2)
        // The stranger's rooms come in any order.
        for text in ["Zoe's game", "(looks like another room)", "\\u{202E}"] {
          try await lobby.line(within: .seconds(60)) { $0.contains(text) }
        }
        #expect(lobby.outputLines.contains { $0.contains("Ada's game") && $0.contains("h1") == false })
        let raw = (lobby.outputLines + browser.outputLines).joined().unicodeScalars
        #expect(!raw.contains { $0.value < 0x20 || $0 == "\u{202E}" || $0 == "\u{7F}" })
        for name in ["Oversized", "Malformed", "Misplaced", "Elsewhere"] {
          #expect(!browser.listed.contains(name), "\(name)")
        }
        let bob = try lab.player("Bob", ["Ada's game", "--bot"], directory, on: .h2)
        try await ada.event("joined") { $0["player"] == "Bob" }
        try await bob.event("round")
        try bob.signal(SIGINT)
        #expect(try await bob.exitCode() == 0)
        #expect(bob.errorLines == [])
      }
    }
  }
}
