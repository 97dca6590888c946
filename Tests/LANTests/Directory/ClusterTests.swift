import CBonjourishLinux
import Testing

extension DirectoryOnALAN {
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
          let applicant = try lab.directory("list", Self.type, "1", as: "guest", of: cluster, on: .h5)
          #expect(try await applicant.exitCode(within: .seconds(30)) == 0)
          #expect(applicant.outputLines.first?.hasPrefix("1 ") == true)
          try await cluster.start(victim)
          try await rejoined(cluster)
        }
        // On a busy machine the servers may not be ready at the beginning.
        let told = guest.outputLines.drop { $0 != "found Game" }
        #expect(!told.contains { $0.hasPrefix("lost") || $0 == "interrupted" })
        #expect(!host.outputLines.contains { $0.hasPrefix("renamed") })
      }
    }

    /// Every player's program is connected with one of the servers, and each of these is killed once.
    @Test func `each server of three is killed in turn, and no player waits for longer than two seconds`() async throws {
      try await withLab(hosts: 6, daemons: false, isRouted: true) { lab in
        let cluster = try await lab.natsCluster()
        try await makeBucket(lab, cluster)
        let (h4, h5, h6) = (Self.publisher, Lab.Host.h5, Lab.Host(number: 6))
        for (one, other) in [(h4, h5), (h4, h6), (h5, h6)] { try await lab.cut(one, from: other) }
        let options = ["--directory", cluster.urls, "--no-local"]
        let host = [LAN.program("twentyfour-host"), "--name", "Ada", "--json", "--round-seconds", "600"]
        let ada = try lab.start(cluster.environment(as: "host") + lab.own(h4).dropFirst() + host + options, on: h4)
        try await ada.event("open")
        try await ada.event("directory") { $0["state"] == "available" }
        var players: [Program] = []
        for (name, place) in [("Bob", h5), ("Cleo", h6)] {
          let player = [LAN.program("twentyfour-join"), "--name", name, "--json", "Ada's game"]
          players.append(
            try lab.start(cluster.environment(as: "guest") + lab.own(place).dropFirst() + player + options, on: place))
        }
        for player in players { try await player.event("round") }
        for victim in cluster.hosts {
          try await cluster.kill(victim)
          let longest = try await longestWait(of: players, for: .seconds(4))
          print("an answer is acknowledged within \(longest) after the death of \(victim)")
          #expect(longest < .seconds(2))
          try await cluster.start(victim)
          try await rejoined(cluster)
        }
        for player in [ada] + players { #expect(player.events("away", "reconnecting", "left").isEmpty) }
      }
    }

    /// Has players give wrong answers one after the other, and returns the longest time until one was refused.
    private func longestWait(of players: [Program], for duration: Duration) async throws -> Duration {
      let end = clock.now + duration
      var longest = Duration.zero
      while clock.now < end {
        let start = clock.now
        for player in players { try player.send("1+1") }
        for player in players {
          try await player.event("refused")
          longest = max(longest, clock.now - start)
        }
        try await Task.sleep(for: .milliseconds(200))
      }
      return longest
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
