import CBonjourishLinux
import Testing
import TwentyFour

extension PhonesOnALAN {
  /// The page of the game in a headless Chromium, at the size of phones and of a television.
  struct BrowserTests {
    private static let room = ["--passcode", "471123", "--connect", "10.77.0.1:4242"]

    @Test func `phones play three rounds with bots and a terminal, and one is offline for thirty seconds`() async throws {
      try await withLab(daemons: false, backend: .builtin) { lab in
        try await Browser.open(lab, on: .h2) { browser in
          let ada = try lab.host(
            "Ada", "--difficulty", "easy", "--seed", "7", "--passcode", "471123", "--port", "4242", "--web", "--rounds", "3",
            "--round-seconds", "90", "--pause-seconds", "3", on: .h1)
          let address = try #require(try await ada.event("open")["web"]?.string)
          #expect(address.hasPrefix("http://10.77.0.1:8024/#"))
          try await Screen.open(lab, on: .h3) { dora in
            let cleo = try await browser.phone("Cleo")
            let emil = try await browser.phone("Emil", width: 430, height: 932, isDark: true)
            let zoe = try await browser.phone("Zoe", width: 360, height: 640)

            // Each code lets one phone in.
            try await cleo.open(address)
            try await cleo.shows("Who plays?")
            try await expectAccessible(cleo)
            try await cleo.picture("enter-320-light")
            try await cleo.join(address)
            let next = try #require(try await ada.event("web")["web"]?.string)
            #expect(next != address)
            try await emil.join(next)
            // A television needs one, too.
            let board = try await browser.phone("Board", width: 1280, height: 720, isDark: true, isPhone: false)
            let last = try #require(try await ada.event("web")["web"]?.string)
            try await board.open(last.replacing("/#", with: "/board#"))
            try await board.shows("Emil", "Cleo")
            // Nobody is asked for a name in vain.
            try await zoe.open(address)
            try await zoe.shows("Ada’s game", "Scan the code again", without: "Join again", "Who plays?")
            for name in ["Bert", "Bill"] {
              let bot = try lab.player(name, ["--bot", "--strength", "expert"] + Self.room, on: .h3)
              try await bot.event("open")
            }
            try await dora.enter("twentyfour-join --name Dora " + Self.room.joined(separator: " "))

            try await evening(ada, cleo, emil, dora, board)
            for phone in [cleo, emil, zoe, board] {
              let complaints = try await phone.complaints()
              #expect(complaints == [])
              let requests = try await phone.requests()
              #expect(requests.allSatisfy { $0.hasPrefix("http://10.77.0.1:8024/") || $0 == "ws://10.77.0.1:8024/socket" })
              #expect(requests.contains("ws://10.77.0.1:8024/socket"))
            }
          }
        }
      }
    }

    private func evening(_ ada: Program, _ cleo: Phone, _ emil: Phone, _ dora: Screen, _ board: Phone) async throws {
      // Round 1: a wrong answer, a hint, a reload, and the right answer; another phone types it.
      let first = try await ada.hand(1)
      try await cleo.shows("Round 1 of 3", "Make 24 with all four numbers", "Dora")
      try await expectAccessible(cleo)
      try await cleo.picture("round-320-light")
      let wrong = first.numbers.reduce(0, +) == 24 ? "*" : "+"
      try await cleo.tapTogether(try Expression(first.numbers.map(String.init).joined(separator: wrong)))
      try await cleo.shows(", not 24.")
      try await cleo.tap("Hint (−2)", until: "Hint 1, for 2 points: The last thing to do is to ")
      try await expectAccessible(cleo)
      try await cleo.reload()
      try await cleo.shows("Round 1 of 3", "Hint 1, for 2 points: The last thing to do is to ")
      // The cards are still as they were made.
      try await cleo.tap("Start over")
      try await emil.tap("Type the answer", "Your answer, such as 8*(9/(5-2))")
      try await emil.write(try first.solution())
      try await emil.press("Enter")
      try await emil.shows("You have it, after ", "= 24")
      try await emil.offline(true)
      let start = ContinuousClock.now
      try await emil.shows("The connection broke. Coming back …")
      try await expectAccessible(emil)
      try await cleo.solve(first)
      try await cleo.shows("You have it, after ", "= 24")
      try await expectAccessible(cleo)
      try await cleo.picture("solved-320-light")
      try await dora.shows("  Cleo", "  Emil", " away ")
      try await dora.enter("give up")
      // Ada decides last, so that a round is over when everything in it was seen.
      try ada.send(try first.solution())
      try await cleo.shows("A solution of round 1", "You had it after ", "Round 2 begins in ", "gave up")
      try await expectAccessible(cleo)
      try await cleo.picture("result-320-light")

      // Round 2, in the dark.
      try await cleo.look(isDark: true)
      let second = try await ada.hand(2)
      try await dora.shows("Round 2 of 3")
      try await dora.enter("give up")
      try await cleo.shows("Round 2 of 3", without: "Hint 1")
      try await expectAccessible(cleo)
      try await cleo.solve(second)
      try await cleo.shows("You have it, after ")
      try await board.shows("Round 2 of 3", "gave up")
      try await expectAccessible(board)
      try await board.picture("board-round")
      try ada.send("give up")
      try await cleo.shows("A solution of round 2")
      try await expectAccessible(cleo)
      try await cleo.picture("result-320-dark")
      try await board.shows("A solution of round 2")
      try await expectAccessible(board)
      try await board.picture("board-result")

      // Round 3 ends after the lost phone is back, whose seat and points were kept.
      let third = try await ada.hand(3)
      try await cleo.shows("Round 3 of 3")
      try await Task.sleep(until: start + .seconds(30), clock: .continuous)
      try await emil.offline(false)
      try await emil.shows("Round 3 of 3", "Emil (you)", without: "The connection broke")
      #expect(ada.events("joined").filter { $0["player"] == "Emil" }.count == 1)
      let points = try await emil.value("own(state).points")
      #expect(Int(points) ?? 0 >= 10)
      try await emil.solve(third)
      try await emil.shows("You have it, after ")
      try await emil.picture("solved-430-dark")
      try await cleo.tap("Give up", "Give up? Press again", until: "You gave up")
      try await dora.enter("give up")
      try ada.send("give up")
      for phone in [cleo, emil] {
        try await phone.shows("The game is over", "with ", "A solution of round 3", "Best time")
        try await expectAccessible(phone)
        try await phone.picture("end-\(phone.name)")
      }
    }

    @Test func `the network breaks, and the host locks, removes and closes: each phone says what happened`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        try await Browser.open(lab, on: .h2) { browser in
          let ada = try lab.host(
            "Ada", "--port", "4242", "--web", "--stay", "--round-seconds", "300", "--pause-seconds", "1", on: .h1)
          let address = try #require(try await ada.event("open")["web"]?.string)
          let bo = try await browser.phone("Bo", isDark: true)
          let board = try await browser.phone("Board", width: 1280, height: 720, isPhone: false)

          // The parts of the page, and the checks themselves, before anybody plays.
          try await bo.open(address)
          try await bo.shows("Who plays?")
          let faults = try await bo.faults("units.js")
          #expect(faults == [])
          try await checkTheChecks(bo)
          try await bo.tap("Your name, as the others see it")
          try await bo.write("(you)")
          try await bo.press("Enter")
          try await bo.shows("Who plays?", "is what the game writes behind names")
          #expect(try await bo.value("document.activeElement.id") == "\"name\"")
          try await expectAccessible(bo)
          try await bo.join(address)
          try await board.open(address + "board")
          try await bo.shows("Round 1", "Hint (−2)", "Bo (you)")
          try await board.shows("Round 1", "To play: scan the code on the host’s screen.", "Bo")
          try await expectAccessible(board)
          try await board.picture("board-light")
          try await board.look(isDark: true)
          try await expectAccessible(board)
          let cuts = try await board.faults("board.js")
          #expect(cuts == [])
          // A tablet, also upright.
          for (width, height) in [(1024, 768), (820, 1180), (1280, 720)] {
            try await board.resize(width: width, height: height)
            try await expectAccessible(board)
          }

          try await keysAndLargeText(bo, try await ada.hand(1))
          try await comesBack(lab, ada, bo, board)
          try await decisions(ada, bo, try await browser.phone("Cy"), address)

          // Another match in the same room.
          try ada.send("end")
          for phone in [bo, board] {
            try await phone.shows("The game is over", "The host may play again.", "Best time")
            try await expectAccessible(phone)
          }
          try ada.send("again")
          for phone in [bo, board] { try await phone.shows("Round 1", without: "The game is over") }

          try ada.send("quit")
          for phone in [bo, board] { try await phone.shows("The room is closed", "The host closed the room.") }
          try await expectAccessible(board)
          try await scansTheScreen(lab, try await browser.phone("Eve", width: 390, height: 844))
          for phone in [bo, board] {
            let complaints = try await phone.complaints()
            #expect(complaints == [])
          }
        }
      }
    }

    /// A host at a terminal, and a phone that reads the code on it.
    private func scansTheScreen(_ lab: Lab, _ eve: Phone) async throws {
      try await Screen.open(lab, on: .h1) { host in
        try await host.enter("twentyfour-host --name Grace --passcode 471123 --web --backend builtin --round-seconds 300")
        try await host.shows("Grace's game, port ", " 1 Grace  ")
        try await host.press("w")
        try await host.shows("http://10.77.0.1:8024/#")
        let code = try await host.scan()
        #expect(code.lowercased().hasPrefix("http://10.77.0.1:8024/#"))
        try await eve.join(code)
        try await eve.shows("Eve (you)", "Grace")
        // The next phone needs another code.
        try await host.shows("http://10.77.0.1:8024/#", without: String(code.lowercased().suffix(26)))
        try await host.press("Escape")
        try await host.shows("Eve")
        try await eve.shows("Grace’s game", "Round 1", "Hint (−2)")
        // The keyboard takes its part of the screen.
        for (width, height) in [(820, 1180), (390, 844), (390, 508), (320, 308), (568, 320)] {
          try await eve.resize(width: width, height: height)
          let hidden = try await eve.faults("typing.js")
          #expect(hidden == [])
        }
        try await eve.resize(width: 390, height: 844)
        try await host.enter("quit")
        try await host.press("y")
        try await eve.shows("The room is closed")
      }
    }

    private func expectAccessible(_ phone: Phone, at location: SourceLocation = #_sourceLocation) async throws {
      let obstacles = try await phone.obstacles()
      #expect(obstacles == [], "\(phone.name)", sourceLocation: location)
    }

    /// Faults that are there on purpose must be found.
    private func checkTheChecks(_ phone: Phone) async throws {
      try await expectAccessible(phone)
      try await phone.value(
        """
        document.body.insertAdjacentHTML("beforeend", `<div id="bad"><button></button><h4>far</h4><p id="spoken">twice</p></div>`);
        bad.style.cssText = "color: #888; background: #999; width: 200vw"
        """)
      let faults = try await phone.obstacles().joined(separator: "\n")
      for fault in [
        "no name", "px large", "level 4 after one of level 2", "two elements are #spoken", "wider than the window",
        "a contrast of 1.2",
      ] {
        #expect(faults.contains(fault), "\(faults)")
      }
      try await phone.value("bad.remove()")
      try await expectAccessible(phone)
    }

    private func keysAndLargeText(_ phone: Phone, _ hand: Hand) async throws {
      let order = try await phone.focusOrder()
      #expect(
        order == hand.numbers.map(String.init) + [
          "plus", "minus", "times", "divided by", "Undo", "Start over", "Hint (−2)", "Give up", "Type the answer",
          "How to play", "Leave the room",
        ])
      // Twice and three times the text, any name, and a phone that lies on its side.
      for width in [320, 360, 390] {
        try await phone.resize(width: width, height: 568)
        let faults = try await phone.faults("large.js")
        #expect(faults == [])
        for size in [32, 48] {
          try await phone.value("document.documentElement.style.fontSize = '\(size)px'")
          try await expectAccessible(phone)
          try await phone.picture("large-\(width)-\(size)-dark")
        }
        try await phone.value("document.documentElement.style.fontSize = ''")
      }
      try await phone.resize(width: 667, height: 375)
      try await expectAccessible(phone)
      try await phone.resize(width: 320, height: 568)
      // Names and texts are texts.
      try await phone.tap("Type the answer", "Your answer, such as 8*(9/(5-2))")
      try await phone.write("<b>1</b>")
      try await phone.press("Enter")
      try await phone.shows("cannot be used; write digits")
    }

    /// The cable is pulled, which no browser notices by itself.
    private func comesBack(_ lab: Lab, _ ada: Program, _ bo: Phone, _ board: Phone) async throws {
      try await lab.link(isUp: false, of: .h2)
      for phone in [bo, board] { try await phone.shows("The connection broke. Coming back …", within: .seconds(30)) }
      try await ada.event("away", within: .seconds(30)) { $0["player"] == "Bo" }
      try await lab.link(isUp: true, of: .h2)
      for phone in [bo, board] {
        try await phone.shows("Round 1", without: "The connection broke", within: .seconds(30))
      }
      try await ada.event("back") { $0["player"] == "Bo" }
      // Once: a quiet room is no dead network.
      #expect(ada.events("away").count == 1)
    }

    private func decisions(_ ada: Program, _ bo: Phone, _ cy: Phone, _ address: String) async throws {
      let lines = ada.events("standings").compactMap { $0["standings"]?.array?.first { $0["player"] == "Bo" } }
      let number = Int(try #require(lines.last?["number"]?.number))
      try ada.send("kick \(number)")
      try await bo.shows("You were removed", "The host removed you.")
      try await expectAccessible(bo)
      try await bo.picture("kicked-320-dark")
      try await bo.tap("Join again")
      try await bo.shows("Round 1", "Hint (−2)", "Bo (you)")
      try ada.send("lock")
      try await ada.event("rule") { $0["rule"] == "lock" }
      try await cy.join(address)
      try await cy.shows("The room is locked")
      try ada.send("unlock")
      try ada.send("approve")
      try await ada.event("rule") { $0["rule"] == "approve" }
      try await cy.tap("Try again")
      try await cy.shows("The host decides whether you may come in", "An answer comes within ")
      try await expectAccessible(cy)
      let asking = Int(try #require(try await ada.event("asked")["number"]?.number))
      try ada.send("refuse \(asking)")
      try await cy.shows("The host said no")
    }
  }
}
