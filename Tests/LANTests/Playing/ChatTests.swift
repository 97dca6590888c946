import CBonjourishLinux
import Testing

extension TalkingOnALAN {
  /// The example that joins finding and talking.
  struct ChatTests {
    @Test(arguments: Backend.allCases) func `all members of a room hear each other, and no others do`(
      backend: Backend
    ) async throws {
      try await withLab(backend: backend) { lab in
        let ada = try lab.chat("Ada", on: .h1)
        try await ada.line { $0 == "* You are Ada in lobby" }
        let bob = try lab.chat("Bob", on: .h2)
        let cleo = try lab.chat("Cleo", on: .h3)
        let eve = try lab.chat("Eve", "--room", "kitchen", on: .h3)
        try await eve.line { $0 == "* You are Eve in kitchen" }
        let people = [("Ada", ada), ("Bob", bob), ("Cleo", cleo)]
        for (name, program) in people {
          for (other, _) in people where other != name { try await program.line { $0 == "* \(other) is here" } }
        }

        for (name, program) in people {
          try program.send("Hello from \(name)")
          try program.send("e\u{301}\u{1B}[2J")
          for (other, listener) in people where other != name {
            try await listener.line { $0 == "\(name): Hello from \(name)" }
            // What would clear the terminal does not get there.
            try await listener.line { $0 == "\(name): e\u{301}\\u{1B}[2J" }
          }
        }

        // What was typed last still arrives.
        try bob.send("Bye")
        try bob.closeInput()
        #expect(try await bob.exitCode() == 0)
        for program in [ada, cleo] {
          try await program.line { $0 == "Bob: Bye" }
          try await program.line { $0 == "* Bob has gone" }
        }
        // One who is killed cannot say anything, but his system does.
        try cleo.signal(SIGKILL)
        try await ada.line { $0 == "* Cleo has gone" }
        try ada.signal(SIGTERM)
        #expect(try await ada.exitCode() == 0)

        for (_, program) in people { #expect(program.errorLines == []) }
        #expect(ada.outputLines.count == 10)
        #expect(eve.outputLines == ["* You are Eve in kitchen"])
      }
    }

    @Test func `lines that arrive do not tear the line that is being typed`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        try await Screen.open(lab, on: .h1, columns: 40, rows: 12) { ada in
          // Written in two parts, so that the command itself is not taken for its end.
          try await ada.enter("chat --name Ada --backend builtin; echo o''ver")
          try await ada.shows("* You are Ada in lobby")
          let bob = try lab.chat("Bob", on: .h2)
          try await bob.line { $0 == "* Ada is here" }
          try await ada.shows("* Bob is here")
          try await ada.type("half a lime")
          try bob.send("Hello")
          try await ada.shows("Bob: Hello")
          #expect(try await ada.lines().suffix(2) == ["Bob: Hello", "> half a lime"])
          try await ada.press("BSpace", "BSpace")
          try await ada.type("ne, and longer than one row has space for")
          try bob.send("Are you there?")
          try await ada.shows("Bob: Are you there?", "> and longer than one row has space for")
          try await ada.press("Enter")
          try await bob.line { $0 == "Ada: half a line, and longer than one row has space for" }
          // The terminal is as it was before.
          try await ada.press("C-d")
          try await ada.shows("over")
          #expect(try await ada.output(of: "stty -a").joined().contains(" icanon"))
        }
      }
    }

    @Test func `on a terminal Ctrl-C ends the program in order, and Ctrl-Z stops it until it goes on`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        try await Screen.open(lab, on: .h1, columns: 60, rows: 24) { ada in
          try await ada.enter("chat --name Ada --backend builtin")
          try await ada.shows("* You are Ada in lobby")
          let bob = try lab.chat("Bob", on: .h2)
          try await bob.line { $0 == "* Ada is here" }
          try await ada.shows("* Bob is here")
          try await ada.type("half a")
          try await ada.shows("> half a")
          try await ada.press("C-z")
          try await ada.shows("Stopped")
          #expect(try await ada.output(of: "stty -a").joined().contains(" icanon"))
          try bob.send("Are you there?")
          try await ada.enter("fg; echo o''ver $?")
          try await ada.shows("Bob: Are you there?", "> half a")
          try await ada.type(" line")
          try await ada.press("Enter")
          try await bob.line { $0 == "Ada: half a line" }
          try await ada.press("C-c")
          try await bob.line { $0 == "* Ada has gone" }
          try await ada.shows("over 0")
          #expect(try await ada.output(of: "stty -a").joined().contains(" icanon"))
          #expect(bob.outputLines == ["* You are Bob in lobby", "* Ada is here", "Ada: half a line", "* Ada has gone"])
        }
      }
    }

    @Test func `--help shows the options, and nothing is published`() async throws {
      try await withLab(hosts: 1, daemons: false, backend: .builtin) { lab in
        for option in ["--help", "-h"] {
          let help = try lab.start(LAN.program("chat"), option, on: .h1)
          #expect(try await help.exitCode() == 0)
          #expect(help.outputLines.contains { $0.contains("--room ROOM") } && help.errorLines.isEmpty)
        }
        let wrong = try lab.start(LAN.program("chat"), "--nonsense", on: .h1)
        #expect(try await wrong.exitCode() == 64)
      }
    }

    @Test func `two of a name are told apart, and a link that was down is no end`() async throws {
      try await withLab(hosts: 2) { lab in
        let first = try lab.chat("Ada", on: .h1)
        try await first.line { $0 == "* You are Ada in lobby" }
        let second = try lab.chat("Ada", on: .h2)
        try await second.line { $0 == "* You are Ada #2 in lobby" }
        try await first.line { $0 == "* Ada #2 is here" }
        try await second.line { $0 == "* Ada is here" }
        try await lab.link(isUp: false, of: .h2)
        try second.send("Is anybody there?")
        try await lab.link(isUp: true, of: .h2)
        try await first.line(within: .seconds(30)) { $0 == "Ada #2: Is anybody there?" }
      }
    }

    @Test(arguments: [true, false]) func `a vanished peer is noticed within 30 seconds and joined again within 2`(
      hasUnsentLine: Bool
    ) async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        let ada = try lab.chat("Ada", on: .h1)
        let bob = try lab.chat("Bob", on: .h2)
        try await ada.line { $0 == "* Bob is here" }
        try await bob.line { $0 == "* Ada is here" }

        try await lab.link(isUp: false, of: .h2)
        let pulled = ContinuousClock.now
        if hasUnsentLine { for program in [ada, bob] { try program.send("Is anybody there?") } }
        try await ada.line(within: .seconds(40)) { $0 == "* Bob has gone" }
        try await bob.line(within: .seconds(40)) { $0 == "* Ada has gone" }
        let noticed = ContinuousClock.now
        #expect(noticed - pulled < .seconds(30))

        try await lab.link(isUp: true, of: .h2)
        let plugged = ContinuousClock.now
        try await ada.line { $0 == "* Bob is here" }
        try await bob.line { $0 == "* Ada is here" }
        let joined = ContinuousClock.now
        #expect(joined - plugged < .seconds(2))
        Attachment.record("noticed after \(noticed - pulled), joined again after \(joined - plugged)", named: "times.txt")
      }
    }
  }
}
