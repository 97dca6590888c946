import CBonjourishLinux
import Testing

extension PublishingOnALAN {
  /// Subtypes (RFC 6763 §7.1), published and looked for by every engine.
  struct SubtypeTests {
    private static let printers = "_printer._sub._http._tcp"

    @Test(arguments: Backend.allCases) func `published subtypes are found by all browsers`(backend: Backend) async throws {
      try await withLab(backend: backend) { lab in
        let zeroconf = try lab.start(LAN.peer("browse") + [Self.printers], on: .h3)
        let publisher = try lab.bonjourish(
          "publish", "Ada", "_http._tcp", "80", "--subtype", "_printer", "--subtype", "_color", "--json", on: .h1)
        let plain = try lab.bonjourish("publish", "Bob", "_http._tcp", "81", "--json", on: .h1)
        for program in [publisher, plain] { try await program.event("published") }

        #expect(try await zeroconf.event("found") { $0["name"] == "Ada" }["port"] == 80)
        let list = try lab.start("avahi-browse", "-rpt", "_color._sub._http._tcp", on: .h2)
        try await list.line { AvahiBrowseLine($0).map { $0.event == .resolved && $0.name == "Ada" } ?? false }
        #expect(try await list.exitCode() == 0)
        for (type, names) in [(Self.printers, ["Ada"]), ("_COLOR._sub._http._tcp", ["Ada"]), ("_http._tcp", ["Ada", "Bob"])] {
          let browser = try lab.bonjourish("browse", type, "--once", "--resolve", "--json", on: .h2)
          #expect(try await browser.exitCode() == 0)
          #expect(browser.listed == Set(names), "\(type)")
          #expect(browser.events("found").allSatisfy { $0["type"] == "_http._tcp" && $0["host"] == "h1.local" })
        }

        try publisher.signal(SIGTERM)
        try await zeroconf.event("lost") { $0["name"] == "Ada" }
      }
    }

    @Test(arguments: Backend.allCases) func `those of others are found, and lost`(backend: Backend) async throws {
      try await withLab(backend: backend) { lab in
        let browser = try lab.bonjourish("browse", Self.printers, "--resolve", "--json", on: .h3)
        let avahi = try lab.start(
          "avahi-publish", "-s", "Avahi's", "_http._tcp", "1", "--subtype=\(Self.printers)", on: .h1)
        let zeroconf = try lab.start(LAN.peer("publish") + ["Zeroconf's", Self.printers, "2"], on: .h2)
        let plain = try lab.start("avahi-publish", "-s", "Plain", "_http._tcp", "3", on: .h1)
        for (name, publisher) in [("Avahi's", avahi), ("Zeroconf's", zeroconf)] {
          #expect(try await browser.event("found") { $0["name"]?.string == name }["host"] != nil)
          try publisher.signal(SIGTERM)
          try await browser.event("lost") { $0["name"]?.string == name }
        }
        try await plain.errorLine { $0.contains("Established") }
        #expect(browser.events("found").count == 2)
      }
    }

    /// Avahi's own service browser would refuse the type of one character.
    @Test(arguments: Backend.allCases) func `types that break RFC 6335, and the shortest, are found and resolved`(
      backend: Backend
    ) async throws {
      try await withLab(hosts: 2, backend: backend) { lab in
        for (number, type) in ["_nvstream_dbd._tcp", "_androidtvremote2._tcp"].enumerated() {
          let publisher = try lab.start("avahi-publish", "-s", "Box", type, "\(number + 1)", on: .h1)
          try await publisher.errorLine { $0.contains("Established") }
          let browser = try lab.bonjourish("browse", type, "--once", "--resolve", "--json", on: .h2)
          let found = try await browser.event("found")
          #expect(found["type"]?.string == type && found["host"] == "h1.local" && found["name"] == "Box")
          let resolved = try lab.bonjourish("resolve", "Box", type, "--json", on: .h2)
          #expect(try await resolved.event("resolved")["host"] == "h1.local")
          let ours = try lab.bonjourish("publish", "Box", type, "1", on: .h1)
          #expect(try await ours.exitCode() == 64)
        }
        let shortest = try lab.start(
          [LAN.program("bonjourish"), "publish", "Box", "_z._tcp", "3", "--json", "--backend", "builtin"], on: .h1)
        try await shortest.event("published")
        let browser = try lab.bonjourish("browse", "_z._tcp", "--once", "--resolve", "--json", on: .h2)
        #expect(try await browser.event("found")["host"] == "h1.local")
      }
    }

    @Test func `the engine that takes over publishes and browses for the same`() async throws {
      try await withLab(hosts: 2) { lab in
        let browser = try lab.bonjourish("browse", Self.printers, "--json", "--verbose", on: .h2)
        let publisher = try lab.bonjourish(
          "publish", "Ada", "_http._tcp", "80", "--subtype", "_printer", "--json", "--verbose", on: .h1)
        try await publisher.event("published")
        try await browser.event("found")
        for (change, backend) in [(Lab.Change.kill, "builtin"), (.start, "avahi")] {
          for (program, host) in [(publisher, Lab.Host.h1), (browser, .h2)] {
            try await lab.daemon(change, on: host)
            try await program.event("backend") { $0["name"]?.string == backend }
          }
          try await publisher.event("restored")
          try await browser.event("settled")
          let other = try lab.bonjourish("browse", Self.printers, "--once", "--json", "--backend", "builtin", on: .h2)
          #expect(try await other.exitCode() == 0)
          #expect(other.listed == ["Ada"], "published by \(backend)")
          #expect(browser.listed == ["Ada"], "looked for by \(backend)")
        }
      }
    }

    @Test func `what is no subtype is refused`() async throws {
      try await withLab(hosts: 1, daemons: false, backend: .builtin) { lab in
        let programs = [
          try lab.bonjourish("browse", "._sub._http._tcp", on: .h1),
          try lab.bonjourish("browse", "_printer._sub._http", on: .h1),
          try lab.bonjourish("publish", "Ada", "_http._tcp", "1", "--subtype", "a\u{1B}", on: .h1),
        ]
        for program in programs {
          #expect(try await program.exitCode() == 64)
          #expect(program.errorLines.count == 1)
        }
      }
    }
  }
}
