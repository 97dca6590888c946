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

    @Test(arguments: Backend.allCases)
    func `a host that reaches nobody says so and publishes when it does`(_ backend: Backend) async throws {
      try await withEach(of: Obstacle.allCases) { obstacle in
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
            #expect(try await program.exitCode() == 69)
            #expect(program.errorLines.contains { $0.contains(obstacle.reason) })
          }
          #expect(ada.events("published").isEmpty)

          try await obstacle.vanish(from: lab)
          try await near.event("restored")
          let far = try lab.bonjourish("browse", "_http._tcp", "--json", on: .h2)
          for browser in [near, far] { try await browser.event("found") { $0["name"] == "Ada" } }
        }
      }
    }

    /// How long an idle publisher may take to notice that nothing arrives any more.
    private static func limit(_ backend: Backend) -> Duration { backend == .avahi ? .seconds(10) : .seconds(60) }

    @Test(arguments: Backend.allCases)
    func `a publisher that has nothing to say notices a firewall that comes later`(_ backend: Backend) async throws {
      try await withEach(of: [Obstacle.droppedInput, .droppedOutput]) { obstacle in
        try await withLab(hosts: 1, daemons: backend == .avahi, backend: backend) { lab in
          let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", on: .h1)
          try await ada.event("published")
          // Its announcements are over.
          try await Task.sleep(for: .seconds(5))
          try await obstacle.arise(in: lab)
          try await ada.event("interrupted", within: Self.limit(backend)) {
            $0["reason"]?.string?.contains(obstacle.reason) == true
          }
          try await obstacle.vanish(from: lab)
          try await ada.event("restored")
        }
      }
    }

    @Test(arguments: Backend.allCases)
    func `a browser says on which interfaces it works and why not on others`(_ backend: Backend) async throws {
      try await withLab(hosts: 2, daemons: backend == .avahi, backend: backend) { lab in
        try await lab.carryOut(
          "sh", "-ec",
          "ip link add docker0 type bridge; ip address add 10.88.0.1/24 dev docker0; ip link set docker0 up; "
            + "ip link add lan0 link eth0 type macvlan mode bridge; ip link set lan0 up; ip address add 10.77.0.101/24 dev lan0"
        )
        let browser = try lab.bonjourish("browse", "_http._tcp", "--json", "--verbose", on: .h1)
        try await browser.reaches("lan0", "works")
        try await browser.reaches("eth0", "unused", "inside")
        try await browser.reaches("docker0", "unused", "inside")
        try await browser.reaches("lo", "unused", "loopback")
        let wall = "add table inet wall; add chain inet wall c { type filter hook output priority 0; }; "
        try await lab.carryOut("nft", wall + "add rule inet wall c udp dport 5353 drop")
        // Nothing is sent unless somebody asks.
        let other = try lab.bonjourish("browse", "_http._tcp", "--json", "--verbose", "--interface", "lan0", on: .h1)
        try await other.reaches("lan0", "fails", "refused")
        try await other.reaches("eth0", "unused", "notSelected")
        try await lab.carryOut("nft", "delete table inet wall")
        try await other.reaches("lan0", "works")
        try await lab.carryOut("ip", "link", "set", "lan0", "down")
        try await other.reaches("lan0", "fails", "notUp")
        try await browser.reaches("eth0", "works")
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
        try await far.event("found") { $0["name"] == "Ada" }
      }
    }
  }
}

extension Program {
  /// Waits until a program says that an interface has a state over IPv4.
  fileprivate func reaches(_ interface: String, _ state: String, _ code: String? = nil) async throws {
    func isSo(_ event: JSON) -> Bool {
      event["event"] == "reach"
        && event["links"]?.array?.contains {
          $0["interface"]?.string == interface && $0["family"]?.string == "ipv4" && $0["state"]?.string == state
            && $0["cause"]?["code"]?.string == code
        } == true
    }
    // The last one that was told counts, also if it was waited for already.
    if events("reach").last.map(isSo) == true { return }
    try await json(where: isSo)
  }
}

extension Lab {
  /// Runs a command on the first host, and expects that it succeeds.
  fileprivate func carryOut(_ command: String...) async throws {
    #expect(try await start(command, on: .h1).exitCode() == 0)
  }
}
