import CBonjourishLinux
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
        let (one, other, players) = try await openGroup(lab)
        let points = try await playOneRound(players, number: 1)
        let hand = try await players[0].hand(2)
        try await dealAndStore([players[1]], number: 2)

        let start = ContinuousClock.now
        try one.signal(fate.signal)
        let adopted = try await other.event("match") { $0["state"] == "adopted" }
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
          #expect(try await player.exitCode() == 0)
          #expect(player.events.last?["reason"] == "finished")
        }
        // Each round was written down by one server.
        if fate == .paused {
          try one.signal(SIGTERM)
          #expect(try await one.exitCode() == 0)
        }
        try other.signal(SIGTERM)
        #expect(try await other.exitCode() == 0)
        let rounds = try await lab.rounds(of: ["One", "Two"])
        #expect(rounds == [1, 2])
        // Nothing is left to go on with.
        #expect(other.events("match").count == 1)
      }
    }

    @Test func `a server that gets a match a second time keeps what it has recorded`() async throws {
      try await withLab(hosts: 4, daemons: false) { lab in
        let (one, other, players) = try await openGroup(lab)
        _ = try await playOneRound(players, number: 1)
        try await dealAndStore(players, number: 2)
        try one.signal(SIGSTOP)
        try await other.event("match") { $0["state"] == "adopted" }
        for player in players { try await player.event("resumed", within: .seconds(40)) }
        try one.signal(SIGCONT)
        try await one.event("match", within: .seconds(10)) { $0["state"] == "lost" }
        _ = try await playOneRound(players, number: 2)
        try await dealAndStore(players, number: 3)
        try other.signal(SIGKILL)
        try await one.event("match") { $0["state"] == "adopted" }
        for player in players { try await player.event("resumed", within: .seconds(40)) }
        let points = try await playOneRound(players, number: 3)
        for player in players { #expect(try await player.exitCode() == 0) }
        try one.signal(SIGTERM)
        #expect(try await one.exitCode() == 0)
        #expect(try await lab.rounds(of: ["One", "Two"]) == [2, 1])

        // Each file has the points of its own rounds, and all files together those that the players were told.
        let files = ["One", "Two"].map { "\(lab.folder)/\($0).sqlite" }
        var sums: [String: Double] = [:]
        for file in files {
          for line in try await lab.results("--leaderboard", "--results", file) {
            sums[line["player"]?.string ?? "", default: 0] += line["points"]?.number ?? 0
          }
        }
        #expect(sums == points)
        // A file that is given twice counts once.
        let whole = try await lab.results(["results"] + files + files)
        #expect(whole.count == 2)
        for line in whole {
          #expect(line["points"]?.number == points[line["player"]?.string ?? ""])
          #expect(line["rounds"] == 3 && line["solved"] == 3 && line["matches"] == 1)
        }
        let history = try await lab.results(["results", "--history"] + files)
        #expect(history.count == 1 && history.first?["rounds"] == 3)
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

    /// Opens a server and its match of two, then another server of its group.
    private func openGroup(_ lab: Lab) async throws -> (one: Program, other: Program, players: [Program]) {
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
      return (one, other, players)
    }

    /// Waits until a round is dealt and stored.
    private func dealAndStore(_ players: [Program], number: Double) async throws {
      for player in players { _ = try await player.hand(number) }
      // What happens is stored a second later.
      try await Task.sleep(for: .milliseconds(2_500))
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
      LAN.natsServer, "--addr", Host.h4.address, "--port", "4222", "--jetstream", "--store_dir", "\(folder)/nats",
      on: .h4)
    try await server.errorLine { $0.contains("Server is ready") }
    return "nats://\(Host.h4.address):4222"
  }

  /// The numbers of rounds in the latest matches of servers' results.
  fileprivate func rounds(of servers: [String]) async throws -> [Double] {
    var rounds: [Double] = []
    for server in servers {
      rounds += try await results("--history", "--results", "\(folder)/\(server).sqlite").compactMap { $0["rounds"]?.number }
    }
    return rounds
  }

  fileprivate func results(_ arguments: String...) async throws -> [JSON] { try await results(arguments) }

  /// The lines of a mode of the host that reads results.
  fileprivate func results(_ arguments: [String]) async throws -> [JSON] {
    let reader = try start([LAN.program("twentyfour-host")] + arguments + ["--json"], on: .h4)
    #expect(try await reader.exitCode() == 0)
    return reader.outputLines.compactMap { JSON(line: $0) }
  }
}
