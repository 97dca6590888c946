import CLinux
import Foundation
import Testing
import TwentyFour

extension PlayingOnALAN {
  /// Servers that go on with each other's matches. Everything is found by a directory on h4.
  struct FailoverTests {
    /// How the server of the match goes.
    enum Fate: String, CaseIterable, Sendable {
      /// It dies.
      case killed
      /// It is paused, and wakes when another server has its match.
      case paused
      /// Its administrator ends it.
      case ended

      var signal: Int32 {
        switch self {
        case .killed: SIGKILL
        case .paused: SIGSTOP
        case .ended: SIGTERM
        }
      }
    }

    @Test(arguments: Fate.allCases) func `a match goes on at another server with the same points, and at one only`(
      fate: Fate
    ) async throws {
      try await withLab(hosts: 4, daemons: false) { lab in
        let directory = try await lab.startDirectory()
        // Both have the group's key, each its own results.
        func server(_ name: String, _ host: Lab.Host) throws -> Program {
          try lab.host(
            name, "--dedicated", "--players", "2:2", "--rounds", "3", "--round-seconds", "60", "--pause-seconds", "1",
            "--group-key", "\(lab.folder)/group.pem", "--results", "\(lab.folder)/\(name).sqlite", "--directory", directory,
            "--no-local", on: host)
        }
        let one = try server("One", .h1)
        try await one.event("open")
        let players = try ["Ada", "Bob"].map { name in
          try lab.player(name, "One", "--directory", directory, "--no-local", on: .h3)
        }
        for player in players { try await player.event("open") }
        let other = try server("Two", .h2)
        try await other.event("open")
        let points = try await playOneRound(players, number: 1)
        // The second round is dealt, and what happens is stored a second later.
        let hand = try await players[0].hand(2)
        _ = try await players[1].hand(2)
        try await Task.sleep(for: .milliseconds(2_500))

        let start = ContinuousClock.now
        try one.signal(fate.signal)
        let adopted = try await other.event("match", within: .seconds(20)) { $0["state"] == "adopted" }
        print("\(fate.rawValue): adopted \(ContinuousClock.now - start) later")
        for player in players { try await player.event("resumed", within: .seconds(40)) }
        print("\(fate.rawValue): everybody is back \(ContinuousClock.now - start) later")
        if fate == .paused {
          try one.signal(SIGCONT)
          let lost = try await one.event("match", within: .seconds(10)) { $0["state"] == "lost" }
          #expect(lost["name"] == adopted["name"])
        }

        // The same round, and the points of the first.
        for player in players { #expect(try await player.hand(2).numbers == hand.numbers) }
        let second = try await playOneRound(players, number: 2, hand)
        for (name, earned) in points { #expect(second[name] ?? 0 > earned) }
        let third = try await playOneRound(players, number: 3)
        for (name, earned) in second { #expect(third[name] ?? 0 > earned) }
        for player in players {
          #expect(try await player.exitCode(within: .seconds(20)) == 0)
          #expect(player.events.last?["reason"] == "finished")
        }
        // Each round was written down by one server.
        if fate == .paused {
          try one.signal(SIGTERM)
          #expect(try await one.exitCode(within: .seconds(15)) == 0)
        }
        try other.signal(SIGTERM)
        #expect(try await other.exitCode(within: .seconds(15)) == 0)
        let rounds = try await lab.rounds(of: ["One", "Two"])
        #expect(rounds == [1, 2])
        // Nothing is left to go on with.
        #expect(other.events("match").count == 1)
      }
    }

    @Test func `a match is listed by itself, and whoever joins it plays in it`() async throws {
      try await withLab(hosts: 4, daemons: false) { lab in
        let directory = try await lab.startDirectory()
        let lobby = try lab.bonjourish(
          "browse", "_twentyfour._tcp", "--resolve", "--json", "--directory", directory, "--no-local", on: .h3)
        let server = try lab.host(
          "One", "--dedicated", "--players", "2:3", "--directory", directory, "--no-local", on: .h1)
        try await server.event("open")
        let ada = try lab.player("Ada", "One", "--players", "2:2", "--directory", directory, "--no-local", on: .h3)
        let room = try await ada.event("open")["room"]
        let found = try await lobby.event("found") { $0["name"]?.string?.hasPrefix("One · match 1-") == true }
        let txt = try #require(found["txt"])
        #expect(txt["id"] == room && txt["players"] == "1" && txt["max"] == "2" && txt["state"] == "waiting")
        let name = try #require(found["name"]?.string)
        // Others want another size, and get another match.
        let cleo = try lab.player("Cleo", "One", "--players", "3:3", "--directory", directory, "--no-local", on: .h2)
        #expect(try await cleo.event("open")["room"] != room)
        let bob = try lab.player("Bob", name, "--directory", directory, "--no-local", on: .h2)
        #expect(try await bob.event("open")["room"] == room)
        try await lobby.event("updated", within: .seconds(25)) { $0["name"]?.string == name && $0["txt"]?["players"] == "2" }
        for player in [ada, bob] { try player.send("quit") }
        try await lobby.event("lost") { $0["name"]?.string == name }
      }
    }

    /// Both solve the round.
    private func playOneRound(_ players: [Program], number: Double, _ known: Hand? = nil) async throws -> [String: Double] {
      for player in players {
        let hand = if let known { known } else { try await player.hand(number) }
        try player.send(try hand.solution())
      }
      let result = try await players[0].event("roundEnded") { $0["number"]?.number == number }
      var points: [String: Double] = [:]
      for line in result["standings"]?.array ?? [] { points[line["player"]?.string ?? ""] = line["points"]?.number }
      #expect(points.count == 2)
      return points
    }
  }
}

extension Lab {
  /// Starts a directory on h4.
  ///
  /// - Returns: Its URL.
  func startDirectory() async throws -> String {
    let server = try start(
      "/usr/sbin/nats-server", "--addr", Host.h4.address, "--port", "4222", "--jetstream", "--store_dir", "\(folder)/nats",
      on: .h4)
    try await server.errorLine { $0.contains("Server is ready") }
    return "nats://\(Host.h4.address):4222"
  }

  /// The numbers of rounds in the latest matches of servers' results.
  fileprivate func rounds(of servers: [String]) async throws -> [Double] {
    var rounds: [Double] = []
    for server in servers {
      let history = try start(
        LAN.program("twentyfour-host"), "--history", "--json", "--results", "\(folder)/\(server).sqlite", on: .h4)
      _ = try await history.exitCode()
      rounds += history.events.compactMap { $0["rounds"]?.number }
    }
    return rounds
  }
}
