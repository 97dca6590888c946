import CLinux
import Testing

extension TalkingOnALAN {
  /// A directory on three servers, of which one is killed while services are published, browsed and renewed.
  struct ClusterTests {
    private static let type = "_cluster._tcp"
    private static let publisher = Lab.Host(number: 4)
    private let clock = ContinuousClock()

    @Test func `a server of three is killed, and changes still arrive`() async throws {
      try await withLab(hosts: 5, daemons: false) { lab in
        let cluster = try await lab.natsCluster()
        // Makes the bucket, when the servers have agreed on who leads.
        try await makeBucket(lab, cluster)
        let host = try lab.directory("name", Self.type, "Game", as: "host", of: cluster, on: Self.publisher)
        try await host.line { $0 == "established as Game" }
        let guest = try lab.directory("browse", Self.type, as: "guest", of: cluster, on: .h5)
        try await guest.line { $0 == "found Game" }
        for round in 1...2 {
          let leader = try await cluster.leader(of: "KV_bonjourish")
          let leading = try #require(leader)
          // First one that only follows, then the one that leads.
          let victim = round == 1 ? cluster.hosts.first { $0 != leading } ?? leading : leading
          try await cluster.kill(victim)
          let began = clock.now
          try host.send("round \(round)")
          try await guest.line(within: .seconds(30)) { $0 == "updated Game round \(round)" }
          let taken = clock.now - began
          print("a change is seen \(taken) after the death of \(victim), \(round == 1 ? "a follower" : "the leader")")
          // A browser whose list comes from the victim finds that out after five seconds without a word, and the cluster may give the
          // next one to the victim, too. A new leader is elected after 4-9 s (a constant of the server).
          #expect(taken < .seconds(20))
          let newcomer = try lab.directory("list", Self.type, "1", as: "guest", of: cluster, on: .h5)
          #expect(try await newcomer.exitCode(within: .seconds(30)) == 0)
          #expect(newcomer.outputLines.first?.hasPrefix("1 ") == true)
          try await cluster.start(victim)
          try await rejoined(cluster)
        }
        #expect(!guest.outputLines.contains { $0.hasPrefix("lost") || $0 == "interrupted" })
        #expect(!host.outputLines.contains { $0.hasPrefix("renamed") })
      }
    }

    private func makeBucket(_ lab: Lab, _ cluster: NATSCluster) async throws {
      for _ in 0..<20 {
        let maker = try lab.directory("list", Self.type, "1", as: "operator", of: cluster, on: Self.publisher)
        if try await maker.exitCode(within: .seconds(30)) == 0 { return }
      }
      throw LabError("no bucket can be made")
    }

    private func rejoined(_ cluster: NATSCluster) async throws {
      for _ in 0..<50 where try await cluster.leader(of: "KV_bonjourish") == nil {
        try await Task.sleep(for: .milliseconds(200))
      }
    }
  }
}
