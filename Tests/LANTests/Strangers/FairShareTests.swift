import CBonjourishLinux
import Foundation
import Testing
import TwentyFour

extension StrangersOnALAN {
  /// One address that attacks a room or a match server, and honest players at others.
  struct FairShareTests {
    private func crowd(_ lab: Lab, _ arguments: String..., on host: Lab.Host = .h2) throws -> Program {
      try lab.start(LAN.peer("crowd") + [Lab.Host.h1.address] + arguments, on: host)
    }

    /// Dora solves the running round: she plays on.
    private func solve(_ hand: Hand, _ dora: Program) async throws {
      try dora.send(try hand.solution())
      try await dora.event("answer") { $0["player"]?.string == "Dora" }
    }

    @Test func `one address gets its share of a room, with sockets or without, and an honest player plays on`() async throws {
      try await withLab { lab in
        let ada = try lab.host("Ada", "--insecure", "--port", "4242", "--round-seconds", "300", on: .h1)
        try await ada.event("open")
        let seats = try crowd(lab, "4242", "seats")
        let taken = try await seats.event("done")
        #expect(taken["welcomed"] == 4)
        #expect(taken["codes"]?["share"]?.number ?? 0 > 0)
        let dora = try lab.player("Dora", "--insecure", "--connect", "10.77.0.1:4242", on: .h3)
        try await dora.event("open")
        try seats.closeInput()
        #expect(try await seats.exitCode(within: .seconds(10)) == 0)

        // The rate of joins lets it try again after a while. In the round its seats are kept, but not beyond its share.
        let hand = try await dora.hand(1)
        try await Task.sleep(for: .seconds(9))
        let ghosts = try crowd(lab, "4242", "ghosts")
        let haunted = try await ghosts.event("done", within: .seconds(30))
        #expect(haunted["welcomed"] == 4)
        try await solve(hand, dora)
        #expect(dora.events("closed") == [])
      }
    }

    @Test func `one address gets its share of a match server, and honest players get a match`() async throws {
      try await withLab { lab in
        let server = try lab.host("Server", "--dedicated", "--insecure", "--players", "2:16", "--pause-seconds", "0", on: .h1)
        try await server.event("open")
        let puppets = try crowd(lab, "1955", "matches")
        let taken = try await puppets.event("done", within: .seconds(30))
        #expect(taken["welcomed"]?.number ?? 99 <= 4)
        let honest = [
          try lab.player("Ada", "--insecure", "--connect", "10.77.0.1:1955", "--players", "2:2", on: .h3),
          try lab.player("Dora", "--insecure", "--connect", "10.77.0.1:1955", "--players", "2:2", on: .h1),
        ]
        for player in honest { try await player.event("open") }
        try await solve(try await honest[1].hand(1), honest[1])
        try puppets.closeInput()
      }
    }

    @Test func `who joins and leaves as fast as possible costs the others five updates a second at most`() async throws {
      try await withLab { lab in
        // Without limits by address, so that the crowd is as large as can be.
        let ada = try lab.host("Ada", "--insecure", "--port", "4242", "--round-seconds", "300", "--per-address", "0", on: .h1)
        try await ada.event("open")
        let dora = try lab.player("Dora", "--insecure", "--connect", "10.77.0.1:4242", on: .h3)
        let hand = try await dora.hand(1)
        let before = dora.events("standings").count
        let flood = try crowd(lab, "4242", "flood", "5")
        let done = try await flood.event("done")
        #expect(done["welcomed"]?.number ?? 0 > 100)
        // The window of the last updates included.
        let updates = dora.events("standings").count - before
        #expect(updates <= 5 * 7, "\(updates) updates")
        try await solve(hand, dora)
      }
    }

    @Test func `whoever is banned does not come back from that address under another name`() async throws {
      try await withLab { lab in
        let ada = try lab.host("Ada", "--insecure", "--port", "4242", "--round-seconds", "300", on: .h1)
        try await ada.event("open")
        let vandal = try lab.player("Bob 7", "--insecure", "--connect", "10.77.0.1:4242", on: .h2)
        try await vandal.event("open")
        let standings = try await ada.event("standings") { $0["standings"]?.array?.count == 2 }
        let line = try #require(standings["standings"]?.array?.first { $0["player"] == "Bob 7" })
        let number = try #require(line["number"]?.number.map { Int($0) })
        try ada.send("ban \(number)")
        #expect(try await ada.event("rule")["player"] == "Bob 7")
        #expect(try await vandal.event("closed")["reason"] == "banned")
        #expect(try await vandal.exitCode() == 69)
        let again = try crowd(lab, "4242", "name", "Somebody else")
        #expect(try await again.event("done")["codes"] == ["banned": 1])
        let dora = try lab.player("Dora", "--insecure", "--connect", "10.77.0.1:4242", on: .h3)
        try await dora.event("open")
        try await solve(try await dora.hand(1), dora)
      }
    }

    @Test func `puppets do not fill a leaderboard`() async throws {
      try await withLab { lab in
        let results = lab.folder + "/results.sqlite"
        // Without limits by address, so that only the rules of the results are in the way.
        let ada = try lab.host(
          "Ada", "--insecure", "--port", "4242", "--round-seconds", "300", "--per-address", "0", "--results", results, on: .h1)
        try await ada.event("open")
        let dora = try lab.player("Dora", "--insecure", "--connect", "10.77.0.1:4242", on: .h3)
        let hand = try await dora.hand(1)
        let puppets = try crowd(lab, "4242", "puppets", "6")
        let done = try await puppets.event("done", within: .seconds(30))
        #expect(done["welcomed"]?.number ?? 0 > 20)
        try await solve(hand, dora)
        try ada.send("give up")
        try await dora.event("roundEnded")
        try ada.signal(SIGTERM)
        #expect(try await ada.exitCode() == 0)
        let board = try lab.start(
          [LAN.program("twentyfour-host"), "--leaderboard", "--json", "--limit", "100", "--results", results], on: .h1)
        #expect(try await board.exitCode() == 0)
        #expect(Set(board.outputLines.compactMap { JSON(line: $0)?["player"]?.string }) == ["Ada", "Dora"])
      }
    }
  }
}
