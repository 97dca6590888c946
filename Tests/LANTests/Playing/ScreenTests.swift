import CBonjourishLinux
import Testing
import TwentyFour

extension PlayingOnALAN {
  /// The programs as people see them: at terminals, which they draw on.
  struct ScreenTests {
    @Test func `three people find each other and play, each at a terminal`() async throws {
      try await withLab { lab in
        try await Screen.open(lab, on: .h1) { ada in
          try await Screen.open(lab, on: .h2) { bob in
            try await Screen.open(lab, on: .h3) { lei in
              let hands = Self.hands(seed: 7)
              try await ada.enter("twentyfour-host --seed 7 --round-seconds 900")
              try await ada.shows("Your name, as the others see it:")
              try await ada.enter("Ada")
              try await ada.shows("Ada's game, port ", "you: Ada", "Round 1 begins with the second player")

              // Bob has no name yet, then chooses by number; Lei says his name, then moves to the room.
              try await bob.enter("twentyfour-join")
              try await bob.shows("Your name, as the others see it:")
              try await bob.enter("Bob")
              let lobby = try await bob.shows("▸ 1  Ada's game  1 of 16   waiting", "h1.local:", "you: Bob", "q: quit")
              #expect(lobby[1] == "   #  Room        Players   State    Entry     Host             Seen for")
              try await bob.type("1")
              try await ada.shows("• Bob came.")
              try await lei.enter("twentyfour-join --name 李雷")
              try await lei.shows("▸ 1  Ada's game  2 of 16   waiting", "you: 李雷")
              try await lei.press("Enter")

              for screen in [ada, bob, lei] { try await screen.shows("Round 1", without: "Round 1 begins") }
              try await ada.shows(
                "▸ 1 Ada       guessing              0 │", "  2 Bob       guessing              0 │", "  3 李雷      guessing")
              let solution = try #require(Solver.firstSolution(of: hands[0])).description
              try await bob.enter("1+")
              try await bob.shows("│ 1+", "│   Column 3: a number is missing here.")
              try await bob.enter(solution)
              try await bob.shows("You have it, after ", "= 24, right!", "▸ Bob ")
              for screen in [ada, lei] { try await screen.shows("• Bob has it, after ") }
              try await lei.press("C-t")
              try await lei.shows("Hint 1, for 2 points: The last thing to do is to ")
              try await lei.enter("give up")
              try await lei.shows("You gave up; the others go on.")
              try await ada.press("C-u")
              try await ada.enter(" Give  UP ")
              for screen in [ada, bob, lei] {
                let table = try await screen.shows("A solution: ", "Round 2 begins in ", "This round", "R1 Total     Best")
                #expect(table.contains { $0.contains("Bob") && $0.hasSuffix(" s") && $0.contains("    19    19") })
                #expect(table.contains { $0.contains("李雷") && $0.hasSuffix("gave up             0     0        -") })
              }

              // Windows change their sizes, and everything has its place.
              try await lei.resize(columns: 50, rows: 14)
              try await lei.shows("Round 2", without: "Round 2 begins")
              #expect(try await lei.lines().allSatisfy { $0.count <= 50 })
              try await lei.shows(hands[1].numbers.map(String.init).joined(separator: "   "), "▸ 李雷")

              // Who quits is in the lobby again, and his name is remembered.
              try await bob.enter("quit")
              try await bob.shows("▸ 1  Ada's game  2 of 16   playing")
              try await ada.shows("• Bob left.")
              try await bob.press("q")
              try await bob.shows("$ twentyfour-join", "1 round, you have 19 points, your best time ")
              #expect(try await bob.output(of: "cat $XDG_CONFIG_HOME/bonjourish/name") == ["Bob"])
              try await bob.enter("twentyfour-join")
              try await bob.shows("you: Bob", "▸ 1  Ada's game  2 of 16   playing")

              // The host's keys, which the terminal hands on.
              try await ada.press("C-v")
              try await ada.shows("Ban player number:")
              try await ada.press("Escape")
              try await ada.press("C-o")
              try await ada.shows("The room is locked: nobody new comes in.")
              try await ada.press("C-o")
              try await ada.shows("The room is open to everyone again.")

              // When the room closes, everyone is told, and finds the lobby again.
              try await ada.enter("quit")
              try await ada.shows("Close the room for 1 player? y/n")
              try await ada.press("y")
              try await ada.shows("You closed the room.", "Enter: go on")
              try await ada.press("Enter")
              try await ada.shows("Ada's game, port ", "1 round, you have 0 points.")
              try await lei.shows("The host closed the room.", "Enter: go on")
              try await lei.press("Enter")
              for screen in [bob, lei] { try await screen.shows("No rooms yet; they will show here.") }
            }
          }
        }
      }
    }

    @Test(arguments: ["TERM", "HUP", "INT", "QUIT", "ABRT", "SEGV"])
    func `the terminal is given back, whatever ends the program`(signal: String) async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        try await Screen.open(lab, on: .h1) { screen in
          let before = try await screen.output(of: "stty -a")
          try await screen.enter("echo before; twentyfour-join --practice --name Ada")
          try await screen.shows("Practice", "you: Ada", "Round 1")
          try await screen.signal(signal)
          // What stood there before stands there again.
          try await screen.shows("before", "$ echo before; twentyfour-join")
          #expect(try await screen.output(of: "stty -a") == before)
        }
      }
    }

    @Test func `the terminal is given back while the program is stopped, and after a second interrupt`() async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        try await Screen.open(lab, on: .h1) { screen in
          let before = try await screen.output(of: "stty -a")
          try await screen.enter("twentyfour-join --practice --name Ada")
          try await screen.shows("Practice", "Round 1")
          try await screen.press("C-z")
          try await screen.shows("Stopped")
          #expect(try await screen.output(of: "stty -a") == before)
          try await screen.enter("fg")
          try await screen.shows("Practice", "Round 1")
          try await screen.type("1+2")
          try await screen.shows("> 1+2")
          try await screen.press("C-c", "C-c")
          try await screen.shows("twentyfour-join --practice")
          #expect(try await screen.output(of: "stty -a") == before)
        }
      }
    }

    @Test func `simple terminals and screen readers get lines, ASCII ones ASCII, and no colours if those are not wanted`()
      async throws
    {
      try await withLab(hosts: 1, daemons: false) { lab in
        try await Screen.open(lab, on: .h1) { screen in
          for plain in ["twentyfour-join --practice --name Ada --plain", "TERM=dumb twentyfour-join --practice --name Ada"] {
            try await screen.enter("clear; \(plain)")
            try await screen.shows("You are practising alone, as Ada.", "Round 1:   ", "  > Ada: guessing, 0 points")
            try await screen.enter("1+")
            try await screen.shows("  No: Column 3: a number is missing here.")
            try await screen.enter("hint")
            try await screen.shows("  Hint 1, for 2 points: ")
            try await screen.enter("quit")
            try await screen.shows("* You stopped practising.")
          }
          try await screen.enter("LC_ALL=C twentyfour-join --practice --name Ada")
          let ascii = try await screen.shows("> Ada ", "####")
          #expect(ascii.joined().utf8.allSatisfy { $0 < 0x80 })
          try await screen.press("C-d")
          try await screen.shows("LC_ALL=C twentyfour-join")
          try await screen.enter("clear; echo colours; twentyfour-join --practice --name Ada")
          try await screen.shows("Round 1", "████")
          #expect(try await screen.lines(withStyles: true).contains { $0.contains("\u{1B}[32m") })
          try await screen.press("C-d")
          try await screen.shows("colours")
          try await screen.enter("clear; NO_COLOR=1 twentyfour-join --practice --name Ada")
          try await screen.shows("Round 1", "████")
          #expect(try await screen.lines(withStyles: true).allSatisfy { $0.firstMatch(of: /\u{1B}\[3[1-7]m/) == nil })
        }
      }
    }

    @Test func `a cable is pulled for ten seconds, then for forty, and everyone's points are intact`() async throws {
      try await withLab { lab in
        let command = "twentyfour-host --name Ada --seed 7 --pause-seconds 6 --round-seconds 900"
        try await Self.party(lab, command) { ada, bob, lei, solutions in
          // A connection survives ten seconds: what Bob answers meanwhile counts when it arrives.
          try await lab.link(isUp: false, of: .h2)
          try await bob.enter(solutions[0])
          try await bob.shows("asking the room …")
          for screen in [ada, lei] { try await screen.enter("give up") }
          try await lei.shows("You gave up; the others go on.")
          try await Task.sleep(for: .seconds(10))
          try await lab.link(isUp: true, of: .h2)
          for screen in [ada, bob, lei] {
            let table = try await screen.shows("A solution: ", "R1 Total     Best")
            #expect(table.contains { $0.contains("Bob") && $0.contains("    19    19") })
          }

          // After forty seconds everyone has noticed, and Bob comes back to his seat by himself.
          for screen in [ada, bob, lei] { try await screen.shows("Round 2", "│ Your tries") }
          try await lab.link(isUp: false, of: .h2)
          try await ada.shows("Bob is away; the seat is kept for a while.", "Bob       away ", within: .seconds(30))
          try await bob.shows("The connection broke. Attempt ", within: .seconds(30))
          try await lei.enter(solutions[1])
          try await ada.shows("李雷 has it, after ")
          try await Task.sleep(for: .seconds(20))
          try await lab.link(isUp: true, of: .h2)
          try await bob.shows("You are back in the room; your seat and points were kept.")
          try await ada.shows("Bob is back.", "Bob       guessing             1")
          try await ada.enter("give up")
          try await bob.enter(solutions[1])
          for screen in [ada, bob, lei] {
            let table = try await screen.shows("A solution: ", "R1   R2 Total     Best")
            let totals = Self.totals(table)
            // Within the first 90 of 900 seconds.
            #expect(totals["Ada"] == 0 && totals["李雷"] == 19 && totals["Bob"] == 38)
          }
          #expect(Self.totals(try await ada.lines()) == Self.totals(try await bob.lines()))
        }
      }
    }

    @Test func `a host is killed, and goes on with the evening where it was`() async throws {
      try await withLab { lab in
        try await Self.party(
          lab, "twentyfour-host --name Ada --seed 7 --pause-seconds 2 --state $XDG_CONFIG_HOME/evening.json"
        ) { ada, bob, lei, solutions in
          try await bob.enter(solutions[0])
          try await bob.shows("You have it, after ")
          for screen in [ada, lei] { try await screen.enter("give up") }
          try await bob.shows("R1 Total     Best")
          let before = Self.totals(try await bob.lines())
          #expect(before["Bob"] == 19 || before["Bob"] == 18)
          for screen in [ada, bob, lei] { try await screen.shows("Round 2", "│ Your tries") }
          // Longer than it may take until the state is written.
          try await Task.sleep(for: .seconds(2))
          try await ada.signal("KILL")
          for screen in [bob, lei] { try await screen.shows("The connection broke. Attempt ") }

          try await Screen.open(lab, on: .h1) { again in
            // With the key that the players know.
            try await again.enter("XDG_STATE_HOME=\(ada.folder) twentyfour-host --name Ada --state \(ada.folder)/evening.json")
            try await again.shows("Ada's game, port ", "Round 2", "▸ 1 Ada ")
            for screen in [bob, lei] {
              try await screen.shows("You are back in the room; your seat and points were kept.", within: .seconds(30))
            }
            try await lei.enter(solutions[1])
            try await lei.shows("You have it, after ")
            for screen in [again, bob] { try await screen.enter("give up") }
            for screen in [again, bob, lei] {
              let totals = Self.totals(try await screen.shows("A solution: ", "Total     Best"))
              #expect(totals["Bob"] == before["Bob"] && totals["Ada"] == 0)
              #expect(totals["李雷"].map { (10...19).contains($0) } == true)
            }
          }
        }
      }
    }

    /// Ada hosts on the first host; Bob on the second and Lei on the third have joined her, and the first round has begun.
    private static func party(
      _ lab: Lab, _ command: String,
      _ body: (_ ada: Screen, _ bob: Screen, _ lei: Screen, _ solutions: [String]) async throws -> Void
    ) async throws {
      let solutions = try hands(seed: 7).map { try #require(Solver.firstSolution(of: $0)).description }
      try await Screen.open(lab, on: .h1) { ada in
        try await Screen.open(lab, on: .h2) { bob in
          try await Screen.open(lab, on: .h3) { lei in
            try await ada.enter(command)
            try await ada.shows("Ada's game, port ")
            for (screen, name) in [(lei, "李雷"), (bob, "Bob")] {
              try await screen.enter("twentyfour-join \"Ada's game\" --name \(name)")
            }
            // Who came while the round ran is in it as well: there is time enough.
            for screen in [ada, bob, lei] { try await screen.shows("Round 1", "Ada       ", "Bob       ", "李雷      ") }
            try await body(ada, bob, lei, solutions)
          }
        }
      }
    }

    /// What the table says that everyone has in all.
    private static func totals(_ lines: [String]) -> [String: Int] {
      var totals: [String: Int] = [:]
      for line in lines {
        guard let match = line.firstMatch(of: /^ [▸ ] (\S+) .* (\d+) +(?:\d+\.\d\d s|-)$/), let total = Int(match.2) else {
          continue
        }
        totals[String(match.1)] = total
      }
      return totals
    }

    static func hands(seed: UInt64) -> [Hand] {
      var generator = SeededGenerator(seed: seed)
      return (1...3).map { _ in Hand.random(using: &generator) }
    }
  }
}
