import CBonjourishLinux
import Testing

extension PublishingOnALAN {
  /// What happens to our programs when the daemon or the system bus that they stand on dies and comes back.
  struct RestartTests {
    @Test func `a browser keeps what stays, and learns what came and went meanwhile`() async throws {
      try await withLab(backend: .avahi) { lab in
        let stays = try lab.start("avahi-publish", "-s", "Stays", "_http._tcp", "1", on: .h1)
        let goes = try lab.start("avahi-publish", "-s", "Goes", "_http._tcp", "2", on: .h3)
        for publisher in [stays, goes] { try await publisher.errorLine { $0.contains("Established") } }
        let browser = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", on: .h2)
        try await browser.event("settled")
        #expect(browser.listed == ["Stays", "Goes"])

        try await lab.daemon(.kill, on: .h2)
        let reason = try await browser.event("interrupted")["reason"]?.string
        #expect(reason?.contains("avahi-daemon") == true)
        try goes.signal(SIGTERM)
        #expect(try await goes.exitCode() == 0)
        _ = try lab.start("avahi-publish", "-s", "Comes", "_http._tcp", "3", on: .h3)
        try await lab.daemon(.start, on: .h2)
        try await browser.event("restored")
        try await browser.event("lost") { $0["name"] == "Goes" }
        #expect(try await browser.event("found") { $0["name"] == "Comes" }["port"] == 3)
        try await browser.event("settled")

        // The bus takes longer to come back than things are kept for: they may be lost and found again.
        try await lab.bus(.kill, on: .h2)
        try await browser.event("interrupted")
        #expect(browser.events("lost").count == 1)
        try await lab.bus(.start, on: .h2)
        try await lab.daemon(.restart, on: .h2)
        try await browser.event("restored")
        try await browser.event("settled")
        #expect(browser.listed == ["Stays", "Comes"])
        try browser.signal(SIGTERM)
        #expect(try await browser.exitCode() == 0)
      }
    }

    @Test(.ofAvahiDaemon("after eight conflicts bonjourishd has a name with random text"))
    func `a daemon that finds no name for the host is left until it has one`() async throws {
      try await withLab(hosts: 3) { lab in
        let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", "--verbose", on: .h1)
        try await ada.event("backend") { $0["name"] == "avahi" }
        try await ada.event("published")
        let browser = try lab.bonjourish("browse", "_http._tcp", "--json", "--backend", "builtin", on: .h3)
        try await browser.event("found")
        // An address of both: the daemons dispute each name that they give to it.
        for (host, check) in [(Lab.Host.h2, "nodad"), (.h1, "")] {
          let adding = try lab.start("sh", "-c", "ip address add fd77::9/64 dev eth0 \(check)", on: host)
          #expect(try await adding.exitCode() == 0)
        }
        try await ada.event("interrupted", within: .seconds(30))
        try await ada.event("backend", within: .seconds(40)) { $0["name"] == "builtin" }
        try await ada.event("restored")
        let later = try lab.bonjourish("browse", "_http._tcp", "--json", "--backend", "builtin", on: .h2)
        try await later.event("found") { $0["name"] == "Ada" }

        let removing = try lab.start("sh", "-c", "ip address delete fd77::9/64 dev eth0", on: .h1)
        #expect(try await removing.exitCode() == 0)
        try await ada.event("backend", within: .seconds(60)) { $0["name"] == "avahi" }
        try await ada.event("restored")
      }
    }

    @Test func `what was published or hosted is there again`() async throws {
      try await withLab(backend: .avahi) { lab in
        let publisher = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "k=v", "--json", on: .h1)
        let room = try lab.host("Ada", on: .h1)
        try await publisher.event("published")
        try await room.event("open")

        try await lab.daemon(.kill, on: .h1)
        try await publisher.event("interrupted")
        try await room.errorLine { $0.contains("new players cannot find the room") }
        // A daemon that begins anew has nothing in its cache: what it finds is there.
        try await lab.daemon(.restart, on: .h3)
        let watch = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", on: .h3)
        let lobby = try lab.bonjourish("browse", "_twentyfour._tcp", "--resolve", "--json", on: .h3)
        for browser in [watch, lobby] {
          try await browser.event("settled")
          #expect(browser.listed == [])
        }
        try await lab.daemon(.start, on: .h1)
        try await publisher.event("restored")
        try await room.errorLine { $0.contains("can be found again") }
        #expect(try await watch.event("found")["txt"] == ["k": "v"])
        try await lobby.event("found") { $0["name"] == "Ada's game" && $0["txt"]?["players"] == "1" }

        try await lab.bus(.kill, on: .h1)
        try await publisher.event("interrupted")
        try await lab.bus(.start, on: .h1)
        try await lab.daemon(.restart, on: .h1)
        try await publisher.event("restored")
        try await room.errorLine { $0.contains("can be found again") }
        // All this time the room was open to those who knew where it is, and now it is found again.
        let bob = try lab.player("Bob", "Ada's game", on: .h2)
        try await bob.event("open")
        try await room.event("joined") { $0["player"] == "Bob" }
        try await lobby.event("updated") { $0["txt"]?["players"] == "2" }

        try publisher.signal(SIGINT)
        try await publisher.event("withdrawn")
        try room.signal(SIGINT)
        #expect(try await bob.event("closed")["reason"] == "hostLeft")
        for program in [publisher, room, bob] { #expect(try await program.exitCode() == 0) }
        try await watch.event("lost") { $0["name"] == "Ada" }
        try await lobby.event("lost") { $0["name"] == "Ada's game" }
      }
    }

    @Test func `what is begun, or waits, while the daemon is away is told so`() async throws {
      try await withLab(hosts: 1, backend: .avahi) { lab in
        let resolver = try lab.bonjourish("resolve", "Nobody", "_http._tcp", "--timeout", "12", "--verbose", on: .h1)
        try await resolver.errorLine { $0.hasSuffix("avahi-daemon has appeared") }
        let other = try lab.bonjourish("browse", "_http._tcp", "--for", "0.3", on: .h1)
        #expect(try await other.exitCode() == 1, "by now the resolver has asked")
        let publisher = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", "--verbose", on: .h1)
        try await publisher.errorLine { $0.hasSuffix("avahi-daemon has appeared") }
        // Before the second is over in which others are asked for the name.
        try await lab.daemon(.kill, on: .h1)
        #expect(try await resolver.exitCode() == 69)
        #expect(resolver.errorLines.last?.contains("discovery was still unavailable") == true)
        #expect(try await publisher.event("interrupted")["reason"]?.string?.contains("avahi-daemon") == true)
        #expect(publisher.events("published") == [])
        try await lab.daemon(.start, on: .h1)
        try await publisher.event("published")
        try publisher.signal(SIGTERM)
        try await publisher.event("withdrawn")
      }
    }

    @Test(arguments: [Backend.avahi, nil])
    func `a publication survives a daemon that dies while it registers`(_ backend: Backend?) async throws {
      try await withLab(hosts: 1, backend: backend) { lab in
        // Many at once, so that some of them are in the middle of a call when the daemon hangs, and then dies.
        let choice = backend.map { "--backend \($0.rawValue)" } ?? ""
        let publishers = try lab.start(
          "sh", "-c",
          "for i in $(seq 30); do \"$0\" publish Ada$i _http._tcp $i --json --verbose \(choice) & done; wait",
          LAN.program("bonjourish"), on: .h1)
        for _ in 1...4 { try await publishers.errorLine { $0.hasSuffix("avahi-daemon has appeared") } }
        try await lab.daemon(.pause, on: .h1)
        try await lab.daemon(.kill, on: .h1)
        try await lab.daemon(.start, on: .h1)
        // Who came before the daemon died, or when it was back, is published in the end.
        for _ in 1...4 { try await publishers.event("published") }
        #expect(publishers.errorLines.filter { $0.hasPrefix("bonjourish: publishing") } == [])
      }
    }

    @Test(arguments: [Backend.avahi, nil])
    func `a daemon that hangs is noticed, and what it had begins to work again`(_ backend: Backend?) async throws {
      try await withLab(hosts: 2, backend: backend) { lab in
        let publisher = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", "--verbose", on: .h1)
        try await publisher.event("published")
        try await lab.daemon(.pause, on: .h1)
        try await publisher.event("interrupted")
        if backend == nil {
          // The built-in engine takes over at once, and gives back.
          try await publisher.event("backend") { $0["name"] == "builtin" }
          try await publisher.event("restored")
          try await lab.daemon(.resume, on: .h1)
          try await publisher.event("backend") { $0["name"] == "avahi" }
        } else {
          try await lab.daemon(.resume, on: .h1)
        }
        try await publisher.event("restored")
        let resolved = try lab.bonjourish("resolve", "Ada", "_http._tcp", "--json", "--backend", "builtin", on: .h2)
        #expect(try await resolved.event("resolved")["port"] == 80)
      }
    }

    @Test func `without a daemon or a bus every program says so and ends`() async throws {
      try await withLab(hosts: 1, daemons: false, backend: .avahi) { lab in
        for missing in ["a daemon", "a bus"] {
          let programs = [
            try lab.bonjourish("browse", "_http._tcp", on: .h1),
            try lab.bonjourish("publish", "Ada", "_http._tcp", "80", on: .h1),
            try lab.bonjourish("resolve", "Ada", "_http._tcp", on: .h1),
            try lab.host("Ada", on: .h1),
            try lab.player("Bob", "--any", on: .h1),
            try lab.player("Bob", "Ada's game", on: .h1),
            try lab.player("Bob", on: .h1),
          ]
          for program in programs {
            #expect(try await program.exitCode() == 69, "without \(missing)")
            #expect(program.outputLines == [])
            #expect(program.errorLines.count == 1)
            #expect(program.errorLines.first?.contains("systemctl start") == true)
          }
          try await lab.bus(.kill, on: .h1)
        }
      }
    }
  }
}
