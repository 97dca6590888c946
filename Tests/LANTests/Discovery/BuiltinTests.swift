import CBonjourishLinux
import Testing

extension OnALAN {
  /// The built-in engine beside other engines, on one machine and across a network that fails.
  struct BuiltinTests {
    @Test func `programs on a machine without daemon or bus find each other`() async throws {
      try await withLab(hosts: 2, daemons: false) { lab in
        let browser = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", "--verbose", on: .h2)
        #expect(try await browser.event("backend")["name"] == "builtin")
        let here = try lab.bonjourish("publish", "Here", "_http._tcp", "1", "k=v", "--json", on: .h2)
        let there = try lab.bonjourish("publish", "There", "_http._tcp", "2", "--json", on: .h1)
        for publisher in [here, there] { try await publisher.event("published") }
        for (name, host) in [("Here", "h2.local"), ("There", "h1.local")] {
          #expect(try await browser.event("found") { $0["name"]?.string == name }["host"]?.string == host)
        }
        let room = try lab.host("Ada", "--verbose", on: .h1)
        let player = try lab.player("Bob", "Ada's game", "--bot", "--verbose", on: .h2)
        for program in [room, player] { #expect(try await program.event("backend")["name"] == "builtin") }
        try await room.event("joined") { $0["player"] == "Bob" }
        for publisher in [here, there] { try publisher.signal(SIGTERM) }
        for name in ["Here", "There"] { try await browser.event("lost") { $0["name"]?.string == name } }
      }
    }

    @Test func `a program shows what it has sent and received`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        let publisher = try lab.bonjourish("publish", "Ada", "_http._tcp", "1", "--stats", "--json", on: .h1)
        try await publisher.event("published")
        let browser = try lab.bonjourish("browse", "_http._tcp", "--once", "--stats", on: .h2)
        try await browser.errorLine { $0.hasPrefix("bonjourish: messages sent: ") && $0.contains("queries") }
        try publisher.signal(SIGUSR1)
        let messages = try #require(await publisher.event("stats")["metrics"]?["builtin"]?["messages"])
        // The announcements may do for answers.
        for kind in ["queriesReceived", "echoes", "probesSent", "announcementsSent"] {
          #expect(messages[kind] != 0 && messages[kind] != nil, "\(kind)")
        }
        #expect(messages["goodbyesSent"] == 0 && messages["malformed"] == 0)
        try publisher.signal(SIGTERM)
        let last = try await publisher.event("stats") { $0["metrics"]?["builtin"]?["messages"]?["goodbyesSent"] != 0 }
        #expect(last["metrics"]?["backend"] == "builtin")
      }
    }

    @Test func `a port that another program has for a while is used afterwards`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        let holder = try lab.start(LAN.peer("deaf") + ["alone4"], on: .h1)
        try await holder.line { $0 == "ready" }
        let publisher = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", "--verbose", on: .h1)
        try await publisher.errorLine { $0.contains("no mDNS over ipv4") && $0.contains("Address already in use") }
        try await publisher.event("published")
        try holder.signal(SIGKILL)
        try await publisher.errorLine(within: .seconds(5)) { $0.hasSuffix("mDNS on eth0 over ipv4") }
        // Who speaks IPv4 alone finds it.
        #expect(
          try await lab.start("sh", "-c", "echo 1 >/proc/sys/net/ipv6/conf/eth0/disable_ipv6", on: .h2).exitCode() == 0)
        let resolved = try lab.bonjourish("resolve", "Ada", "_http._tcp", "--json", on: .h2)
        #expect(try await resolved.event("resolved")["port"] == 80)
      }
    }

    @Test func `a name is found out to be taken by whatever engine`() async throws {
      try await withLab(backend: .builtin) { lab in
        // Against a daemon elsewhere and the daemon of the same machine, first and second.
        let avahi = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "1", on: .h2)
        try await avahi.errorLine { $0.contains("Established under name 'Ada'") }
        for (host, name) in [(Lab.Host.h1, "Ada #2"), (.h2, "Ada #3")] {
          let ours = try lab.bonjourish("publish", "Ada", "_http._tcp", "2", "--json", on: host)
          #expect(try await ours.event("published")["name"]?.string == name)
        }
        let theirs = try lab.start("avahi-publish", "-s", "Ada #2", "_http._tcp", "3", on: .h3)
        try await theirs.errorLine { $0.contains("Established under name 'Ada #4'") }

        let zeroconf = try lab.start(LAN.peer("publish") + ["Ada #3", "_http._tcp", "4"], on: .h1)
        #expect(try await zeroconf.event("published")["name"]?.string != "Ada #3")
      }
    }

    @Test func `a program that was stopped does not take back a name that has a new owner`() async throws {
      try await withLab(daemons: false, backend: .builtin) { lab in
        let browser = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", on: .h3)
        let first = try lab.start(
          "sh", "-c", "echo $$; exec \"$0\" publish Ada _http._tcp 1 --json --backend builtin", LAN.program("bonjourish"),
          on: .h1)
        let process = try await first.line { Int($0) != nil }
        try await first.event("published")
        try await browser.event("found") { $0["port"] == 1 }
        #expect(try await lab.start("kill", "-STOP", process, on: .h1).exitCode() == 0)
        let second = try lab.bonjourish("publish", "Ada", "_http._tcp", "2", "--json", on: .h2)
        #expect(try await second.event("published")["name"] == "Ada")
        try await browser.event("updated") { $0["port"] == 2 }
        // Longer than a busy machine would delay a program.
        try await Task.sleep(for: .seconds(6))
        #expect(try await lab.start("kill", "-CONT", process, on: .h1).exitCode() == 0)
        #expect(try await first.event("renamed")["name"] == "Ada #2")
        try await browser.event("found") { $0["name"] == "Ada #2" }
        #expect(!browser.events("updated").contains { $0["port"] == 1 })
      }
    }

    @Test func `a host with a global address keeps its name beside its daemon`() async throws {
      try await withLab(hosts: 2) { lab in
        let ours = try lab.bonjourish(
          "publish", "Ada", "_http._tcp", "1", "--json", "--verbose", "--backend", "builtin", on: .h1)
        try await ours.event("published")
        try await ours.errorLine { $0.hasSuffix("the name of this host is h1.local") }
        // A daemon that took our records for those of another host would have another name when it has probed for this service.
        let theirs = try lab.start("avahi-publish", "-s", "Bob", "_http._tcp", "2", on: .h1)
        try await theirs.errorLine { $0.contains("Established under name 'Bob'") }
        for name in ["Ada", "Bob"] {
          let resolved = try lab.bonjourish("resolve", name, "_http._tcp", "--json", "--backend", "builtin", on: .h2)
          let answer = try await resolved.event("resolved")
          #expect(answer["host"] == "h1.local")
          let all = ["10.77.0.1", "2001:db8:77::1"], addresses = answer["addresses"]?.array?.compactMap(\.string) ?? []
          // Ours come along with our service. The daemon does not tell an address twice in a second (RFC 6762 §6), so one of them may
          // be missing for its service.
          #expect(name == "Ada" ? addresses == all : !addresses.isEmpty && Set(addresses).isSubset(of: all), "\(addresses)")
        }
        // The daemon comes again while our records are established.
        try await lab.daemon(.restart, on: .h1)
        let later = try lab.start("avahi-publish", "-s", "Cleo", "_http._tcp", "3", on: .h1)
        try await later.errorLine { $0.contains("Established under name 'Cleo'") }
        let resolved = try lab.bonjourish("resolve", "Cleo", "_http._tcp", "--json", "--backend", "builtin", on: .h2)
        #expect(try await resolved.event("resolved")["host"] == "h1.local")
      }
    }

    @Test func `a program leaves the addresses of its host to the daemon, and tells them while there is none`() async throws {
      try await withLab(hosts: 2) { lab in
        // An address that the daemon does not publish, and that it would take for another host's.
        let added = try lab.start("ip", "addr", "add", "10.77.0.88/32", "dev", "eth0", "scope", "link", on: .h1)
        #expect(try await added.exitCode() == 0)
        let ours = try lab.bonjourish("publish", "Ada", "_http._tcp", "1", "--json", "--backend", "builtin", on: .h1)
        try await ours.event("published")
        let course: [(change: Lab.Change?, service: String?)] = [
          (nil, "Bob"), (.restart, "Cleo"), (.kill, nil), (.start, "Dan"),
        ]
        for (change, service) in course {
          if let change { try await lab.daemon(change, on: .h1) }
          if let service {
            let theirs = try lab.start("avahi-publish", "-s", service, "_http._tcp", "2", on: .h1)
            try await theirs.errorLine { $0.contains("Established under name '\(service)'") }
          }
          for name in ["Ada", service].compactMap(\.self) {
            let resolved = try lab.bonjourish(
              "resolve", name, "_http._tcp", "--timeout", "15", "--json", "--backend", "builtin", on: .h2)
            #expect(try await resolved.event("resolved")["host"] == "h1.local")
          }
        }
        #expect(ours.events("renamed") == [])
      }
    }

    @Test func `a service whose name its daemon cannot read in a question is resolved`() async throws {
      try await withLab(hosts: 2) { lab in
        // 62 bytes, of which Avahi makes 248 characters.
        let long = String(repeating: "é", count: 31)
        for (name, port) in [(long, "1"), ("Ada", "2")] {
          let avahi = try lab.start("avahi-publish", "-s", name, "_http._tcp", port, on: .h1)
          try await avahi.errorLine { $0.contains("Established") }
        }
        // Until it has announced them for the last time.
        try await Task.sleep(for: .seconds(3))
        for (name, port) in [(long, 1), ("Ada", 2)] as [(String, JSON)] {
          let resolved = try lab.bonjourish("resolve", name, "_http._tcp", "--json", "--backend", "builtin", on: .h2)
          #expect(try await resolved.event("resolved")["port"] == port)
        }
      }
    }

    @Test func `a host with a taken name gets another, and its services follow`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        let first = try lab.bonjourish("publish", "Ada", "_http._tcp", "1", "--json", on: .h1)
        try await first.event("published")
        let second = try lab.start(
          "sh", "-c", "hostname h1; exec \"$0\" publish Bob _http._tcp 2 --json --verbose --backend builtin",
          LAN.program("bonjourish"), on: .h2)
        try await second.errorLine { $0.contains("another host has the name h1.local; this host tries h1-2.local") }
        try await second.errorLine { $0.hasSuffix("the name of this host is h1-2.local") }
        try await second.event("published") { $0["name"] == "Bob" }
        let resolved = try lab.bonjourish("resolve", "Bob", "_http._tcp", "--json", on: .h1)
        let answer = try await resolved.event("resolved")
        #expect(answer["host"] == "h1-2.local" && answer["addresses"]?[0]?.string == Lab.Host.h2.address)
        #expect(first.events.count == 1, "whoever had the name keeps it")
      }
    }

    @Test func `a changed text and a goodbye reach every engine`() async throws {
      try await withLab(backend: .builtin) { lab in
        let avahi = try lab.start("avahi-browse", "-rp", "_twentyfour._tcp", on: .h2)
        let zeroconf = try lab.start(LAN.peer("browse") + ["_twentyfour._tcp"], on: .h3)
        let room = try lab.host("Ada", "--bot", "--round-seconds", "60", on: .h1)
        try await room.event("open")
        #expect(try await zeroconf.event("found")["txt"]?["state"] == "waiting")
        try await avahi.line { $0.hasPrefix("=") && $0.contains("state=waiting") }
        let player = try lab.player("Bob", "Ada's game", "--bot", on: .h2)
        try await player.event("round")
        #expect(try await zeroconf.event("updated") { $0["txt"]?["state"] == "playing" }["txt"]?["players"] == "2")
        try room.signal(SIGINT)
        #expect(try await room.exitCode() == 0)
        try await zeroconf.event("lost")
        try await avahi.line { $0.hasPrefix("-") }
      }
    }

    @Test func `a host that gets another name is found under it`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        let browser = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", on: .h2)
        let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "1", "--json", on: .h1)
        try await ada.event("published")
        #expect(try await browser.event("found")["host"] == "h1.local")
        #expect(try await lab.start("hostname", "fresh", on: .h1).exitCode() == 0)
        try await browser.event("updated") { $0["host"] == "fresh.local" && $0["addresses"]?.array?.isEmpty == false }
      }
    }

    @Test func `with a fifth of all packets lost everything is found`() async throws {
      try await withLab(backend: .builtin) { lab in
        for host in [Lab.Host.h1, .h2, .h3] { try await lab.loss(percent: 20, at: host) }
        let browser = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", on: .h2)
        let zeroconf = try lab.start(LAN.peer("browse") + ["_http._tcp"], on: .h3)
        let ours = try lab.bonjourish("publish", "Ours", "_http._tcp", "1", "--json", on: .h1)
        let avahis = try lab.start("avahi-publish", "-s", "Avahi's", "_http._tcp", "2", on: .h3)
        let zeroconfs = try lab.start(LAN.peer("publish") + ["Zeroconf's", "_http._tcp", "3"], on: .h1)
        try await ours.event("published")
        try await avahis.errorLine { $0.contains("Established") }
        try await zeroconfs.event("published")
        for name in ["Ours", "Avahi's", "Zeroconf's"] {
          let found = try await browser.event("found", within: .seconds(30)) { $0["name"]?.string == name }
          // What was found before anyone answered for it has its place once they have.
          if found["host"] == nil {
            try await browser.event("updated", within: .seconds(30)) { $0["name"]?.string == name && $0["host"] != nil }
          }
        }
        try await zeroconf.event("found", within: .seconds(30)) { $0["name"] == "Ours" }
      }
    }

    @Test func `with three tenths of all packets lost a list is nearly always whole`() async throws {
      try await withLab(hosts: 4, daemons: false, backend: .builtin) { lab in
        let services = try (1...20).map { number in
          try lab.bonjourish("publish", "S\(number)", "_http._tcp", "\(number)", "--json", on: number % 2 == 0 ? .h1 : .h2)
        }
        for service in services { try await service.event("published", within: .seconds(40)) }
        // What was announced is not repeated: who begins to look has to ask.
        try await Task.sleep(for: .seconds(5))
        for host in [Lab.Host.h3, .h4] { try await lab.loss(percent: 30, at: host) }
        let found = try await withThrowingTaskGroup(of: [Int].self, returning: [Int].self) { group in
          for host in [Lab.Host.h3, .h4] {
            group.addTask {
              var found: [Int] = []
              for _ in 0..<5 {
                let list = try lab.bonjourish("browse", "_http._tcp", "--once", "--json", on: host)
                #expect(try await list.exitCode() == 0)
                found.append(list.listed.count)
              }
              return found
            }
          }
          return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(found.count { $0 == 20 } >= 9, "\(found)")
      }
    }

    @Test func `a pulled cable ends what was known, and plugging it in finds it again`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        let browser = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", on: .h2)
        let publisher = try lab.bonjourish("publish", "Ada", "_http._tcp", "1", "--json", on: .h1)
        try await publisher.event("published")
        try await browser.event("found")
        try await lab.link(isUp: false, of: .h2)
        try await browser.event("lost")
        try await lab.link(isUp: true, of: .h2)
        #expect(try await browser.event("found")["host"] == "h1.local")
      }
    }

    @Test func `no browser loses a service because another engine takes over publishing`() async throws {
      try await withLab { lab in
        let watches = [
          try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", "--backend", "avahi", on: .h3),
          try lab.bonjourish("browse", "_http._tcp", "--resolve", "--hints", "--json", "--backend", "builtin", on: .h3),
        ]
        let zeroconf = try lab.start(LAN.peer("browse") + ["_http._tcp"], on: .h3)
        let publisher = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "k=v", "--json", "--verbose", on: .h1)
        let browser = try lab.bonjourish("browse", "_http._tcp", "--json", "--verbose", on: .h2)
        for watch in watches + [zeroconf, browser] { try await watch.event("found") }
        try await publisher.event("published")
        for host in [Lab.Host.h1, .h2] { try await lab.daemon(.kill, on: host) }
        for program in [publisher, browser] {
          try await program.event("backend") { $0["name"] == "builtin" }
          try await program.event("restored")
        }
        for host in [Lab.Host.h1, .h2] { try await lab.daemon(.start, on: host) }
        try await publisher.event("backend") { $0["name"] == "avahi" }
        try await publisher.event("restored")
        // What is lost is lost a second after a goodbye, and at the end of what a takeover has for it.
        let later = try lab.bonjourish("browse", "_http._tcp", "--for", "6", "--json", "--backend", "avahi", on: .h3)
        #expect(try await later.exitCode() == 0)
        for watch in watches + [zeroconf, browser, later] {
          #expect(watch.events("lost") == [])
          #expect(!watch.events.contains { $0["presence"] == "leaving" })
          #expect(watch.listed == ["Ada"])
        }
        try publisher.signal(SIGTERM)
        for watch in watches + [zeroconf, browser] { try await watch.event("lost") }
      }
    }

    @Test func `discovery changes over when the daemon goes for good and when it comes back`() async throws {
      try await withLab(hosts: 2) { lab in
        let publisher = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "k=v", "--json", "--verbose", on: .h1)
        let browser = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", "--verbose", on: .h2)
        for program in [publisher, browser] { #expect(try await program.event("backend")["name"] == "avahi") }
        try await publisher.event("published")
        try await browser.event("found")

        for host in [Lab.Host.h1, .h2] { try await lab.daemon(.kill, on: host) }
        for program in [publisher, browser] {
          try await program.event("interrupted")
          #expect(try await program.event("backend")["name"] == "builtin")
          try await program.event("restored")
        }
        let meanwhile = try lab.bonjourish("resolve", "Ada", "_http._tcp", "--json", on: .h2)
        #expect(try await meanwhile.event("resolved")["txt"] == ["k": "v"])

        for host in [Lab.Host.h1, .h2] { try await lab.daemon(.start, on: host) }
        for program in [publisher, browser] {
          #expect(try await program.event("backend")["name"] == "avahi")
        }
        // Whoever browses sees an interruption that is over at once as none.
        try await publisher.event("restored")
        try await browser.event("settled")
        #expect(publisher.events("renamed") == [] && browser.events("lost") == [])
        #expect(try await lab.bonjourish("resolve", "Ada", "_http._tcp", "--json", on: .h2).event("resolved")["port"] == 80)
      }
    }
  }
}
