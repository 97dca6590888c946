import CBonjourishLinux
import Foundation
import Testing
import TwentyFour

extension TalkingOnALAN {
  /// Connections that break and hosts that are killed, in the middle of a round.
  struct ComingBackTests {
    @Test(arguments: [10, 40]) func `a pulled cable costs no player anything`(seconds: Int) async throws {
      try await withLab { lab in
        let ada = try lab.host("Ada", "--round-seconds", "200", "--pause-seconds", "1", on: .h1)
        try await ada.event("open")
        let bob = try lab.player("Bob", "Ada's game", on: .h2)
        let cleo = try lab.player("Cleo", "Ada's game", on: .h3)
        for player in ["Bob", "Cleo"] { try await ada.event("joined") { $0["player"]?.string == player } }
        let points = try await playOneRound(ada, bob, cleo)

        let hand = try await bob.hand(2)
        try await lab.link(isUp: false, of: .h2)
        let start = ContinuousClock.now
        if seconds > 20 {
          for program in [ada, cleo] { try await program.event("away", within: .seconds(21)) { $0["player"] == "Bob" } }
          try await bob.event("reconnecting")
        }
        try await Task.sleep(until: start + .seconds(seconds))
        try await lab.link(isUp: true, of: .h2)
        if seconds > 20 {
          try await bob.event("resumed")
          for program in [ada, cleo] { try await program.event("back") { $0["player"] == "Bob" } }
          // The round is the same, with less of its time.
          let dealt = try await bob.event("round") { $0["number"] == 2 }
          #expect(dealt["seconds"]?.number ?? 0 < 160)
        }
        try bob.send(try hand.solution())
        for program in [ada, bob, cleo] { try await program.event("answer") { $0["player"] == "Bob" } }
        for program in [ada, cleo] { try program.send("give up") }
        let result = try await bob.event("roundEnded") { $0["number"] == 2 }
        #expect(try await ada.event("roundEnded") { $0["number"] == 2 } == result)
        for line in result["standings"]?.array ?? [] {
          let earned = try #require(points[line["player"]?.string ?? ""])
          let now = try #require(line["points"]?.number)
          #expect(line["player"] == "Bob" ? now > earned : now == earned)
        }
        for program in [ada, bob, cleo] { #expect(program.events("left") == []) }
      }
    }

    @Test func `a host that was killed goes on with its state, and everyone comes back by himself`() async throws {
      try await withLab { lab in
        let state = lab.folder + "/room.json"
        func start() throws -> Program {
          try lab.host("Ada", "--round-seconds", "200", "--pause-seconds", "1", "--state", state, on: .h1)
        }
        let first = try start()
        let opened = try await first.event("open")
        let bob = try lab.player("Bob", "Ada's game", on: .h2)
        let cleo = try lab.player("Cleo", "Ada's game", on: .h3)
        for player in ["Bob", "Cleo"] { try await first.event("joined") { $0["player"]?.string == player } }
        let points = try await playOneRound(first, bob, cleo)
        let hand = try await bob.hand(2)
        _ = try await cleo.hand(2)
        // What happens is on the disk a second later.
        try await Task.sleep(for: .milliseconds(1_500))
        try first.signal(SIGKILL)
        for program in [bob, cleo] { try await program.event("reconnecting") }

        let second = try start()
        let again = try await second.event("open")
        #expect(again["room"] == opened["room"])
        #expect(again["port"] == opened["port"])
        for program in [bob, cleo] { try await program.event("resumed") }
        for player in ["Bob", "Cleo"] { try await second.event("back") { $0["player"]?.string == player } }
        for program in [second, bob, cleo] { #expect(try await program.hand(2).numbers == hand.numbers) }
        try bob.send(try hand.solution())
        try second.send("give up")
        try cleo.send("give up")
        let result = try await cleo.event("roundEnded") { $0["number"] == 2 }
        for line in result["standings"]?.array ?? [] {
          let earned = try #require(points[line["player"]?.string ?? ""])
          let now = try #require(line["points"]?.number)
          #expect(line["player"] == "Bob" ? now > earned : now == earned)
        }

        // Quitting closes the room for good.
        #expect(FileManager.default.fileExists(atPath: state))
        try second.send("quit")
        #expect(try await second.exitCode() == 0)
        for program in [bob, cleo] { #expect(try await program.event("closed")["reason"] == "hostLeft") }
        #expect(!FileManager.default.fileExists(atPath: state))
      }
    }

    /// Bob and Ada solve the first round, Cleo gives up.
    private func playOneRound(_ ada: Program, _ bob: Program, _ cleo: Program) async throws -> [String: Double] {
      let solution = try await bob.hand(1).solution()
      // Before a program knows of the round, it has nothing to answer or to give up.
      for program in [ada, cleo] { _ = try await program.hand(1) }
      try bob.send(solution)
      try ada.send(solution)
      try cleo.send("give up")
      let result = try await cleo.event("roundEnded")
      var points: [String: Double] = [:]
      for line in result["standings"]?.array ?? [] { points[line["player"]?.string ?? ""] = line["points"]?.number }
      #expect(points["Bob"] ?? 0 > 0 && points["Ada"] ?? 0 > 0 && points["Cleo"] == 0)
      return points
    }
  }
}
