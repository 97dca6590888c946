import CBonjourishLinux
import Testing
import TwentyFour

extension PlayingOnALAN {
  /// Rooms with more time, and without a limit, for people at a terminal, programs and phones.
  struct TimeTests {
    @Test func `with twice the time, every clock has it`() async throws {
      try await withLab(daemons: false, backend: .builtin) { lab in
        let dora = try lab.player("Dora", json: false, on: .h3)
        let list = try lab.player("Zoe", on: .h2)
        let ada = try lab.host(
          "Ada", "--time", "2", "--round-seconds", "300", "--pause-seconds", "1", "--rounds", "1", "--web", on: .h1)
        let open = try await ada.event("open")
        #expect(open["rules"]?["time"] == "2" && open["rules"]?["roundSeconds"] == 600)
        try await dora.line { $0.contains("  1  Ada's game   1 of 16 players, waiting, twice the time   h1.local:") }
        let rooms = try await list.event("lobby") { $0["rooms"]?.array?.count == 1 }["rooms"]
        #expect(rooms?[0]?["time"] == "2")

        try dora.send("1")
        try await dora.line { $0 == "* Twice the time: 600 s for each round." }
        let bot = try lab.player("Bert", "Ada's game", "--bot", "--strength", "expert", "--seed", "3", on: .h2)
        let phone = try lab.phone(try #require(open["web"]?.string), "Cleo", on: .h2)
        #expect(try await phone.event("welcome")["rules"]?["time"] == "2")
        let round = try await ada.event("round")
        #expect(round["seconds"] == 600 && round["limited"] == nil)
        // Whoever comes in the first third plays with what is left.
        for player in [bot, phone] {
          let seconds = try #require(try await player.event("round")["seconds"]?.number)
          #expect(seconds > 400 && seconds <= 600)
        }
        try await dora.line { $0.hasPrefix("Round 1:   ") && $0.hasSuffix(" s to make 24") }
        try dora.send("time")
        try await dora.line { $0.hasPrefix("  ") && $0.hasSuffix(" s left") }
        let hand = try Hand(round["hand"]?.array?.compactMap { $0.number.map { Int($0) } } ?? [])
        try phone.send("answer \(try hand.solution())")
        try await dora.line { $0.hasPrefix("* Cleo has it, after ") }
        try dora.send("give up")
        try ada.send("give up")
        // It may think for a third of the time.
        try bot.signal(SIGTERM)
        let points = try await ada.event("roundEnded")["standings"]?.array?.first { $0["player"] == "Cleo" }?["points"]?.number
        // Two thirds of the time are left.
        #expect((points ?? 0) >= 16)
      }
    }

    @Test func `without a limit, a round waits for everybody, or the host ends it`() async throws {
      try await withLab(daemons: false, backend: .builtin) { lab in
        let refused = try lab.host("Eve", "--time", "3", on: .h2)
        #expect(try await refused.exitCode() == 64)
        #expect(refused.errorLines.joined().contains("--time must be 1, 1.5, 2 or none, not '3'"))

        let lobby = try lab.bonjourish("browse", "_twentyfour._tcp", "--resolve", "--json", on: .h3)
        let ada = try lab.host(
          "Ada", "--time", "none", "--round-seconds", "5", "--pause-seconds", "1", "--rounds", "2", "--web", on: .h1)
        let open = try await ada.event("open")
        #expect(try await lobby.event("found")["txt"]?["time"] == "none")
        try ada.send("next")
        try await ada.event("refused") { $0["reason"] == "noRound" }
        let dora = try lab.player("Dora", json: false, "Ada's game", on: .h3)
        try await dora.line { $0 == "* No time limit: a round ends when everybody has answered or given up." }
        let bot = try lab.player("Bert", "Ada's game", "--bot", "--strength", "expert", "--seed", "3", on: .h2)
        let phone = try lab.phone(try #require(open["web"]?.string), "Cleo", on: .h2)
        let round = try await phone.event("round")
        #expect(round["limited"] == false && (round["seconds"]?.number ?? 0) > 3_500)
        try await dora.line { $0.hasSuffix("      no time limit to make 24") }
        try dora.send("time")
        try await dora.line { $0 == "  There is no time limit." }
        // The bot takes its part of the usual time, not of an hour.
        try await ada.event("standings") { line in
          line["standings"]?.array?.contains { $0["player"] == "Bert" && ["solved", "gaveUp"].contains($0["status"]?.string) }
            == true
        }
        #expect(ada.events("roundEnded").isEmpty)
        try ada.send("next")
        let first = try await ada.event("roundEnded")["standings"]?.array
        #expect(first?.first { $0["player"] == "Dora" }?["status"] == "outOfTime")

        // The second one ends by itself.
        let hand = try await ada.hand(2)
        try await phone.event("round") { $0["number"] == 2 }
        try await dora.line { $0.hasPrefix("Round 2:   ") }
        try phone.send("answer \(try hand.solution())")
        try dora.send(try hand.solution())
        try await dora.line { $0.hasPrefix("* You have it, after ") }
        try ada.send("give up")
        let last = try await ada.event("roundEnded") { $0["number"] == 2 }
        #expect(last["pause"] == nil)
        for player in [ada, bot] { #expect(try await player.event("closed")["reason"] == "finished") }
      }
    }
  }
}
