import Testing

extension PublishingOnALAN {
  /// Interfaces that come and go, and many of them.
  @Suite("Interfaces")
  struct InterfaceTests {
    @Test(arguments: Backend.allCases)
    func `a restriction to an interface outlives the interface`(_ backend: Backend) async throws {
      try await withLab(hosts: 2, daemons: backend == .avahi, backend: backend) { lab in
        let near = try lab.bonjourish("browse", "_http._tcp", "--interface", "eth0", "--json", on: .h1)
        let far = try lab.bonjourish("browse", "_http._tcp", "--json", on: .h2)
        let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--interface", "eth0", "--json", on: .h1)
        try await ada.event("published")
        for browser in [near, far] { try await browser.event("found") { $0["name"] == "Ada" } }

        // As when an adapter is unplugged: the kernel gives the next one another index.
        try await lab.link(.remove, of: .h1)
        try await near.event(backend == .avahi ? "interrupted" : "lost")
        let bob = try lab.bonjourish("publish", "Bob", "_http._tcp", "81", "--json", on: .h2)
        try await bob.event("published")
        try await lab.link(.add, of: .h1)
        try await near.event("found", within: .seconds(20)) { $0["name"] == "Bob" }
        // A browser that begins now hears what is published now.
        let later = try lab.bonjourish(
          "browse", "_http._tcp", "--json", "--backend", Backend.builtin.rawValue, on: .h2)
        try await later.event("found", within: .seconds(20)) { $0["name"] == "Ada" }
      }
    }

    @Test func `a service is found on every one of sixty-four networks`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        // Without IPv6, which has another limit.
        let cables = try lab.start(
          "sh", "-c",
          """
          for i in $(seq 64); do
            echo link add v$i type veth peer name v$i netns h2
            echo link set v$i addrgenmode none up
            echo address add 10.88.$i.1/24 dev v$i
          done | ip -batch -
          """, on: .h1)
        #expect(try await cables.exitCode(within: .seconds(20)) == 0)
        let others = try lab.start(
          "sh", "-c",
          """
          for i in $(seq 64); do
            echo link set v$i addrgenmode none up
            echo address add 10.88.$i.2/24 dev v$i
          done | ip -batch -
          """, on: .h2)
        #expect(try await others.exitCode(within: .seconds(20)) == 0)
        let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", "--verbose", on: .h1)
        try await ada.event("published")
        let browser = try lab.bonjourish("browse", "_http._tcp", "--json", "--verbose", on: .h2)
        try await browser.line(within: .seconds(20)) { JSON(line: $0)?["interfaces"]?.array?.count == 65 }
        for program in [ada, browser] { #expect(!program.errorLines.contains { $0.contains("no mDNS") }) }
      }
    }
  }
}
