import Testing

extension PublishingOnALAN {
  /// Programs in containers: see `Examples/Containers`.
  @Suite("Containers")
  struct ContainerTests {
    @Test func `a container with an address on the LAN is a host like others`() async throws {
      try await withLab(hosts: 2, daemons: true) { lab in
        let far = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", on: .h2)
        let contained = try lab.bonjourish("browse", "_http._tcp", "--json", inContainer: .macvlan, of: .h1)
        let ada = try lab.bonjourish(
          "publish", "Ada", "_http._tcp", "80", "--backend", "builtin", "--json", inContainer: .macvlan, of: .h1)
        try await ada.event("published")
        try await far.event("found") { $0["name"] == "Ada" && $0["host"]?.string?.hasPrefix("container") == true }
        try await contained.event("found") { $0["name"] == "Ada" }
      }
    }

    @Test func `a container without a network uses the daemon of its host`() async throws {
      try await withLab(hosts: 2, daemons: true) { lab in
        let far = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", on: .h2)
        let bob = try lab.bonjourish("publish", "Bob", "_http._tcp", "81", "--json", on: .h2)
        let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", inContainer: .bus, of: .h1)
        let contained = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", inContainer: .bus, of: .h1)
        for program in [ada, bob] { try await program.event("published") }
        try await far.event("found") { $0["name"] == "Ada" && $0["host"] == "h1.local" }
        // Its own network is not the daemon's, so nothing is said about it.
        try await contained.event("found") { event in
          event["name"] == "Bob" && event["host"] == "h2.local"
            && event["interfaces"]?.array?.first?.string?.hasPrefix("if") == true
        }
        #expect(contained.events("interrupted", "limited").isEmpty)
      }
    }

    @Test func `behind a bridge the three remedies are told within three seconds`() async throws {
      try await withLab(hosts: 2) { lab in
        let bob = try lab.bonjourish("publish", "Bob", "_http._tcp", "81", "--json", on: .h2)
        try await bob.event("published")
        let start = ContinuousClock.now
        let contained = try lab.bonjourish("browse", "_http._tcp", inContainer: .bridge, of: .h1)
        for remedy in ["nothing was found: ", "--network host", "-d macvlan", "/run/dbus/system_bus_socket"] {
          try await contained.errorLine(within: .seconds(10)) { $0.contains(remedy) }
        }
        let time = ContinuousClock.now - start
        #expect(time < .seconds(3), "\(time)")

        // One at a time: containers on the same bridge hear each other.
        try contained.signal(15)
        #expect(try await contained.exitCode() == 0)
        let once = try lab.bonjourish("browse", "--all", "--once", inContainer: .bridge, of: .h1)
        #expect(try await once.exitCode() == 1)
        let json = try lab.bonjourish("browse", "_http._tcp", "--once", "--json", inContainer: .bridge, of: .h1)
        #expect(try await json.exitCode() == 1)
        #expect(once.errorLines.count == 5 && once.errorLines.last == "No services found.")
        #expect(json.events("finding").map { $0["id"] } == ["container-network"])
        #expect(json.errorLines == [])
      }
    }

    @Test(arguments: [true, false]) func `where multicast passes, an empty list is no warning`(hasDaemons: Bool) async throws {
      try await withLab(hosts: 2, daemons: hasDaemons) { lab in
        var programs = [
          try lab.bonjourish("browse", "_http._tcp", "--for", "4", on: .h1),
          try lab.bonjourish("browse", "_http._tcp", "--for", "4", "--backend", "builtin", on: .h1),
          try lab.bonjourish("browse", "_http._tcp", "--for", "4", inContainer: .macvlan, of: .h2),
        ]
        if hasDaemons { programs.append(try lab.bonjourish("browse", "_http._tcp", "--for", "4", inContainer: .bus, of: .h2)) }
        for program in programs {
          #expect(try await program.exitCode() == 1)
          #expect(program.errorLines == ["No _http._tcp services found."])
        }
      }
    }
  }
}
