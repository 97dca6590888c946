import CBonjourishLinux
import Testing

extension DirectoryOnALAN {
  /// Servers that die and come back under their own names. Everything is found by a directory on h4.
  struct OwnNameTests {
    /// Starts a match server with a key that another server may have too.
    private func server(_ name: String, on host: Lab.Host, of lab: Lab, _ directory: String) throws -> Program {
      try lab.host(
        name, "--dedicated", "--port", "0", "--group-key", "\(lab.folder)/group.pem", "--directory", directory, "--no-local",
        on: host)
    }

    @Test func `a server that was killed has its own name again at once, and its players find it there`() async throws {
      try await withLab(hosts: 4, daemons: false, isRouted: true) { lab in
        let directory = try await lab.startDirectory()
        let lobby = try lab.bonjourish(
          "browse", "_twentyfour._tcp", "--resolve", "--json", "--directory", directory, "--no-local", on: .h3)
        for _ in 1...3 {
          let server = try server("One", on: .h1, of: lab, directory)
          #expect(try await server.event("open")["name"] == "One")
          #expect(server.errorLines.allSatisfy { !$0.contains("is now named") })
          let ada = try lab.player("Ada", "One", "--directory", directory, "--no-local", on: .h2)
          try await ada.event("open")
          try server.signal(SIGKILL)
          _ = try await server.exitCode()
          try ada.signal(SIGKILL)
        }
        let names = lobby.events("found").compactMap { $0["name"]?.string }.filter { !$0.contains("match") }
        #expect(names == ["One"])
      }
    }

    @Test func `of two servers with one key and one name each keeps its own, also after it was killed`() async throws {
      try await withLab(hosts: 4, daemons: false, isRouted: true) { lab in
        let directory = try await lab.startDirectory()
        let first = try server("One", on: .h1, of: lab, directory)
        #expect(try await first.event("open")["name"] == "One")
        for _ in 1...3 {
          let second = try server("One", on: .h2, of: lab, directory)
          #expect(try await second.event("open")["name"] == "One #2")
          try second.signal(SIGKILL)
          _ = try await second.exitCode()
        }
        // The one that was asked each time goes on as before.
        let ada = try lab.player("Ada", "One", "--directory", directory, "--no-local", on: .h3)
        try await ada.event("open")
        try first.signal(SIGTERM)
        #expect(try await first.exitCode() == 0)
        #expect(first.errorLines.allSatisfy { !$0.contains("is now named") })
      }
    }

    @Test func `a server that hangs is followed by one with its key after 25 seconds, and does not take the name back`()
      async throws
    {
      try await withLab(hosts: 4, daemons: false, isRouted: true) { lab in
        let directory = try await lab.startDirectory()
        let first = try server("One", on: .h1, of: lab, directory)
        try await first.event("open")
        try first.signal(SIGSTOP)
        let start = ContinuousClock.now
        let second = try server("One", on: .h1, of: lab, directory)
        #expect(try await second.event("open", within: .seconds(40))["name"] == "One")
        print("the name of a server that hangs is free after \(ContinuousClock.now - start)")
        try first.signal(SIGCONT)
        try await first.errorLine(within: .seconds(40)) { $0.contains("is now named \"One #2\"") }
        let tool = try lab.bonjourish(
          "browse", "_twentyfour._tcp", "--once", "--json", "--directory", directory, "--no-local", on: .h3)
        #expect(try await tool.exitCode() == 0)
        #expect(Set(tool.events("found").compactMap { $0["name"]?.string }) == ["One", "One #2"])
        #expect(second.errorLines.allSatisfy { !$0.contains("is now named") })
      }
    }
  }
}
