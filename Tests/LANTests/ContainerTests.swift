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
  }
}
