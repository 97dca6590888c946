import CBonjourishLinux
import Testing

extension DirectoryOnALAN {
  /// Parts of a directory that programs choose: a bucket, and a shard of what is browsed.
  struct DirectoryPartsTests {
    @Test func `programs find what is in their bucket, and list one shard of it`() async throws {
      try await withLab(hosts: 4, daemons: false, isRouted: true) { lab in
        let directory = try lab.directory()
        _ = try await directory.start()
        let bucket = ["--bucket", "evenings"]
        let ada = try lab.host("Ada", bucket, directory, on: .h1)
        try await ada.event("open")
        // The shard of this name is 7.
        let pages = try lab.bonjourish(
          ["publish", "Game", "http", "8080", "--json", "--no-local"] + bucket, directory, on: .h1)
        try await pages.event("published")

        func names(_ type: String, _ options: [String]) async throws -> [String] {
          let tool = try lab.bonjourish(["browse", type, "--once", "--json", "--no-local"] + options, directory, on: .h3)
          let code = try await tool.exitCode(within: .seconds(30))
          let names = tool.events("found").compactMap { $0["name"]?.string }
          #expect(code == (names.isEmpty ? 1 : 0))
          return names
        }
        #expect(try await names("http", bucket) == ["Game"])
        #expect(try await names("http", bucket + ["--shard", "7"]) == ["Game"])
        #expect(try await names("http", bucket + ["--shard", "8"]) == [])
        #expect(try await names("http", []) == [])
        let one = try lab.bonjourish(["resolve", "Game", "http", "--no-local"] + bucket, directory, on: .h3)
        #expect(try await one.exitCode(within: .seconds(30)) == 0)
        let none = try lab.bonjourish(["resolve", "Game", "http", "--no-local", "--timeout", "2"], directory, on: .h3)
        #expect(try await none.exitCode(within: .seconds(30)) == 1)

        let bob = try lab.player("Bob", ["Ada's game"] + bucket, directory, on: .h2)
        try await ada.event("joined") { $0["player"] == "Bob" }
        let cleo = try lab.player("Cleo", ["--shard", "0"] + bucket, directory, on: .h3)
        // Her room is in another shard.
        let seen = try await cleo.event("lobby")
        #expect(seen["rooms"]?.array?.isEmpty == true)
        for program in [ada, bob, cleo, pages] { try program.signal(SIGTERM) }
      }
    }
  }
}
