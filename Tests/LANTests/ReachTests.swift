import Testing

extension TalkingOnALAN {
  /// Hosts that reach nobody, and say why.
  @Suite("Reach")
  struct ReachTests {
    /// What keeps multicast DNS from the network.
    enum Obstacle: String, CaseIterable, CustomTestStringConvertible {
      case droppedInput, droppedOutput, noInterface

      var testDescription: String { rawValue }

      /// A part of the reason that is told.
      var reason: String {
        switch self {
        case .droppedInput: "is not received there"
        case .droppedOutput: "nothing can be sent"
        case .noInterface: "no network interface can be used"
        }
      }

      private var hook: String? {
        switch self {
        case .droppedInput: "input"
        case .droppedOutput: "output"
        case .noInterface: nil
        }
      }

      func arise(in lab: Lab) async throws {
        guard let hook else {
          try await lab.carryOut("ip", "link", "set", "lo", "down")
          return try await lab.link(.remove, of: .h1)
        }
        try await lab.carryOut(
          "nft",
          "add table inet wall; add chain inet wall c { type filter hook \(hook) priority 0; }; "
            + "add rule inet wall c udp dport 5353 drop")
      }

      func vanish(from lab: Lab) async throws {
        guard hook == nil else { return try await lab.carryOut("nft", "delete table inet wall") }
        try await lab.carryOut("ip", "link", "set", "lo", "up")
        try await lab.link(.add, of: .h1)
      }
    }

    @Test(arguments: Backend.allCases, Obstacle.allCases)
    func `a host that reaches nobody says so and publishes when it does`(_ backend: Backend, _ obstacle: Obstacle) async throws
    {
      try await withLab(hosts: 2, daemons: backend == .avahi, backend: backend) { lab in
        try await obstacle.arise(in: lab)
        let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", on: .h1)
        let near = try lab.bonjourish("browse", "_http._tcp", "--json", on: .h1)
        for program in [ada, near] {
          try await program.event("interrupted") { $0["reason"]?.string?.contains(obstacle.reason) == true }
        }
        let resolution = try lab.bonjourish("resolve", "Bob", "_http._tcp", "--timeout", "2", on: .h1)
        let list = try lab.bonjourish("browse", "_http._tcp", "--once", on: .h1)
        for program in [resolution, list] {
          #expect(try await program.exitCode(within: .seconds(15)) == 69)
          #expect(program.errorLines.contains { $0.contains(obstacle.reason) })
        }
        #expect(ada.events("published").isEmpty)

        try await obstacle.vanish(from: lab)
        try await near.event("restored")
        let far = try lab.bonjourish("browse", "_http._tcp", "--json", on: .h2)
        for browser in [near, far] { try await browser.event("found", within: .seconds(15)) { $0["name"] == "Ada" } }
      }
    }

    @Test(arguments: Backend.allCases)
    func `programs of a machine without a network find each other`(_ backend: Backend) async throws {
      try await withLab(hosts: 2, daemons: backend == .avahi, backend: backend) { lab in
        try await lab.link(.remove, of: .h1)
        let near = try lab.bonjourish("browse", "_http._tcp", "--json", on: .h1)
        try await near.event("limited") { $0["reason"]?.string?.contains("no network interface") == true }
        let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", on: .h1)
        try await near.event("found") { $0["name"] == "Ada" && $0["interfaces"]?.array == ["lo"] }
        try await ada.event("published")

        try await lab.link(.add, of: .h1)
        try await near.event("unlimited")
        let far = try lab.bonjourish("browse", "_http._tcp", "--json", on: .h2)
        try await far.event("found", within: .seconds(15)) { $0["name"] == "Ada" }
      }
    }
  }
}

extension Lab {
  /// Runs a command on the first host, and expects that it succeeds.
  fileprivate func carryOut(_ command: String...) async throws {
    #expect(try await start(command, on: .h1).exitCode() == 0)
  }
}
