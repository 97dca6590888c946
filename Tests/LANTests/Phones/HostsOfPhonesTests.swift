import CBonjourishLinux
import Testing
import TwentyFour

extension PhonesOnALAN {
  /// Whose room a phone is in, and what it says when nobody is there.
  struct HostsOfPhonesTests {
    private func open(_ name: String, _ arguments: String..., in lab: Lab, on host: Lab.Host) async throws -> (Program, String)
    {
      let options = ["--backend", "builtin", "--web", "--pause-seconds", "1"] + arguments
      let program = try lab.start(
        lab.own(host) + [LAN.program("twentyfour-host"), "--name", name, "--json"] + options, on: host)
      return (program, try #require(try await program.event("open")["web"]?.string))
    }

    @Test func `a phone knows whose room it is in, and comes into another one only by a touch`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        try await Browser.open(lab, on: .h2) { browser in
          let (ada, address) = try await open("Ada", "--round-seconds", "300", in: lab, on: .h1)
          let bo = try await browser.phone("Bo")
          let cy = try await browser.phone("Cy")
          try await bo.open(address)
          try await bo.shows("Ada’s game", "Who plays?")
          for phone in [bo, cy] {
            try await phone.join(address)
            try await phone.shows("Ada’s game", "Round 1", "\(phone.name) (you)")
          }
          try await bo.solve(try await ada.hand(1))
          try await bo.shows("You have it")

          try ada.signal(SIGKILL)
          try await bo.shows("The connection broke. Coming back …")
          let (eve, other) = try await open("Eve", "--round-seconds", "300", in: lab, on: .h1)
          #expect(other == address)
          try await bo.shows(
            "Another room is here now", "Ada’s game is gone. At its address is Eve’s game now.", "You win with ", "Bo (you)",
            without: "Round 1", within: .seconds(30))
          try await bo.picture("other-room-320-light")
          let obstacles = try await bo.obstacles()
          #expect(obstacles == [])
          try await cy.shows("Another room is here now", within: .seconds(30))
          // A reload is no touch either.
          try await cy.reload()
          try await cy.shows("Eve’s game", "Who plays?")
          #expect(eve.events("joined").isEmpty)
          try await bo.tap("Join Eve’s game")
          try await bo.shows("Eve’s game", "Round 1", "Bo (you)")
          try await eve.event("joined") { $0["player"] == "Bo" }
          #expect(eve.events("joined").allSatisfy { $0["player"] == "Bo" })
        }
      }
    }

    @Test func `a board at a match server shows the next match by itself`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        try await Browser.open(lab, on: .h2) { browser in
          let options = ["--web", "--port", "4242", "--rounds", "1", "--round-seconds", "300", "--pause-seconds", "1"]
          let server = try lab.start(
            lab.own(.h1) + [LAN.program("twentyfour-host"), "--dedicated", "--json", "--backend", "builtin"] + options, on: .h1)
          let address = try #require(try await server.event("open")["web"]?.string)
          let board = try await browser.phone("Board", width: 1280, height: 720, isPhone: false)
          try await board.open(address + "board")
          try await board.shows("No match yet", "The next match is shown as soon as it begins.", without: "Try again")
          for names in [["Bo", "Cy"], ["Di", "Ed"]] {
            let players = try names.map { try lab.player($0, ["--connect", "10.77.0.1:4242"], on: .h2) }
            try await board.shows("Round 1 of 1", names[0], names[1])
            for player in players { try player.send("give up") }
            try await board.shows("The game is over", names[0], without: "Join again", "No match yet")
          }
          let obstacles = try await board.obstacles()
          #expect(obstacles == [])
          #expect(try await board.complaints() == [])
        }
      }
    }

    @Test func `a host that died is told as gone, comes back, and leaves the standings when it closes`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        try await Browser.open(lab, on: .h2) { browser in
          let state = lab.folder + "/gone.json"
          let (ada, address) = try await open("Ada", "--state", state, "--round-seconds", "30", in: lab, on: .h1)
          let bo = try await browser.phone("Bo")
          try await bo.join(address)
          try await bo.shows("Round 1", "Hint (−2)")
          let hand = try await ada.hand(1)

          // Half of an answer is still there after a reload, and nothing is asked for in vain.
          try await bo.tap("\(hand.numbers[0])", "plus", "\(hand.numbers[1])")
          let made = try await bo.value("document.querySelectorAll('#hand .card')[1].textContent")
          #expect(made.contains("+"))
          try await bo.reload()
          try await bo.shows("Round 1", "Hint (−2)")
          #expect(try await bo.value("document.querySelectorAll('#hand .card')[1].textContent") == made)
          try await bo.offline(true)
          try await bo.shows("The connection broke. Coming back …")
          try await bo.tap("Hint (−2)")
          try await bo.shows("There is no connection to the room.")
          try await bo.offline(false)
          try await bo.shows("Round 1", without: "The connection broke")
          try await bo.tap("Start over")
          try await bo.solve(hand)
          try await bo.shows("You have it")
          // The state is written once a second.
          try await Task.sleep(for: .seconds(2))

          try ada.signal(SIGKILL)
          let start = ContinuousClock.now
          try await bo.shows("The host does not answer any more and seems to be gone. Still trying …", within: .seconds(30))
          #expect(ContinuousClock.now - start > .seconds(10))
          // When the time is up, there is no round that anybody could wait for.
          try await bo.shows(
            "The host seems to be gone", "Bo (you)", without: "A round is running", "Coming back", within: .seconds(40))
          try await bo.picture("gone-320-light")
          let obstacles = try await bo.obstacles()
          #expect(obstacles == [])

          let (again, _) = try await open("Ada", "--state", state, in: lab, on: .h1)
          try await bo.shows("Bo (you)", without: "seems to be gone", within: .seconds(30))
          try await again.event("back", within: .seconds(5)) { $0["player"] == "Bo" }
          try again.send("quit")
          try await bo.shows("The room is closed", "The host closed the room.", "You win with ", "Best time", "Bo (you)")
          try await bo.picture("closed-320-light")
          try await bo.tap("Look for another room here")
          try await bo.shows("No room answers here. Still trying …", "You win with ", "Bo (you)")
          let (eve, _) = try await open("Eve", in: lab, on: .h1)
          try await bo.shows("Join Eve’s game", "You win with ", without: "Still trying", within: .seconds(30))
          #expect(eve.events("joined").isEmpty)
        }
      }
    }

    @Test func `a phone whose name got a number comes in again after it left`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        try await Browser.open(lab, on: .h2) { browser in
          let (_, address) = try await open("Ada", "--passcode", "471123", "--round-seconds", "300", in: lab, on: .h1)
          let ada = try await browser.phone("Ada")
          try await ada.join(address)
          try await ada.shows("Round 1", "Ada 2 (you)")
          try await ada.tap("Leave the room", "Leave? Press again")
          try await ada.shows("Who plays?")
          try await ada.reload()
          try await ada.shows("Who plays?", without: "Scan the code again")
          try await ada.tap("Play")
          try await ada.shows("Round 1", "Ada 2 (you)")
        }
      }
    }

    @Test func `only a host who refuses has said no`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        try await Browser.open(lab, on: .h2) { browser in
          let (ada, address) = try await open(
            "Ada", "--approve", "--passcode", "471123", "--round-seconds", "300", in: lab, on: .h1)
          let bo = try await browser.phone("Bo")
          try await bo.join(address)
          try await bo.shows("The host decides whether you may come in", "An answer comes within ")
          try await ada.event("asked")
          // Asking again after a break, nothing is broken any more.
          try await bo.offline(true)
          try await ada.event("left") { $0["player"] == "Bo" }
          try await bo.shows("The connection broke")
          try await bo.offline(false)
          try await bo.shows("An answer comes within ", without: "The connection broke", "does not answer")
          let asked = try await ada.event("asked")
          #expect(asked["player"] == "Bo")
          try await bo.shows("Nobody answered", without: "The host said no", within: .seconds(75))
          let obstacles = try await bo.obstacles()
          #expect(obstacles == [])
          try await bo.tap("Try again")
          let number = Int(try #require(try await ada.event("asked")["number"]?.number))
          try ada.send("admit \(number)")
          try await bo.shows("Ada’s game", "Round 1", "Bo (you)")
        }
      }
    }
  }
}
