import Testing

extension OnALAN {
  /// `bonjourish browse --all`.
  struct BrowsingAllTests {
    @Test(arguments: Backend.allCases) func `everything on the network is one list, and follows the types`(
      backend: Backend
    ) async throws {
      try await withLab(hosts: 2, backend: backend) { lab in
        let ada = try lab.bonjourish("publish", "Ada", "http", "80", "path=/a", "--json", on: .h1)
        let printer = try lab.start("avahi-publish", "-s", "Printer", "_ipp._tcp", "631", on: .h1)
        let odd = try lab.start("avahi-publish", "-s", "Odd", "_nvstream_dbd._tcp", "82", on: .h2)
        try await ada.event("published")
        for publisher in [printer, odd] { try await publisher.errorLine { $0.contains("Established") } }

        let list = try lab.bonjourish("browse", "--all", "--once", "--sort", "name", on: .h2)
        #expect(try await list.exitCode() == 0)
        let shown = list.outputLines.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
        #expect(shown == [#"+ "Ada" _http._tcp"#, #"+ "Odd" _nvstream_dbd._tcp"#, #"+ "Printer" _ipp._tcp"#])

        let found = try lab.bonjourish("browse", "--all", "--filter", "path=/a", "--count", "1", "--json", on: .h2)
        #expect(try await found.exitCode() == 0)
        #expect(found.events("found").map { $0["host"] } == ["h1.local"])

        // A type that nobody had, then without its last service.
        let follower = try lab.bonjourish("browse", "--all", "--json", on: .h2)
        try await follower.event("settled") { $0["type"] == "_ipp._tcp" }
        let late = try lab.bonjourish("publish", "Late", "ssh", "22", "--json", on: .h1)
        try await follower.event("found") { $0["name"] == "Late" && $0["type"] == "_ssh._tcp" }
        try late.signal(15)
        try await follower.event("lost") { $0["name"] == "Late" }
      }
    }

    @Test func `a network without services is told`() async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        let nothing = try lab.bonjourish("browse", "--all", "--once", on: .h1)
        #expect(try await nothing.exitCode() == 1)
        #expect(nothing.outputLines == [] && nothing.errorLines == ["No services found."])
      }
    }

    @Test func `of hundreds of announced types 256 are browsed, and a person is told`() async throws {
      try await withLab(hosts: 2, daemons: false) { lab in
        try await lab.start(LAN.peer("many") + ["280"], on: .h2).line { $0 == "announced" }
        let all = try lab.bonjourish("browse", "--all", "--count", "256", "--json", on: .h1)
        #expect(try await all.exitCode(within: .seconds(60)) == 0)
        #expect(Set(all.events("found").compactMap { $0["type"]?.string }).count == 256)
        #expect(all.errorLines.count == 1)
        #expect(all.errorLines.first?.contains("more than 256 service types are announced") == true)
      }
    }

    @Test func `thousands of announced types, more than are remembered, do no harm`() async throws {
      try await withLab(hosts: 2, daemons: false) { lab in
        try await lab.start(LAN.peer("many") + ["2000"], on: .h2).line { $0 == "announced" }
        let all = try lab.bonjourish("browse", "--all", "--count", "200", "--json", on: .h1)
        #expect(try await all.exitCode(within: .seconds(60)) == 0)
        // Never more than the limit at a time.
        var browsed: Set<String> = []
        for event in all.events("found", "lost") {
          guard let type = event["type"]?.string else { continue }
          if event["event"] == "found" { browsed.insert(type) } else { browsed.remove(type) }
          #expect(browsed.count <= 256)
        }
        #expect(all.errorLines.count <= 1)
      }
    }
  }
}
