import CBonjourishLinux
import Testing
import TwentyFour

extension PlayingOnALAN {
  /// The game: rooms that are opened, seen, joined and played in, by programs and by people.
  struct GameTests {
    @Test(arguments: Backend.allCases) func `a room is opened, seen and joined, and everyone has the same game`(
      backend: Backend
    ) async throws {
      try await withLab(backend: backend) { lab in
        let lobby = try lab.bonjourish("browse", "_twentyfour._tcp", "--resolve", "--json", on: .h3)
        let ada = try lab.host(
          "Ada", "--bot", "--rounds", "3", "--round-seconds", "5", "--pause-seconds", "1", "--seed", "7", on: .h1)
        let open = try await ada.event("open")
        #expect(open["name"] == "Ada's game")
        #expect(open["player"] == "Ada")
        let found = try await lobby.event("found")
        #expect(found["host"] == "h1.local")
        #expect(found["port"] == open["port"])
        #expect(found["addresses"] == ["10.77.0.1", "2001:db8:77::1"])
        let id = try #require(open["room"])
        let key = try #require(open["key"]?.string).prefix(19)
        #expect(
          found["txt"] == [
            "v": "3", "id": id, "players": "1", "max": "16", "state": "waiting", "lock": "open", "key": .string(String(key)),
          ])

        let bob = try lab.player("Bob", "--any", "--bot", "--seed", "8", on: .h2)
        let cleo = try lab.player("Cleo", "Ada's game", "--bot", "--seed", "9", on: .h3)
        for (program, player) in [(bob, "Bob"), (cleo, "Cleo")] {
          let welcome = try await program.event("open")
          #expect(welcome["player"]?.string == player)
          #expect(welcome["room"] == id)
          try await ada.event("joined") { $0["player"]?.string == player }
        }
        try await lobby.event("updated") { $0["txt"]?["players"] == "3" && $0["txt"]?["state"] == "playing" }

        for program in [ada, bob, cleo] {
          #expect(try await program.exitCode(within: .seconds(40)) == 0)
          #expect(program.errorLines == [])
          #expect(program.events.last?["event"] == "closed")
          #expect(program.events.last?["reason"] == "finished")
        }
        try await lobby.event("lost")
        #expect(lobby.events("found").count == 1)

        try check(ada)
        // Who came after the first round had begun plays from the second on.
        for program in [bob, cleo] {
          #expect(ada.story.ends(with: program.story))
          #expect(program.events("roundEnded").count >= 2)
        }
      }
    }

    /// Checks three rounds of three players against the rules of the game.
    private func check(_ room: Program) throws {
      var generator = SeededGenerator(seed: 7)
      let hands = (1...3).map { _ in Hand.random(using: &generator) }
      #expect(room.events("round").map { $0["number"] } == [1, 2, 3])
      #expect(room.events("round").map { $0["hand"] } == hands.map(\.json))
      #expect(room.events("round").allSatisfy { $0["seconds"] == 5 })
      let endings = room.events("roundEnded")
      #expect(endings.map { $0["pause"] } == [1, 1, nil])
      for (ending, hand) in zip(endings, hands) {
        _ = try Answer(try #require(ending["solution"]?.string), to: hand)
      }
      let last = try #require(endings.last?["standings"]?.array)
      #expect(Set(last.map { $0["player"]?.string }) == ["Ada", "Bob", "Cleo"])
      for standing in last {
        let answers = endings.compactMap { ending in
          ending["standings"]?.array?.first { $0["player"] == standing["player"] && $0["status"] == "solved" }
        }
        let seconds = answers.compactMap { $0["seconds"]?.number }
        #expect(seconds.count == answers.count && seconds.allSatisfy { (0...5).contains($0) })
        let points = seconds.map { 10 + ((5 - $0) * 2).rounded(.down) }
        #expect(standing["points"]?.number == points.reduce(0, +))
      }
    }

    @Test func `people play through pipes`() async throws {
      try await withLab { lab in
        let ada = try lab.host("Ada", "--rounds", "3", "--round-seconds", "900", "--pause-seconds", "1", "--max", "3", on: .h1)
        try await ada.event("open")
        let bob = try lab.player("Bob", "Ada's game", on: .h2)
        try await bob.event("open")
        let cleo = try lab.player("Cleo", json: false, "Ada's game", on: .h3)
        try await cleo.line { $0.hasPrefix("You are Cleo in \"Ada's game\", port ") }
        try await ada.event("joined") { $0["player"] == "Cleo" }

        // Wrong answers are refused with the reason, to the one who gave them; a right one counts.
        let hand = try await bob.hand(1)
        try await cleo.line { $0.hasPrefix("Round 1:   \(hand.numbers[0])   \(hand.numbers[1])   ") }
        for (wrong, reason) in [("1+", "syntax"), ("99999999999", "syntax"), ("1+1", "wrongDigits"), (hand.sum, "wrongValue")] {
          try bob.send(wrong)
          let refused = try await bob.event("refused")
          #expect(refused["reason"]?.string == reason)
          #expect(refused["text"]?.string?.isEmpty == false)
        }
        try bob.send(try hand.solution())
        #expect(try await bob.event("answer")["player"] == "Bob")
        try await cleo.line { $0.hasPrefix("* Bob has it, after ") }
        try bob.send(try hand.solution())
        #expect(try await bob.event("refused")["reason"] == "alreadySolved")
        try cleo.send("((")
        try await cleo.line { $0.hasPrefix("  No: ") }
        try cleo.send(" Give  UP ")
        try ada.send("give up")
        #expect(ada.events("refused") == [])
        let first = try await ada.event("roundEnded")["standings"]?.array
        #expect(first?.map { $0["player"] } == ["Bob", "Ada", "Cleo"])
        #expect(first?.map { $0["status"] } == ["solved", "gaveUp", "gaveUp"])
        try await cleo.line { $0.hasPrefix("Round 1 is over. A solution: ") }
        try await cleo.line { $0.hasPrefix("  > Cleo: gave up, 0 points") }

        // Who quits is gone for the others; the rest goes on.
        let second = try await ada.hand(2)
        try cleo.send("quit")
        #expect(try await cleo.exitCode() == 0)
        #expect(cleo.errorLines == [])
        for program in [ada, bob] { try await program.event("left") { $0["player"] == "Cleo" } }
        try bob.send("give up")
        try ada.send(try second.solution())
        try await ada.event("answer") { $0["player"] == "Ada" }
        let result = try await bob.event("roundEnded") { $0["number"] == 2 }
        #expect(result["standings"]?.array?.map { $0["player"] } == ["Ada", "Bob"])
        #expect(result["standings"]?[0]?["points"] == 19)

        // A host who quits closes the room.
        _ = try await ada.hand(3)
        try ada.send("quit")
        #expect(try await bob.event("closed")["reason"] == "hostLeft")
        for program in [ada, bob] { #expect(try await program.exitCode() == 0) }
      }
    }

    @Test func `a room is joined by its address, if it has a place`() async throws {
      try await withLab(hosts: 2) { lab in
        let ada = try lab.host("Ada", "--max", "2", "--port", "4242", on: .h1)
        #expect(try await ada.event("open")["port"] == 4242)
        let bob = try lab.player("Bob", "--connect", "10.77.0.1:4242", on: .h2)
        try await bob.event("open")

        let full = try lab.player("Cleo", "--connect", "[fe80::1%eth0]:4242", on: .h2)
        #expect(try await full.exitCode() == 69)
        #expect(try await full.event("closed")["reason"] == "full")
        #expect(full.errorLines.count == 1)
        #expect(full.errorLines.first?.contains("All 2 places are taken") == true)

        try bob.send("quit")
        #expect(try await bob.exitCode() == 0)
        try await ada.event("left") { $0["player"] == "Bob" }
        let cleo = try lab.player("Cleo", "--connect", "[fe80::1%eth0]:4242", on: .h2)
        try await cleo.event("open")
        // A player who is interrupted says goodbye.
        try cleo.signal(SIGINT)
        #expect(try await cleo.exitCode() == 0)
        try await ada.event("left") { $0["player"] == "Cleo" }

        let taken = try lab.host("Eve", "--port", "4242", on: .h1)
        #expect(try await taken.exitCode() == 69)
        #expect(taken.errorLines.count == 1 && taken.errorLines[0].contains("4242"))
      }
    }

    @Test(arguments: Backend.allCases) func `without a room the lobby is shown`(backend: Backend) async throws {
      try await withLab(backend: backend) { lab in
        let bob = try lab.player("Bob", json: false, on: .h3)
        try await bob.line { $0 == "No rooms yet; they will show here." }
        let eve = try lab.host("Eve", "--max", "5", on: .h2)
        try await bob.line { $0.contains("  1  Eve's game   1 of 5 players, waiting   h2.local:") }
        let ada = try lab.host("Ada", on: .h1)
        try await bob.line { $0.contains("  1  Ada's game   1 of 16 players, waiting   h1.local:") }
        try await bob.line { $0.contains("  2  Eve's game   1 of 5 players, waiting   h2.local:") }
        let json = try lab.player("Cleo", on: .h3)
        let rooms = try await json.event("lobby") { $0["rooms"]?.array?.count == 2 }["rooms"]
        #expect(rooms?[1]?["name"] == "Eve's game" && rooms?[1]?["max"] == 5 && rooms?[1]?["state"] == "waiting")

        try eve.signal(SIGTERM)
        #expect(try await eve.exitCode() == 0)
        // The list is shown again, now without her.
        try await bob.line { $0.contains("  1  Ada's game   1 of 16 players, waiting   h1.local:") }
        try json.send("quit")
        #expect(try await json.exitCode() == 0)
        try bob.send("2")
        try await bob.errorLine { $0.contains("There is no room 2; there is only: 1.") }
        try bob.send("1")
        try await bob.line { $0.hasPrefix("You are Bob in \"Ada's game\"") }
        try await ada.event("joined") { $0["player"] == "Bob" }
        try bob.send("quit")
        #expect(try await bob.exitCode() == 0)
      }
    }
  }
}

extension Program {
  /// What everyone in a room hears alike, word for word.
  var story: [JSON] { events("round", "answer", "roundEnded") }

  /// The hand of a round, once it has begun.
  func hand(_ number: Double) async throws -> Hand {
    let round = try await event("round") { $0["number"]?.number == number }
    return try Hand(round["hand"]?.array?.compactMap { $0.number.map { Int($0) } } ?? [])
  }
}

extension Array<JSON> {
  func ends(with other: [JSON]) -> Bool { suffix(other.count).elementsEqual(other) }
}

extension Hand {
  fileprivate var json: JSON { .array(numbers.map { .number(Double($0)) }) }

  /// An answer with the right numbers, but mostly not 24.
  fileprivate var sum: String { numbers.map(String.init).joined(separator: numbers.reduce(0, +) == 24 ? "*" : "+") }

  func solution() throws -> String { try #require(Solver.firstSolution(of: self)).description }
}
