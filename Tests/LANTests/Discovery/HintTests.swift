import CBonjourishLinux
import Testing

extension PublishingOnALAN {
  /// `bonjourish browse --hints`: services that may soon be gone.
  struct HintTests {
    @Test func `a goodbye of any engine is told before the loss`() async throws {
      try await withLab(backend: .builtin) { lab in
        let browser = try lab.bonjourish("browse", "_http._tcp", "--hints", "--json", on: .h2)
        let screen = try lab.bonjourish("browse", "_http._tcp", "--hints", on: .h2)
        let plain = try lab.bonjourish("browse", "_http._tcp", "--json", on: .h2)
        let publishers = [
          ("Ours", try lab.bonjourish("publish", "Ours", "_http._tcp", "1", "--json", on: .h3)),
          ("Avahi's", try lab.start("avahi-publish", "-s", "Avahi's", "_http._tcp", "2", on: .h1)),
          ("Zeroconf's", try lab.start(LAN.peer("publish") + ["Zeroconf's", "_http._tcp", "3"], on: .h3)),
        ]
        for (name, publisher) in publishers {
          let found = try await browser.event("found") { $0["name"]?.string == name }
          #expect(found["presence"] == "present")
          try await plain.event("found") { $0["name"]?.string == name }
          try await shows(name, screen)
          try publisher.signal(SIGTERM)
          let hint = try await browser.event("updated") { $0["name"]?.string == name }
          #expect(hint["presence"] == "leaving")
          try await screen.line { $0.hasPrefix("~ \"\(name)\"") && $0.contains("said goodbye") }
          #expect(try await browser.event("lost") { $0["name"]?.string == name }["presence"] == "leaving")
          #expect(changes(of: name, browser) == ["found", "updated", "lost"])
        }
        try await plain.event("lost") { $0["name"] == "Zeroconf's" }
        #expect(plain.events("updated") == [])
        #expect(plain.events.allSatisfy { $0["presence"] == nil })
      }
    }

    private func changes(of name: String, _ browser: Program) -> [String] {
      browser.events("found", "updated", "lost").filter { $0["name"]?.string == name }.compactMap { $0["event"]?.string }
    }

    private func shows(_ name: String, _ program: Program) async throws {
      try await program.line { $0.hasPrefix("+ \"\(name)\"") }
    }

    @Test func `a service without an answer is suspect, and then lost`() async throws {
      try await withLab(daemons: false, backend: .builtin) { lab in
        let browser = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--hints", "--json", on: .h2)
        let real = try lab.bonjourish("publish", "Real", "_http._tcp", "1", "--json", on: .h1)
        try await real.event("published")
        try await browser.event("found")
        let ghost = try lab.start(LAN.peer("ghost") + ["Ghost", "_http._tcp"], on: .h3)
        #expect(try await ghost.exitCode() == 0)
        // Found, or updated when the doubt came only after that had been told.
        let hint = try await browser.json { $0["name"] == "Ghost" && $0["presence"] == "suspect" }
        #expect(hint["host"] == nil)
        #expect(try await browser.event("lost")["name"] == "Ghost")
        #expect(browser.listed == ["Real"])
      }
    }

    @Test func `the daemon tells of no goodbye, which a warning says`() async throws {
      try await withLab(hosts: 2) { lab in
        let browser = try lab.bonjourish("browse", "_http._tcp", "--hints", "--json", on: .h2)
        let publisher = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "2", on: .h1)
        try await browser.errorLine { $0.contains("--hints shows nothing with avahi-daemon") }
        try await browser.event("found")
        try publisher.signal(SIGTERM)
        #expect(try await browser.event("lost")["presence"] == "present")
        #expect(browser.events("updated") == [])
      }
    }
  }
}
