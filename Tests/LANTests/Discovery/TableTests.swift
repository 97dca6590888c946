import Testing

extension PlayingOnALAN {
  /// The table of `bonjourish browse`, at a terminal.
  struct TableTests {
    @Test(arguments: Backend.allCases) func `services come, change and go in a table that fits the terminal`(
      backend: Backend
    ) async throws {
      try await withLab(hosts: 2, backend: backend) { lab in
        let ada = try lab.bonjourish("publish", "Ada \u{202E}李雷", "http", "8080", "path=/", "--json", on: .h1)
        try await ada.event("published")
        try await Screen.open(lab, on: .h2) { screen in
          let before = try await screen.output(of: "stty -g | md5sum")
          try await screen.enter("clear; bonjourish browse http --resolve --backend \(backend)")
          let first = try await screen.shows(
            " _http._tcp (Web server) ", "1 service", #"   Ada \u{202E}李雷  h1.local:8080  10.77.0.1"#, #"path="/""#)
          #expect(first.count == 4)
          try await screen.shows(backend == .avahi ? "on eth0 · avahi-daemon · " : "on eth0 · built-in engine · ", "q: quit")

          // What comes after the first round of questions is marked, for a while, and so is what goes.
          try await screen.shows("1 service", without: "looking")
          let bob = try lab.bonjourish("publish", "Bob", "http", "81", "--json", on: .h1)
          try await screen.shows(" + Bob ", "2 services")
          #expect(try await screen.lines(withStyles: true).contains { $0.contains("\u{1B}[32m") })
          try await screen.shows("   Bob ")
          try bob.signal(15)
          try await screen.shows(" - Bob ", "1 service")
          try await screen.resize(columns: 40, rows: 10)
          let small = try await screen.shows("   Ada ", "_http._tcp ")
          #expect(small.allSatisfy { $0.count <= 40 } && !small.contains { $0.contains("path=") })
          try await screen.resize(columns: 80, rows: 24)
          try await screen.shows(#"path="/""#)

          // The list stays when the table is gone.
          try await screen.press("q")
          try await screen.shows(#"+ "Ada \u{202E}李雷" _http._tcp eth0 h1.local:8080 10.77.0.1"#, "$")
          let after = try await screen.output(of: "stty -g | md5sum")
          #expect(after == before)
        }
      }
    }

    @Test(arguments: ["INT", "TERM", "HUP", "ABRT"])
    func `the terminal is given back, whatever ends the table`(signal: String) async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        try await Screen.open(lab, on: .h1) { screen in
          let before = try await screen.output(of: "stty -a")
          try await screen.enter("echo before; bonjourish browse --all")
          try await screen.shows(" all services ", "Nothing here yet; what comes is shown.")
          try await screen.signal(signal)
          try await screen.shows("before", "$ echo before; bonjourish browse --all")
          #expect(try await screen.output(of: "stty -a") == before)
        }
      }
    }

    @Test func `what cannot work is told in the table as long as it is so`() async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        try await Screen.open(lab, on: .h1) { screen in
          try await screen.enter("bonjourish browse http")
          try await screen.shows("Nothing here yet", "on eth0")
          try await lab.link(isUp: false, of: .h1)
          try await screen.shows("only services of this machine can be found", "connect this machine to a network", "on lo")
          try await lab.link(isUp: true, of: .h1)
          try await screen.shows("on eth0")
          let lines = try await screen.lines()
          #expect(lines.count == 3)
        }
      }
    }

    @Test func `lines are written to what is no such terminal, and if they are wanted`() async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        let ada = try lab.bonjourish("publish", "Ada", "http", "80", "--json", on: .h1)
        try await ada.event("published")
        try await Screen.open(lab, on: .h1) { screen in
          for command in [
            "TERM=dumb bonjourish browse http", "bonjourish browse http --plain", "bonjourish browse http </dev/null",
          ] {
            try await screen.enter("clear; \(command)")
            let lines = try await screen.shows(#"+ "Ada" _http._tcp eth0"#)
            #expect(lines.allSatisfy { !$0.contains("Name") })
            try await screen.press("C-c")
          }
          try await screen.enter("clear; NO_COLOR=1 bonjourish browse --all")
          try await screen.shows("Name", "Ada", "1 service")
          #expect(try await screen.lines(withStyles: true).allSatisfy { $0.firstMatch(of: /\u{1B}\[3[1-7]m/) == nil })
        }
      }
    }
  }
}
