import CBonjourishLinux
import Foundation
import Testing
import TwentyFour

extension DirectoryOnALAN {
  /// A group of match servers at a directory that the files in Examples/Directory configure.
  struct MatchGroupTests {
    private static let h6 = Lab.Host(number: 6)

    /// Starts a match server as a user of the directory.
    private func server(
      _ name: String, as user: String, of cluster: NATSCluster, _ options: String..., on host: Lab.Host, in lab: Lab
    ) throws -> Program {
      let command = [
        LAN.program("twentyfour-host"), "--name", name, "--json", "--dedicated", "--players", "2:2", "--rounds", "2",
        "--round-seconds", "120", "--pause-seconds", "1", "--group-key", "\(lab.folder)/group.pem", "--directory", cluster.urls,
        "--no-local",
      ]
      return try lab.start(cluster.environment(as: user) + lab.own(host).dropFirst() + command + options, on: host)
    }

    /// Starts two players of a server, and waits until their match has begun and is stored.
    private func players(
      of name: String, _ cluster: NATSCluster, on host: Lab.Host, in lab: Lab
    ) async throws -> (players: [Program], hand: Hand) {
      let players = try ["Ada", "Bob"].map { player in
        let command = [
          LAN.program("twentyfour-join"), name, "--name", player, "--json", "--directory", cluster.urls, "--no-local",
        ]
        return try lab.start(cluster.environment(as: "guest") + lab.own(host).dropFirst() + command, on: host)
      }
      let first = try await players[0].hand(1)
      _ = try await players[1].hand(1)
      try await play(1, players, first)
      let second = try await players[0].hand(2)
      _ = try await players[1].hand(2)
      // What happens is stored a second later.
      try await Task.sleep(for: .milliseconds(2_500))
      return (players, second)
    }

    private func play(_ round: Double, _ players: [Program], _ hand: Hand) async throws {
      for player in players { try player.send(try hand.solution()) }
      for player in players { try await player.event("roundEnded") { $0["number"]?.number == round } }
    }

    @Test func `with the files as they are, another server goes on with a match whose server is killed`() async throws {
      try await withLab(hosts: 4, daemons: false) { lab in
        let cluster = try await lab.natsCluster(on: [.h4])
        let one = try server("One", as: "server", of: cluster, on: .h1, in: lab)
        try await one.event("open")
        let two = try server("Two", as: "server", of: cluster, on: .h2, in: lab)
        try await two.event("open")
        let (players, hand) = try await players(of: "One", cluster, on: .h3, in: lab)
        let start = ContinuousClock.now
        try one.signal(SIGKILL)
        try await two.event("match", within: .seconds(30)) { $0["state"] == "adopted" }
        print("adopted \(ContinuousClock.now - start) after the death of its server")
        for player in players { try await player.event("resumed", within: .seconds(40)) }
        print("everybody is back \(ContinuousClock.now - start) later")
        try await play(2, players, hand)
        for player in players { #expect(try await player.exitCode() == 0) }
        #expect(one.events("group").isEmpty && two.events("group").isEmpty)
        #expect(!one.errorLines.contains { $0.contains("no other server can") })
      }
    }

    @Test func `a server whose user may not keep matches is told so, and what to do`() async throws {
      try await withLab(hosts: 4, daemons: false) { lab in
        let cluster = try await lab.natsCluster(on: [.h4])
        let operators = try lab.directory("list", "_twentyfour._tcp", "1", as: "operator", of: cluster, on: .h2)
        #expect(try await operators.exitCode(within: .seconds(30)) == 0)
        let one = try server("One", as: "host", of: cluster, on: .h1, in: lab)
        let start = ContinuousClock.now
        let news = try await one.event("group")
        print("told \(ContinuousClock.now - start) after the start")
        #expect(news["state"] == "unavailable")
        #expect(news["reason"]?.string?.contains("Examples/Directory/nats.conf") == true)
        try await one.errorLine { $0.contains("no other server can go on with the matches of this one") }
        // It is a server nevertheless.
        try await one.event("open")
        let two = try server("Two", as: "server", of: cluster, "--group-size", "4096", on: .h2, in: lab)
        let quota = try await two.event("group")
        #expect(quota["reason"]?.string?.contains("--group-size") == true)
      }
    }

    @Test func `the leader of the bucket dies, and no match is suspended`() async throws {
      try await withLab(hosts: 6, daemons: false) { lab in
        let cluster = try await lab.natsCluster()
        let one = try server("One", as: "server", of: cluster, "--replicas", "3", on: .h4, in: lab)
        try await one.event("open", within: .seconds(60))
        let two = try server("Two", as: "server", of: cluster, "--replicas", "3", on: .h5, in: lab)
        try await two.event("open", within: .seconds(60))
        let (players, hand) = try await players(of: "One", cluster, on: Self.h6, in: lab)
        let leader = try await cluster.leader(of: "KV_bonjourish-matches")
        let victim = try #require(leader)
        let start = ContinuousClock.now
        try await cluster.kill(victim)
        var next: Lab.Host?
        while next == nil || next == victim, ContinuousClock.now < start + .seconds(40) {
          next = try await cluster.leader(of: "KV_bonjourish-matches")
        }
        #expect(next != nil && next != victim)
        print("another leader after \(ContinuousClock.now - start)")
        // Longer than a lease.
        try await Task.sleep(for: .seconds(15))
        #expect(one.events("match").isEmpty && two.events("match").isEmpty)
        try await play(2, players, hand)
        for player in players { #expect(try await player.exitCode() == 0) }
      }
    }
  }
}
