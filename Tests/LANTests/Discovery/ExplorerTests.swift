import Testing

extension PlayingOnALAN {
  /// The explorer of `bonjourish browse`, at a terminal.
  struct ExplorerTests {
    @Test(arguments: Backend.allCases) func `services come, change and go in the explorer, which fits the terminal`(
      backend: Backend
    ) async throws {
      try await withLab(hosts: 2, backend: backend) { lab in
        let ada = try lab.bonjourish("publish", "Ada \u{202E}李雷", "http", "8080", "path=/", "--json", on: .h1)
        try await ada.event("published")
        try await Screen.open(lab, on: .h2) { screen in
          let before = try await screen.output(of: "stty -g | md5sum")
          try await screen.enter("clear; bonjourish browse http --resolve --backend \(backend)")
          let first = try await screen.shows(
            " _http._tcp (Web server) ", "1 service", #"    Ada \u{202E}李雷  h1.local:8080  10.77.0.1"#, #"path="/""#)
          #expect(first.count == 5 && first.last == " $ bonjourish browse http --resolve --backend \(backend)")
          try await screen.shows(backend == .avahi ? "on eth0 · avahi-daemon · " : "on eth0 · built-in engine · ", "q: quit")

          // What comes after the first round of questions is marked, for a while, and so is what goes.
          try await screen.shows("1 service", without: "looking")
          let bob = try lab.bonjourish("publish", "Bob", "http", "81", "--json", on: .h1)
          try await screen.shows(" +  Bob ", "2 services")
          #expect(try await screen.lines(withStyles: true).contains { $0.contains("\u{1B}[32m") })
          try await screen.shows("    Bob ")
          try bob.signal(15)
          try await screen.shows(" -  Bob ", "1 service")
          try await screen.resize(columns: 40, rows: 10)
          let small = try await screen.shows("    Ada ", "_http._tcp ")
          #expect(small.allSatisfy { $0.count <= 40 } && !small.contains { $0.contains("path=") })
          try await screen.resize(columns: 80, rows: 24)
          try await screen.shows(#"path="/""#)

          // Nothing stays when the explorer is left, and the list if it ends by itself.
          try await screen.press("q")
          try await screen.shows("$", without: "Ada", "$ bonjourish")
          try await screen.enter("clear; bonjourish browse http --resolve --count 1 --backend \(backend)")
          try await screen.shows(#"+ "Ada \u{202E}李雷" _http._tcp eth0 h1.local:8080 10.77.0.1"#)
          let after = try await screen.output(of: "stty -g | md5sum")
          #expect(after == before)
        }
      }
    }

    @Test(arguments: ["INT", "TERM", "HUP", "ABRT"])
    func `the terminal is given back, whatever ends the explorer`(signal: String) async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        try await Screen.open(lab, on: .h1) { screen in
          let before = try await screen.output(of: "stty -a")
          // Without a command, everything is explored.
          try await screen.enter("echo before; bonjourish")
          try await screen.shows(
            " all services · by type", "Nothing here yet; what comes is shown.", "$ bonjourish browse --all")
          try await screen.signal(signal)
          try await screen.shows("before", "$ echo before; bonjourish")
          #expect(try await screen.output(of: "stty -a") == before)
        }
      }
    }

    @Test func `what cannot work is told in the explorer as long as it is so`() async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        try await Screen.open(lab, on: .h1) { screen in
          try await screen.enter("bonjourish browse http")
          try await screen.shows("Nothing here yet", "on eth0")
          try await lab.link(isUp: false, of: .h1)
          try await screen.shows("only services of this machine can be found", "connect this machine to a network", "on lo")
          try await lab.link(isUp: true, of: .h1)
          try await screen.shows("on eth0")
          let lines = try await screen.lines()
          #expect(lines.count == 4)
        }
      }
    }

    @Test func `a person filters, opens, publishes and withdraws in the explorer`() async throws {
      try await withLab(hosts: 2, daemons: false) { lab in
        let ada = try lab.bonjourish("publish", "Ada's pages", "http", "8080", "path=/x", "--json", on: .h1)
        let bob = try lab.bonjourish("publish", "Bob", "ssh", "22", "--json", on: .h1)
        try await ada.event("published")
        try await bob.event("published")
        try await Screen.open(lab, on: .h2) { screen in
          let before = try await screen.output(of: "stty -g | md5sum")
          let opener = "printf '#!/bin/sh\\necho \"$@\" >\(screen.folder)/opened\\n' >\(screen.folder)/xdg-open"
          try await screen.enter("\(opener); chmod +x \(screen.folder)/xdg-open")
          try await screen.enter("clear; PATH=\(screen.folder):$PATH DISPLAY=:0 bonjourish")
          try await screen.shows(
            "_http._tcp  Web server 1", "_ssh._tcp  Remote login (SSH) 1", "2 services", without: "looking")
          // The details of the service that is found, which is resolved when it is selected.
          try await screen.type("/pages")
          try await screen.shows("1 of 2 services", without: "Bob")
          try await screen.press("Enter", "Down")
          try await screen.shows("$ bonjourish browse --all --filter 'any=*pages*'", "h1.local:8080")
          try await screen.press("Enter")
          try await screen.shows(
            "10.77.0.1", #"path="/x""#, "http://10.77.0.1:8080/x", "lives 2 min 0 s", "came ",
            #"$ bonjourish resolve "Ada's pages" http"#)
          try await screen.press("o")
          try await screen.shows("opening xdg-open http://10.77.0.1:8080/x")
          try await screen.press("Escape")
          try await screen.shows("$ bonjourish browse --all --filter")
          // Ctrl-C leaves what is being written, and the explorer goes on.
          try await screen.type("/zzz")
          try await screen.shows("Nothing here matches")
          try await screen.press("C-c")
          try await screen.shows("1 of 2 services", "$ bonjourish browse --all --filter 'any=*pages*'")
          try await screen.press("Escape")
          try await screen.shows("Remote login (SSH) 1", without: "1 of 2")
          // What is published from here, everybody finds, until it is withdrawn, or the explorer ends.
          try await screen.type("nEve http 81 a=b")
          try await screen.press("Enter")
          try await screen.shows("published Eve as _http._tcp", "publishing 1", "published here")
          let seen = try await lab.bonjourish("resolve", "Eve", "http", "--json", on: .h1).event("resolved")
          #expect(seen["host"] == "h2.local" && seen["port"]?.number == 81 && seen["txt"]?["a"] == "b")
          try await screen.type("d1")
          try await screen.shows("withdrew Eve")
          try await screen.type("nEve2 http 82")
          try await screen.press("Enter")
          try await screen.shows("published Eve2 as _http._tcp")
          try await screen.press("q")
          // Its own last line begins with $, too.
          try await screen.shows("$", without: "$ bonjourish browse")
          #expect(try await screen.output(of: "cat \(screen.folder)/opened") == ["http://10.77.0.1:8080/x"])
          #expect(try await screen.output(of: "stty -g | md5sum") == before)
          let left = try lab.bonjourish("browse", "http", "--once", "--json", on: .h1)
          #expect(try await left.exitCode() == 0)
          #expect(left.events("found").map { $0["name"] } == ["Ada's pages"])
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
            "TERM=dumb bonjourish",
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
