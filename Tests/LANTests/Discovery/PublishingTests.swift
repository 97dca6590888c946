import CBonjourishLinux
import Testing

extension PublishingOnALAN {
  /// `bonjourish publish`, as other hosts and other people's programs see it.
  struct PublishingTests {
    @Test(arguments: Backend.allCases) func `others see the service whole, and see it go`(backend: Backend) async throws {
      let name = "Ada's \"pages\"; Grüße"
      try await withLab(backend: backend) { lab in
        let avahi = try lab.start("avahi-browse", "-rp", "_http._tcp", on: .h2)
        let zeroconf = try lab.start(LAN.peer("browse") + ["_http._tcp"], on: .h3)
        let pages = try lab.bonjourish(
          "publish", name, "_http._tcp", "8080", "path=/", "flag", "text=Grüße, Welt", "empty=", "--json", on: .h1)
        let dotted = try lab.bonjourish("publish", "v1.2", "_http._tcp", "8081", on: .h1)

        #expect(
          try await pages.event("published") == [
            "schema": 1, "event": "published", "name": .string(name), "type": "_http._tcp", "port": 8080,
          ])
        try await dotted.line { $0.contains("v1.2") && $0.contains("8081") }

        let found = try await zeroconf.event("found") { $0["name"]?.string == name }
        #expect(found["host"] == "h1.local")
        #expect(found["port"] == 8080)
        #expect(found["addresses"] == ["10.77.0.1", "2001:db8:77::1"])
        #expect(found["txt"] == ["path": "/", "flag": .null, "text": "Grüße, Welt", "empty": ""])

        for (family, address) in [("IPv4", "10.77.0.1"), ("IPv6", "2001:db8:77::1")] {
          let line = try await avahi.line { isResolved($0, name, family) }
          let service = try #require(AvahiBrowseLine(line))
          // The built-in engine tells the addresses of both families on each, and the daemon takes any of them.
          #expect((backend == .builtin ? ["10.77.0.1", "2001:db8:77::1"] : [address]).contains(service.place[1]))
          #expect([service.place[0], service.place[2]] == ["h1.local", "8080"])
          for string in ["path=/", "flag", "text=Grüße, Welt", "empty="] { #expect(service.txt.contains("\"\(string)\"")) }
          #expect(AvahiBrowseLine(try await avahi.line { isResolved($0, "v1.2", family) })?.place.last == "8081")
        }

        try pages.signal(SIGINT)
        #expect(
          try await pages.event("withdrawn") == [
            "schema": 1, "event": "withdrawn", "name": .string(name), "type": "_http._tcp", "port": 8080,
          ])
        #expect(try await pages.exitCode() == 0)
        try await zeroconf.event("lost") { $0["name"]?.string == name }
        try dotted.signal(SIGTERM)
        #expect(try await dotted.exitCode() == 0)
        for name in [name, "v1.2"] {
          for family in ["IPv4", "IPv6"] {
            try await avahi.line { line in
              AvahiBrowseLine(line).map { $0.event == .vanished && $0.name == name && $0.family == family } ?? false
            }
          }
        }
      }
    }

    @Test(arguments: Backend.allCases) func `a service that is published for a while ends by itself`(backend: Backend)
      async throws
    {
      try await withLab(hosts: 1, backend: backend) { lab in
        let publisher = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--for", "1.5", "--json", on: .h1)
        #expect(try await publisher.exitCode() == 0)
        #expect(publisher.events.map { $0["event"] } == ["published", "withdrawn"])
      }
    }

    @Test(arguments: Backend.allCases) func `a service with a taken name gets another name`(backend: Backend) async throws {
      try await withLab(backend: backend) { lab in
        let watch = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", on: .h3)
        let first = try lab.bonjourish("publish", "Ada", "_http._tcp", "1", "--json", on: .h1)
        try await first.event("published") { $0["name"] == "Ada" }

        // On another host the network tells of the conflict, on the same one the daemon does at once.
        let second = try lab.bonjourish("publish", "Ada", "_http._tcp", "2", "--json", on: .h2)
        try await second.event("published")
        let third = try lab.bonjourish("publish", "Ada", "_http._tcp", "3", "--json", on: .h2)
        try await third.event("published")
        for (publisher, name) in [(second, "Ada #2"), (third, "Ada #3")] {
          #expect(publisher.events.map { $0["event"] } == ["renamed", "published"])
          #expect(publisher.events.allSatisfy { $0["name"]?.string == name })
          #expect(publisher.events[0]["from"] == "Ada")
        }

        for (name, host, port) in [("Ada", "h1.local", 1.0), ("Ada #2", "h2.local", 2), ("Ada #3", "h2.local", 3)] {
          let found = try await watch.event("found") { $0["name"]?.string == name }
          #expect(found["host"]?.string == host)
          #expect(found["port"]?.number == port)
        }
      }
    }

    private func isResolved(_ line: String, _ name: String, _ family: String) -> Bool {
      guard let line = AvahiBrowseLine(line) else { return false }
      return line.event == .resolved && line.interface == "eth0" && line.family == family && line.name == name
    }

    @Test(arguments: Backend.allCases) func `a renamed service is never missing`(backend: Backend) async throws {
      try await withLab(hosts: 3, daemons: true, backend: backend) { lab in
        let zeroconf = try lab.start(LAN.peer("browse") + ["_stress._tcp"], on: .h3)
        let browser = try lab.bonjourish("browse", "_stress._tcp", "--json", on: .h2)
        let taken = try lab.start("avahi-publish", "-s", "Taken", "_stress._tcp", "2", on: .h2)
        try await taken.errorLine { $0.contains("Established") }
        let service = try lab.start(LAN.program("stress-discovery"), "renames", backend.rawValue, on: .h1)
        var former = "First"
        for (wanted, name) in [("Second", "Second"), ("Taken", "Taken #2"), ("Füße \u{1F463}", "Füße \u{1F463}")] {
          for program in [zeroconf, browser] { try await program.event("found") { $0["name"]?.string == former } }
          try service.send(wanted)
          try await service.line(within: .seconds(10)) { $0 == name }
          for program in [zeroconf, browser] { try await program.event("lost") { $0["name"]?.string == former } }
          former = name
        }
        for program in [zeroconf, browser] { try await program.event("found") { $0["name"]?.string == former } }
        // Somebody always had a name of the service to connect to.
        var listed: Set<String> = []
        var wasMissing = false
        for event in browser.events("found", "lost") where event["name"] != "Taken" {
          guard let name = event["name"]?.string else { continue }
          if event["event"] == "found" { listed.insert(name) } else { listed.remove(name) }
          if listed.isEmpty { wasMissing = true }
        }
        #expect(!wasMissing)
      }
    }

    @Test(arguments: Backend.allCases) func `what could not be published or asked in its time is told, and fails`(
      backend: Backend
    ) async throws {
      try await withLab(hosts: 2, backend: backend) { lab in
        let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", on: .h1)
        try await ada.line { $0.contains("published") }
        // Nobody listens there: what the local network has is listed, and not taken for all.
        let nowhere = "nats://127.0.0.1:4999"
        let once = try lab.bonjourish("browse", "_http._tcp", "--once", "--json", "--directory", nowhere, on: .h2)
        #expect(try await once.exitCode() == 69)
        #expect(once.listed == ["Ada"] && once.events("settled") == [])
        #expect(once.errorLines == ["bonjourish: using the directory at \(nowhere): no server answers there"])
        let wall = "add table inet wall; add chain inet wall c { type filter hook output priority 0; }; "
        let closing = try lab.start("nft", wall + "add rule inet wall c udp dport 5353 drop", on: .h2)
        #expect(try await closing.exitCode() == 0)
        for options in [[], ["--json"]] {
          let late = try lab.start(
            [LAN.program("bonjourish"), "publish", "Bob", "_http._tcp", "81", "--for", "4", "--backend", backend.rawValue]
              + options,
            on: .h2)
          #expect(try await late.exitCode() == 69)
          let reason = late.errorLines.first { $0.hasPrefix("bonjourish: nothing was published") }
          #expect(reason?.contains("firewall") == true, "\(late.errorLines)")
        }
      }
    }
  }
}
