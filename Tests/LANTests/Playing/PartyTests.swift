import Testing

extension PlayingOnALAN {
  /// A party: what its host and guests are told when nobody can come, and how it begins and ends.
  struct PartyTests {
    /// What keeps the fourth host from the others.
    enum Obstacle: String, CaseIterable {
      case noLink, firewall

      /// What `bonjourish browse` says of it.
      var sentence: String {
        switch self {
        case .noLink: "only services of this machine can be found: no network interface can be used"
        case .firewall: "is not received there, so a firewall may drop it"
        }
      }

      func arise(in lab: Lab, on host: Lab.Host) async throws {
        switch self {
        case .noLink: try await lab.link(isUp: false, of: host)
        case .firewall:
          let wall = "add table inet wall; add chain inet wall c { type filter hook input priority 0; }; "
          #expect(try await lab.start("nft", wall + "add rule inet wall c udp dport 5353 drop", on: host).exitCode() == 0)
        }
      }

      func vanish(from lab: Lab, on host: Lab.Host) async throws {
        switch self {
        case .noLink: try await lab.link(isUp: true, of: host)
        case .firewall: #expect(try await lab.start("nft", "delete table inet wall", on: host).exitCode() == 0)
        }
      }
    }

    @Test(arguments: Backend.allCases)
    func `players and hosts are told at once why they find nobody`(_ backend: Backend) async throws {
      try await withEach(of: Obstacle.allCases) { obstacle in
        try await withLab(hosts: 2, daemons: backend == .avahi, backend: backend) { lab in
          try await obstacle.arise(in: lab, on: .h2)
          // A program that begins on a busy machine gets a moment more than the three seconds.
          let limit = Duration.seconds(5)
          let lobby = try lab.player("Bob", json: false, on: .h2)
          try await lobby.errorLine(within: limit) { $0.contains(obstacle.sentence) }
          let json = try lab.player("Cleo", on: .h2)
          try await json.json(within: limit) {
            ["limited", "interrupted"].contains($0["event"]?.string)
              && $0["reason"]?.string?.contains(obstacle.sentence) == true
          }
          let any = try lab.player("Dora", json: false, "--any", on: .h2)
          try await any.errorLine(within: limit) { $0.contains(obstacle.sentence) }
          // What is wrong is the reason, and not that there are no rooms.
          try await any.errorLine { $0.contains("no room was found: ") && $0.contains(obstacle.sentence) }
          #expect(try await any.exitCode() == 69)
          let host = try lab.host("Eve", json: false, on: .h2)
          try await host.errorLine(within: limit) { $0.contains(obstacle.sentence) }

          try await obstacle.vanish(from: lab, on: .h2)
          for program in [lobby, host] {
            try await program.errorLine { $0.contains("works again") || $0.contains("can be found again") }
          }
        }
      }
    }

    @Test(arguments: Backend.allCases) func `a terminal shows why nobody comes`(_ backend: Backend) async throws {
      try await withLab(hosts: 2, daemons: backend == .avahi, backend: backend) { lab in
        try await Obstacle.firewall.arise(in: lab, on: .h2)
        try await Screen.open(lab, on: .h2) { screen in
          for command in ["twentyfour-join", "twentyfour-host", "twentyfour-join --any"] {
            try await screen.enter("clear; \(command) --name Bob --backend \(backend.rawValue); echo en''ded")
            // Not what the program before has left.
            try await screen.shows("so a firewall may drop it", without: "ended")
            // It stays.
            if command == "twentyfour-host" { try await screen.shows("Bob's game, port ", "so a firewall may drop it") }
            try await screen.press("C-c")
            try await screen.shows("ended")
          }
        }
      }
    }

    @Test func `a host waits for company, asks before closing, and sees how it ended`() async throws {
      try await withLab(hosts: 2, daemons: false) { lab in
        try await Screen.open(lab, on: .h1) { ada in
          try await Screen.open(lab, on: .h2) { bob in
            try await ada.enter("twentyfour-host --name Ada --pause-seconds 2 --backend builtin")
            try await ada.shows("Others join with twentyfour-join", "Round 1 begins with the second player", "w: phones")
            try await bob.enter("twentyfour-join --any --name Bob --backend builtin")
            for screen in [ada, bob] { try await screen.shows("Round 1", without: "Round 1 begins") }
            // The code is there again, and the same on both sides.
            try await bob.enter("codes")
            let shown = try await bob.shows(": yours")
            let line = try #require(shown.first { $0.contains(": yours") })
            let code = line.split(separator: ":")[0].trimmingPrefix(" ")
            try await ada.enter("codes")
            try await ada.shows("\(code): 2 Bob")

            for screen in [ada, bob] { try await screen.enter("give up") }
            for screen in [ada, bob] { try await screen.shows("A solution: ", "Total     Best") }
            try await ada.press("C-c")
            try await ada.shows("Close the room for 1 player? y/n")
            try await ada.press("n")
            try await ada.shows("Total     Best", without: "Close the room for 1 player? y/n")
            try await ada.press("C-c")
            try await ada.shows("Close the room for 1 player? y/n")
            try await ada.press("y")
            try await ada.shows("You closed the room.", "Total     Best", "Enter: go on")
            try await bob.shows("The host closed the room.", "Enter: go on")
            try await ada.press("Enter")
            try await ada.shows("1 round, you have 0 points. Nobody has any points.")
          }
        }
      }
    }

    @Test func `a second Ctrl-C closes the room at once, and one does if nobody else is there`() async throws {
      try await withLab(hosts: 2, daemons: false) { lab in
        try await Screen.open(lab, on: .h1) { ada in
          for plain in ["", " --plain"] {
            let bob = try lab.player("Bob", json: false, "--any", "--backend", "builtin", on: .h2)
            try await ada.enter("clear; twentyfour-host --name Ada --backend builtin\(plain); echo en''ded")
            try await bob.line { $0.hasPrefix("You are Bob in ") }
            try await ada.shows("Bob came.")
            try await ada.press("C-c")
            try await ada.shows("Close the room for 1 player? y/n")
            try await ada.press("C-c")
            try await bob.line { $0.contains("The host closed the room.") }
            try await ada.shows("ended")
          }
          try await ada.enter("clear; twentyfour-host --name Ada --backend builtin; echo en''ded")
          try await ada.shows("Others join with twentyfour-join")
          try await ada.press("C-c")
          try await ada.shows("ended")
        }
      }
    }

    @Test func `a host in plain lines begins alone, and asks for the time and the standings`() async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        try await Screen.open(lab, on: .h1) { ada in
          try await ada.enter("twentyfour-host --name Ada --plain --backend builtin")
          try await ada.shows("* Others join with twentyfour-join, and on phones with --web.")
          try await ada.enter("time")
          try await ada.shows("No round is running.")
          try await ada.enter("start")
          try await ada.shows("Round 1:   ")
          try await ada.enter("clear")
          try await ada.enter("time")
          try await ada.shows(" s left")
          try await ada.enter("standings")
          try await ada.shows("> 1 Ada: guessing, 0 points")
        }
      }
    }
  }
}
