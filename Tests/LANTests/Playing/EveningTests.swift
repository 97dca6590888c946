import Testing
import TwentyFour

extension PlayingOnALAN {
  /// An evening from its beginning to its end, as people see it.
  struct EveningTests {
    @Test func `a match ends with a winner, and everybody stays for the next one`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        try await Screen.open(lab, on: .h1) { ada in
          try await Screen.open(lab, on: .h2, columns: 40, rows: 12) { bob in
            let hands = ScreenTests.hands(seed: 7)
            let results = "$XDG_CONFIG_HOME/results"
            try await ada.enter(
              "twentyfour-host --name Ada --rounds 1 --pause-seconds 2 --seed 7 --backend builtin --results \(results)")
            try await ada.shows("Make 24 with all four numbers, using", "Round 1 begins with the second player")
            try await bob.enter("twentyfour-join --name Bob --backend builtin")
            try await bob.shows("Ada's game")
            try await bob.press("Enter")
            try await bob.shows("Round 1 of 1")
            for number in 1...2 {
              try await bob.press("C-t")
              try await bob.enter("1x1")
              try await bob.shows("Hint 1 (-2): at last, ", "1x1")
              let solution = try #require(Solver.firstSolution(of: hands[number - 1])).description
              // As people type it.
              try await bob.enter(solution.replacing("*", with: "x") + " = 24")
              try await bob.shows("You have it, after ")
              try await ada.enter("giv up")
              try await ada.shows("There is no command giv up; did you mean give up?")
              try await ada.enter("give up")
              try await ada.shows("A solution: \(solution) = 24", "Bob wins with 1", "Type \"again\" to play another match.")
              try await bob.shows("A solution: \(solution) = 24", "You win with 1", "The host may begin another match.")
              guard number == 1 else { continue }
              try await ada.enter("again")
              try await ada.shows("Another match begins: everybody starts with 0 points.")
              for screen in [ada, bob] { try await screen.shows("Round 1 of 1") }
            }
            try await ada.shows("Matches won: Bob 2", "The fastest solution was Bob's, after ")

            // A guest is told why the room is closed, and finds the lobby again; the host's shell has one sentence.
            try await ada.enter("q")
            try await ada.press("y")
            try await ada.shows("You closed the room.", "A solution: ", "Bob wins with 1", "Matches won: Bob 2")
            try await ada.press("Enter")
            try await ada.shows("Ada's game, port ", "2 rounds in 2 matches, you got 0 points")
            try await bob.shows("The host closed the room.", "A solution: ", "You win with 1")
            try await bob.press("Enter")
            try await bob.shows("The host closed the room.", "No rooms yet", "q: quit")
            try await bob.press("q")
            let history = try await ada.output(of: "twentyfour-host --history --results \(results)")
            #expect(history.count { $0.contains("Ada's game, 1 round") } == 2, "\(history)")
          }
        }
      }
    }

    @Test func `whoever asks for a room that is not there is told which are`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        try await Screen.open(lab, on: .h1) { ada in
          try await Screen.open(lab, on: .h2) { bob in
            try await ada.enter("twentyfour-host --name Ada --backend builtin")
            try await ada.shows("Ada's game, port ")
            try await bob.enter("twentyfour-join 'Adas game' --name Bob --backend builtin")
            try await bob.shows("there is no room \"Adas game\"; there are: Ada's game")
            // And a guest who was there alone with the host, before any round, sees a sentence.
            try await bob.enter("clear; twentyfour-join \"Ada's game\" --name Bob --backend builtin")
            try await bob.shows("you: Bob")
            try await ada.press("C-d")
            try await ada.press("y")
            try await bob.shows("The host closed the room.")
          }
        }
      }
    }

    @Test func `a program plays several matches in one room`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        let ada = try lab.host("Ada", "--rounds", "1", "--pause-seconds", "1", "--stay", on: .h1)
        try await ada.event("open")
        let bob = try lab.player("Bob", "Ada's game", on: .h2)
        try await bob.event("round")
        for player in [ada, bob] { try player.send("give up") }
        for player in [ada, bob] { try await player.event("matchEnded") }
        try ada.send("end")
        try await ada.event("refused") { $0["reason"] == "notBegun" }
        try ada.send("again")
        for player in [ada, bob] { try await player.event("matchBegan") { $0["number"] == 2 } }
        for player in [ada, bob] { try await player.event("round") { $0["number"] == 1 } }
        try ada.send("quit")
        try await bob.event("closed") { $0["reason"] == "hostLeft" }
        #expect(try await ada.exitCode() == 0)
      }
    }
  }
}
