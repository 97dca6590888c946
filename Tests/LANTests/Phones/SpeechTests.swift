import Testing
import TwentyFour

extension PhonesOnALAN {
  /// What a screen reader says of the page, in what order and how urgently; and the sounds of the board.
  struct SpeechTests {
    @Test func `each moment of a match is said once, in order, and nothing that gives an answer away`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        try await Browser.open(lab, on: .h2) { browser in
          let ada = try lab.host(
            "Ada", "--seed", "7", "--difficulty", "easy", "--web", "--stay", "--rounds", "2", "--round-seconds", "900",
            "--pause-seconds", "1", on: .h1)
          let address = try #require(try await ada.event("open")["web"]?.string)
          let bo = try await browser.phone("Bo")
          try await bo.open(address)
          try await bo.shows("Who plays?")
          try await bo.said()
          // What comes at once is heard one after the other.
          try await bo.value("heard.push('polite: one', 'polite: two', 'polite: three')")
          for word in ["one", "two", "three"] {
            let heard = try await bo.says(word)
            #expect(heard == ["polite: " + word])
          }
          try await bo.tap("Your name, as the others see it")
          try await bo.write("Bo")
          try await bo.tap("Play")
          let hand = try await ada.hand(1)
          let numbers = hand.numbers.map(String.init).joined(separator: ", ")
          var said = try await bo.says("polite: Round 1 of 2: \(numbers). ")
          // As the browser tells it to a screen reader, and nothing beside it.
          let regions = try await bo.liveRegions()
          #expect(regions.contains { $0.hasPrefix("polite: ") && $0.contains("Round 1 of 2: \(numbers).") }, "\(regions)")
          #expect(regions.allSatisfy { !$0.hasPrefix("assertive: ") || $0 == "assertive: " }, "\(regions)")

          // What became of this player's answers interrupts; what others do does not.
          try await bo.tap("Type the answer", "Your answer, such as 8*(9/(5-2))")
          try await bo.write("1+1")
          try await bo.press("Enter")
          said += try await bo.says("assertive: 1+1: ")
          let solution = try hand.solution()
          try ada.send(solution)
          said += try await bo.says("polite: Ada has it, after ")
          // The time is moved: nobody waits for a minute.
          for (seconds, sentence) in [
            (61, "polite: 60 seconds left"), (31, "polite: 30 seconds left"), (11, "assertive: 10 seconds left"),
          ] {
            try await bo.value("state.round.until = Date.now() + \(seconds)000")
            said += try await bo.says(sentence)
          }
          try await bo.value("state.round.until = Date.now() + 59000")
          try await bo.offline(true)
          said += try await bo.says("assertive: The connection broke. Coming back …")
          try await bo.offline(false)
          said += try await bo.says("assertive: The connection is back.", within: .seconds(30))
          #expect(!said.joined().contains(solution), "\(said)")
          try await bo.solve(hand)
          said += try await bo.says("assertive: You have it, after ", "polite: Round 1 is over. ")

          let second = try await ada.hand(2)
          said += try await bo.says("polite: Round 2 of 2: \(second.numbers.map(String.init).joined(separator: ", ")). ")
          try await bo.tap("Give up", "Give up? Press again")
          said += try await bo.says("assertive: You gave up; the others go on.")
          try ada.send("give up")
          said += try await bo.says(
            "polite: Round 2 is over. ", "polite: That was the last round.", " with 19 points",
            "polite: The host may play again.")
          try ada.send("quit")
          said += try await bo.says("assertive: The host closed the room.")
          said += try await bo.said()
          // Nothing twice: neither by the regions, nor by what gets the focus.
          let spoken = said.filter { !$0.hasPrefix("focus: ") }.map { $0.drop { $0 != " " } }
          let focused = said.filter { $0.hasPrefix("focus: ") }.map { $0.drop { $0 != " " } }
          #expect(Set(spoken).count == spoken.count, "\(said)")
          #expect(Set(spoken).isDisjoint(with: focused), "\(said)")
          #expect(try await bo.complaints() == [])
        }
      }
    }

    @Test func `the board makes sounds when somebody has switched them on, and none before`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        try await Browser.open(lab, on: .h2) { browser in
          let ada = try lab.host(
            "Ada", "--web", "--stay", "--rounds", "1", "--round-seconds", "900", "--pause-seconds", "1", on: .h1)
          let address = try #require(try await ada.event("open")["web"]?.string)
          let bo = try await browser.phone("Bo")
          let board = try await browser.phone("Board", width: 1280, height: 720, isPhone: false)
          try await board.open(address + "board")
          try await board.shows("Ada’s game", "Sound (S)")
          try await board.value(
            """
            window.played = [];
            const start = OscillatorNode.prototype.start;
            OscillatorNode.prototype.start = function (...times) { played.push(this.frequency.value); return start.apply(this, times); };
            """)
          try await bo.join(address)
          let hand = try await ada.hand(1)
          try await board.shows("Round 1 of 1")
          #expect(try await board.value("document.getElementById('sound').getAttribute('aria-pressed')") == "\"false\"")
          #expect(try await board.value("played.length") == "0")

          try await board.press("s")
          #expect(try await board.value("document.getElementById('sound').getAttribute('aria-pressed')") == "\"true\"")
          // It sounds once, so that whoever switches it on hears that it does.
          try await board.hears([523, 784])
          try await bo.solve(hand)
          try await board.hears([1047, 1319])
          try await board.value("state.round.until = Date.now() + 11000")
          try await board.hears([880, 880, 880])
          try ada.send("give up")
          try await board.hears([784, 523, 523, 659, 784, 1047])
          let faults = try await board.faults("accessible.js")
          #expect(faults == [])

          // In the same tab it stays on, although the browser waits for a touch; and it is off again at once.
          try await board.reload()
          try await board.shows("The game is over", "Sound")
          #expect(try await board.value("document.getElementById('sound').getAttribute('aria-pressed')") == "\"true\"")
          try await board.press("x")
          try await board.shows("Sound (S)")
          try await board.press("s")
          #expect(try await board.value("document.getElementById('sound').getAttribute('aria-pressed')") == "\"false\"")
          // A phone has none.
          #expect(try await bo.value("document.getElementById('sound').hidden") == "true")
          for phone in [bo, board] { #expect(try await phone.complaints() == []) }
        }
      }
    }
  }
}

extension Phone {
  /// Waits until the notes of these frequencies were played, and nothing else since the last time.
  fileprivate func hears(_ notes: [Int], at location: SourceLocation = #_sourceLocation) async throws {
    let expected = "[\(notes.map(String.init).joined(separator: ","))]"
    var played = ""
    for _ in 0..<150 {
      played = try await value("played.map(Math.round)")
      if played.filter({ !$0.isWhitespace }) == expected { break }
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(played.filter { !$0.isWhitespace } == expected, sourceLocation: location)
    try await value("played = []")
  }
}
