import CBonjourishLinux
import Testing

extension OnALAN {
  /// `bonjourish browse` and `bonjourish resolve`, of what other people's programs publish.
  struct BrowsingTests {
    private static let rude = "Eve.x \"q\" \u{1B}[31m\u{202E}red"

    private static let eve: JSON = [
      "schema": 1, "type": "_http._tcp", "domain": "local", "name": .string(rude), "host": "h1.local", "port": 81,
      "addresses": ["10.77.0.1", "2001:db8:77::1"], "txt": ["note": "\u{1B}]0;\u{202E}x", "flag": .null],
    ]

    private static let bob: JSON = [
      "schema": 1, "type": "_http._tcp", "domain": "local", "name": "Bob", "host": "h2.local", "port": 8081,
      "addresses": ["10.77.0.2", "2001:db8:77::2"], "txt": ["k": "v", "bin": ["base64": "/wD+"], "flag": .null],
    ]

    @Test(arguments: Backend.allCases) func `services are found once, resolved, followed and lost`(backend: Backend)
      async throws
    {
      try await withLab(backend: backend) { lab in
        let watch = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", on: .h3)
        let screen = try lab.bonjourish("browse", "_http._tcp", "--resolve", on: .h3)
        try await watch.event("settled")
        let eve = try lab.start(
          "avahi-publish", "-s", Self.rude, "_http._tcp", "81", "note=\u{1B}]0;\u{202E}x", "flag", on: .h1)
        let bob = try lab.start(LAN.peer("publish") + ["Bob", "_http._tcp", "8081", "k=v", "bin:=/wD+", "flag"], on: .h2)

        for expected in [Self.eve, Self.bob] {
          let found = try await watch.event("found") { $0["name"] == expected["name"] }
          #expect(found == expected.with("event", "found").with("title", "Web server").with("interfaces", ["eth0"]))
        }
        let shown = try await screen.line { $0.hasPrefix("+ \"Eve") }
        #expect(
          shown == #"+ "Eve.x \"q\" \u{1B}[31m\u{202E}red" _http._tcp eth0 h1.local:81 10.77.0.1,2001:db8:77::1 "#
            + #"note="\u{1B}]0;\u{202E}x" flag"#)
        let other = try await screen.line { $0.hasPrefix("+ \"Bob\"") }
        #expect(other.contains(#"bin="\xFF\u{0}\xFE""#))

        try bob.send("k=w bin:=AA==")
        try await bob.event("updated")
        let updated = try await watch.event("updated") { $0["name"] == "Bob" && $0["txt"]?["k"] == "w" }
        #expect(updated["txt"] == ["k": "w", "bin": "\0"])

        try eve.signal(SIGTERM)
        try await watch.event("lost") { $0["name"]?.string == Self.rude }
        try await screen.line { $0 == #"- "Eve.x \"q\" \u{1B}[31m\u{202E}red" _http._tcp"# }
        try bob.signal(SIGTERM)
        try await watch.event("lost") { $0["name"] == "Bob" }
        try await screen.line { $0 == #"- "Bob" _http._tcp"# }

        for program in [watch, screen] {
          try program.signal(SIGINT)
          #expect(try await program.exitCode() == 0)
          #expect(program.errorLines == [])
          #expect(program.outputLines.allSatisfy { $0.isHarmless })
        }
        // The daemon reports each of them on IPv4 and on IPv6.
        #expect(watch.events("found").count == 2)
      }
    }

    @Test(arguments: Backend.allCases) func `browsing ends when all have answered, or after a while`(backend: Backend)
      async throws
    {
      try await withLab(hosts: 2, backend: backend) { lab in
        let publisher = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "80", on: .h1)
        try await publisher.errorLine { $0.contains("Established") }

        let once = try lab.bonjourish("browse", "_http._tcp", "--once", "--json", on: .h2)
        #expect(try await once.exitCode() == 0)
        #expect(
          once.events == [
            [
              "schema": 1, "event": "found", "name": "Ada", "type": "_http._tcp", "title": "Web server", "domain": "local",
              "interfaces": ["eth0"],
            ],
            ["schema": 1, "event": "settled", "type": "_http._tcp"],
          ])

        let clock = ContinuousClock()
        let start = clock.now
        let limited = try lab.bonjourish("browse", "_http._tcp", "--for", "2", "--resolve", "--json", on: .h2)
        #expect(try await limited.exitCode() == 0)
        #expect(clock.now - start >= .seconds(2))
        // Whether that is long enough to settle depends on how late the first answers came.
        #expect(limited.listed == ["Ada"])
        #expect(limited.events("lost") == [])

        let nothing = try lab.bonjourish("browse", "_ipp._tcp", "--resolve", "--once", on: .h2)
        #expect(try await nothing.exitCode() == 1)
        #expect(nothing.outputLines == [] && nothing.errorLines == ["No _ipp._tcp services found."])
      }
    }

    @Test(arguments: Backend.allCases) func `a service is resolved by its name`(backend: Backend) async throws {
      try await withLab(hosts: 2, backend: backend) { lab in
        let name = "v1.2 \"q\" \\ Grüße"
        let publisher = try lab.start("avahi-publish", "-s", name, "_http._tcp", "80", "k=v", on: .h1)
        try await publisher.errorLine { $0.contains("Established") }

        let program = try lab.bonjourish("resolve", name, "_http._tcp", "--json", on: .h2)
        #expect(try await program.exitCode() == 0)
        #expect(
          program.events == [
            [
              "schema": 1, "event": "resolved", "type": "_http._tcp", "domain": "local", "name": .string(name),
              "host": "h1.local",
              "port": 80,
              "addresses": ["10.77.0.1", "2001:db8:77::1"], "txt": ["k": "v"],
            ]
          ])
        let screen = try lab.bonjourish("resolve", name, "_http._tcp", on: .h2)
        #expect(try await screen.exitCode() == 0)
        // The host may not repeat a record by multicast within a second (RFC 6762 §6), and resolving does not wait that long for an
        // address of the other family.
        let fields = try #require(screen.outputLines.first).split(separator: " ")
        #expect(fields.first == "h1.local:80" && fields.last == #"k="v""# && screen.outputLines.count == 1 && fields.count == 3)
        #expect(Set(fields[1].split(separator: ",")).isSubset(of: ["10.77.0.1", "2001:db8:77::1"]))
      }
    }

    @Test(arguments: Backend.allCases) func `only the interface that was asked for is looked on`(backend: Backend) async throws
    {
      try await withLab(hosts: 1, backend: backend) { lab in
        let everywhere = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", on: .h1)
        let loopback = try lab.bonjourish("publish", "Bob", "_http._tcp", "81", "--interface", "lo", "--json", on: .h1)
        for publisher in [everywhere, loopback] { try await publisher.event("published") }
        let browser = try lab.bonjourish("browse", "_http._tcp", "--once", "--json", "--interface", "eth0", on: .h1)
        #expect(try await browser.exitCode() == 0)
        #expect(browser.listed == ["Ada"])
      }
    }

  }
}

extension JSON {
  /// The object with one more member.
  fileprivate func with(_ key: String, _ value: JSON) -> JSON {
    guard case .object(var members) = self else { return self }
    members[key] = value
    return .object(members)
  }
}

extension String {
  /// Whether nothing in it moves a terminal's cursor or reorders what it shows.
  fileprivate var isHarmless: Bool {
    unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0.properties.generalCategory != .format }
  }
}
