import CBonjourishLinux
import Testing

extension DirectoryOnALAN {
  /// A publisher in another language, written from the article "Records".
  struct OtherLanguagesTests {
    @Test func `what publish.py publishes is found, resolved, kept apart from others of its name, and gone at once`()
      async throws
    {
      try await withLab(hosts: 4, daemons: false, isRouted: true) { lab in
        let directory = try lab.directory()
        _ = try await directory.start()
        func python(on host: Lab.Host) throws -> Program {
          try lab.start(
            [
              "/usr/bin/python3", "-B", LAN.example("Directory/publish.py"), Lab.Host.h4.address, "eu", "Ada's gäme",
              "_game._tcp",
            ]
              + ["4242", "players=2", "flag"], on: host)
        }
        let browser = try lab.bonjourish(["browse", "_game._tcp", "--resolve", "--json", "--no-local"], directory, on: .h3)
        try await browser.event("settled")
        let ada = try python(on: .h1)
        let written = try await ada.event("written")
        #expect(written["name"] == "Ada's gäme")
        let found = try await browser.event("found")
        #expect(found["name"] == "Ada's gäme" && found["port"] == 4242)
        #expect(found["addresses"] == ["10.77.0.1"])
        #expect(found["txt"] == ["players": "2", "flag": .null])
        let tool = try lab.bonjourish(["resolve", "ada's gäme", "_game._tcp", "--json", "--no-local"], directory, on: .h2)
        #expect(try await tool.exitCode() == 0)
        #expect(tool.events.contains { $0["port"] == 4242 && $0["addresses"] == ["10.77.0.1"] })

        // A name is one name for both: ours comes second, and another of theirs third.
        let ours = try lab.bonjourish(
          ["publish", "Ada's gäme", "_game._tcp", "80", "--json", "--no-local"], directory, on: .h2)
        try await browser.event("found") { $0["name"] == "Ada's gäme #2" }
        let cleo = try python(on: .h3)
        #expect(try await cleo.event("written")["name"] == "Ada's gäme #3")
        try await browser.event("found") { $0["name"] == "Ada's gäme #3" }
        let renewed = try await ada.event("written", within: .seconds(25))
        #expect(renewed["name"] == "Ada's gäme")
        #expect(try #require(renewed["revision"]?.number) > #require(written["revision"]?.number))
        #expect(browser.events("found").count == 3 && browser.events("lost", "updated").isEmpty)

        for (program, name) in [(ada, "Ada's gäme"), (ours, "Ada's gäme #2"), (cleo, "Ada's gäme #3")] {
          try program.signal(SIGTERM)
          #expect(try await program.exitCode() == 0)
          try await browser.event("lost", within: .seconds(5)) { $0["name"]?.string == name }
        }
      }
    }
  }
}
