import Glibc
import Testing
import TwentyFour

extension OnALAN {
  /// The programs as people see them: at terminals, which they draw on.
  @Suite("Screens")
  struct ScreenTests {
    @Test func `three people find each other and play, each at a terminal`() async throws {
      try await withLab { lab in
        try await Screen.open(lab, on: .h1) { ada in
          try await Screen.open(lab, on: .h2) { bob in
            try await Screen.open(lab, on: .h3) { lei in
              let hands = Self.hands(seed: 7)
              try await ada.enter("twentyfour-host --seed 7")
              try await ada.shows("Your name, as the others see it:")
              try await ada.enter("Ada")
              try await ada.shows("Ada's game, port ", "you: Ada", "The first round begins soon; others may still come.")

              // Bob has no name yet, then chooses by number; Lei says his name, then moves to the room.
              try await bob.enter("twentyfour-join")
              try await bob.shows("Your name, as the others see it:")
              try await bob.enter("Bob")
              let lobby = try await bob.shows("▸ 1  Ada's game  1 of 16   waiting  h1.local:", "you: Bob", "q: quit")
              #expect(lobby[1] == "   #  Room        Players   State    Host                  Seen for")
              try await bob.type("1")
              try await ada.shows("• Bob came.")
              try await lei.enter("twentyfour-join --name 李雷")
              try await lei.shows("▸ 1  Ada's game  2 of 16   waiting", "you: 李雷")
              try await lei.press("Enter")

              for screen in [ada, bob, lei] { try await screen.shows("Round 1", "100 s") }
              try await ada.shows(
                "▸ Ada         guessing              0 │", "  Bob         guessing              0 │", "  李雷        guessing")
              let solution = try #require(Solver.firstSolution(of: hands[0])).description
              try await bob.enter("1+")
              try await bob.shows("│ 1+", "│   Column 3: a number is missing here.")
              try await bob.enter(solution)
              try await bob.shows("You have it, after ", "= 24, right!", "▸ Bob ")
              for screen in [ada, lei] { try await screen.shows("• Bob has it, after ") }
              try await lei.press("C-t")
              try await lei.shows("The last thing to do is to ", "Hint 1 costs 2 points.")
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
              try await lei.shows("Round 2", "100 s")
              #expect(try await lei.lines().allSatisfy { $0.count <= 50 })
              try await lei.shows(hands[1].numbers.map(String.init).joined(separator: "   "), "▸ 李雷")

              // Who quits is in the lobby again, and his name is remembered.
              try await bob.enter("quit")
              try await bob.shows("▸ 1  Ada's game  2 of 16   playing")
              try await ada.shows("• Bob left.")
              try await bob.press("q")
              #expect(try await bob.output(of: "cat $XDG_CONFIG_HOME/bonjourish/name") == ["Bob"])
              try await bob.enter("twentyfour-join")
              try await bob.shows("you: Bob", "▸ 1  Ada's game  2 of 16   playing")

              // When the room closes, everyone is told, and finds the lobby again.
              try await ada.enter("quit")
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
            try await screen.shows("You are Ada in the room.", "Round 1:   ", "  > Ada: guessing, 0 points")
            try await screen.enter("1+")
            try await screen.shows("  No: Column 3: a number is missing here.")
            try await screen.enter("hint")
            try await screen.shows("  Hint 1, for 2 points: ")
            try await screen.enter("quit")
            try await screen.shows("The host closed the room.")
          }
          try await screen.enter("clear; LC_ALL=C twentyfour-join --practice --name Ada")
          let ascii = try await screen.shows("> Ada ", "100 s", "####")
          #expect(ascii.joined().utf8.allSatisfy { $0 < 0x80 })
          try await screen.press("C-d")
          try await screen.enter("clear; twentyfour-join --practice --name Ada")
          try await screen.shows("Round 1", "████")
          #expect(try await screen.lines(withStyles: true).contains { $0.contains("\u{1B}[32m") })
          try await screen.press("C-d")
          try await screen.enter("clear; NO_COLOR=1 twentyfour-join --practice --name Ada")
          try await screen.shows("Round 1", "████")
          #expect(try await screen.lines(withStyles: true).allSatisfy { $0.firstMatch(of: /\u{1B}\[3[1-7]m/) == nil })
        }
      }
    }

    private static func hands(seed: UInt64) -> [Hand] {
      var generator = SeededGenerator(seed: seed)
      return (1...3).map { _ in Hand.random(using: &generator) }
    }
  }
}
