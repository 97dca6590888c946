import CBonjourishLinux
import Testing

extension PublishingOnALAN {
  /// Unchanged programs of others, with bonjourishd on both hosts, and beside the daemon that it stands for.
  struct BonjourishdTests {
    /// The daemons of h1, where something is published, and of h2, where it is looked for.
    static let pairs = ["bonjourishd", "bonjourishd avahi-daemon", "avahi-daemon bonjourishd"]

    @Test(arguments: pairs) func `avahi-publish is found, resolved and missed by avahi-browse`(_ daemons: String) async throws {
      try await withLab(hosts: 2, running: daemons) { lab in
        let browser = try lab.start("avahi-browse", "-rp", "_http._tcp", on: .h2)
        let publisher = try lab.start(
          "avahi-publish", "-s", "Ada's \"pages\"; Grüße", "_http._tcp", "8080", "a=1", "flag", "c=Grüße", on: .h1)
        try await publisher.errorLine { $0.hasPrefix("Established under name") }
        for family in ["IPv4", "IPv6"] {
          let line = try await browser.line { line in
            AvahiBrowseLine(line).map { $0.event == .resolved && $0.family == family } ?? false
          }
          let service = try #require(AvahiBrowseLine(line))
          #expect(service.name == "Ada's \"pages\"; Grüße" && service.interface == "eth0")
          #expect([service.place[0], service.place[2]] == ["h1.local", "8080"])
          #expect(["10.77.0.1", "2001:db8:77::1"].contains(service.place[1]))
          #expect(Set(service.txt.split(separator: " ")) == ["\"a=1\"", "\"flag\"", "\"c=Grüße\""])
        }
        // It says goodbye when its client is killed.
        try publisher.signal(SIGKILL)
        for family in ["IPv4", "IPv6"] {
          try await browser.line { line in
            AvahiBrowseLine(line).map { $0.event == .vanished && $0.family == family } ?? false
          }
        }
      }
    }

    @Test(arguments: pairs) func `hosts and addresses are resolved`(_ daemons: String) async throws {
      try await withLab(hosts: 2, running: daemons) { lab in
        for (arguments, answer) in [
          (["-4", "-n", "h1.local"], "h1.local\t10.77.0.1"), (["-6", "-n", "h1.local"], "h1.local\t2001:db8:77::1"),
          (["-a", "10.77.0.1"], "10.77.0.1\th1.local"), (["-a", "2001:db8:77::1"], "2001:db8:77::1\th1.local"),
        ] {
          let resolver = try lab.start(["avahi-resolve"] + arguments, on: .h2)
          #expect(try await resolver.exitCode() == 0)
          #expect(resolver.outputLines == [answer])
        }
        let resolver = try lab.start("avahi-resolve", "-n", "h9.local", on: .h2)
        try await resolver.errorLine { $0.contains("Timeout reached") }
      }
    }

    @Test(arguments: pairs) func `one of two services with a name gets another`(_ daemons: String) async throws {
      try await withLab(hosts: 2, running: daemons) { lab in
        let first = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "80", on: .h1)
        try await first.errorLine { $0 == "Established under name 'Ada'" }
        let other = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "81", on: .h2)
        try await other.errorLine { $0 == "Established under name 'Ada #2'" }
        // On the same host, it is refused at once.
        let third = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "82", on: .h1)
        try await third.errorLine { $0 == "Failed to add service: Local name collision" }
      }
    }

    @Test(arguments: ["bonjourishd", "avahi-daemon"])
    func `what says the same or allows others is no conflict, also at the host's name`(_ daemon: String) async throws {
      try await withLab(hosts: 2, running: daemon) { lab in
        for (arguments, name) in [
          (["-s", "Ada", "_http._tcp", "80"], "Ada"), (["-s", "Ada", "_http._tcp", "80"], "Ada"),
          (["-a", "-R", "two.local", "10.77.0.98"], "two.local"), (["-a", "-R", "two.local", "10.77.0.97"], "two.local"),
          (["-a", "-R", "h1.local", "10.77.0.96"], "h1.local"),
        ] {
          let publisher = try lab.start(["avahi-publish"] + arguments, on: .h1)
          try await publisher.errorLine { $0 == "Established under name '\(name)'" }
        }
        let other = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "81", on: .h1)
        try await other.errorLine { $0 == "Failed to add service: Local name collision" }
        // Nobody has taken the host's own address away.
        let own = try lab.start("avahi-resolve", "-a", "10.77.0.1", on: .h2)
        try await own.line { $0 == "10.77.0.1\th1.local" }
        let both = try lab.start(
          "sh", "-c", "until avahi-resolve -4 -n two.local | grep -E '10.77.0.9[78]'; do :; done", on: .h2)
        #expect(try await both.exitCode() == 0)
      }
    }

    @Test(arguments: pairs) func `types, subtypes, addresses and all services are found`(_ daemons: String) async throws {
      try await withLab(hosts: 2, running: daemons) { lab in
        _ = try lab.start(
          "avahi-publish", "-s", "--subtype=_printer._sub._http._tcp", "Ada", "_http._tcp", "80", on: .h1)
        let address = try lab.start("avahi-publish", "-a", "other.local", "10.77.0.99", on: .h1)
        try await address.errorLine { $0.hasPrefix("Established under name") }
        let subtype = try lab.start("avahi-browse", "-p", "_printer._sub._http._tcp", on: .h2)
        try await subtype.line { $0.hasPrefix("+;eth0;IPv4;Ada;") }
        let all = try lab.start("avahi-browse", "-apt", on: .h2)
        #expect(try await all.exitCode() == 0)
        #expect(all.outputLines.contains { $0.hasPrefix("+;eth0;IPv4;Ada;") && $0.contains(";local") })
        let resolver = try lab.start("avahi-resolve", "-4", "-n", "other.local", on: .h2)
        try await resolver.line { $0 == "other.local\t10.77.0.99" }
        let reverse = try lab.start("avahi-resolve", "-a", "10.77.0.99", on: .h2)
        try await reverse.line { $0 == "10.77.0.99\tother.local" }
      }
    }

    @Test func `clients come back after the daemon is killed, and after the bus`() async throws {
      try await withLab(hosts: 2, running: "bonjourishd") { lab in
        let browser = try lab.start("avahi-browse", "-p", "_http._tcp", on: .h2)
        let publisher = try lab.bonjourish("publish", "Ada", "http", "80", "--backend", "avahi", on: .h1)
        try await browser.line { $0.hasPrefix("+;eth0;IPv4;Ada;") }
        try await lab.daemon(.kill, on: .h1)
        try await lab.daemon(.start, on: .h1)
        // Others have it in their caches meanwhile, but the new daemon has it from its publisher alone.
        let own = try lab.start("avahi-browse", "-p", "_http._tcp", on: .h1)
        try await own.line { $0.hasPrefix("+;eth0;IPv4;Ada;") }
        let second = try lab.start("avahi-browse", "-p", "_http._tcp", on: .h2)
        try await second.line { $0.hasPrefix("+;eth0;IPv4;Ada;") }
        try publisher.signal(SIGTERM)
        #expect(try await publisher.exitCode() == 0)
        try await second.line { $0.hasPrefix("-;eth0;IPv4;Ada;") }
        // Nobody had to start it again with the bus.
        try await lab.bus(.kill, on: .h1)
        try await lab.bus(.start, on: .h1)
        let third = try lab.start(
          "sh", "-c", "until avahi-publish -s Bob _http._tcp 80; do sleep 0.1; done", on: .h1)
        try await third.errorLine { $0 == "Established under name 'Bob'" }
        try await second.line { $0.hasPrefix("+;eth0;IPv4;Bob;") }
      }
    }

    @Test func `it says its name, its version and what it can`() async throws {
      try await withLab(hosts: 1, running: "bonjourishd") { lab in
        for (method, answer) in [
          ("GetVersionString", "string \"bonjourish 0.1.0\""), ("GetAPIVersion", "uint32 516"),
          ("GetHostName", "string \"h1\""),
          ("GetHostNameFqdn", "string \"h1.local\""), ("GetDomainName", "string \"local\""), ("GetState", "int32 2"),
        ] {
          let call = try lab.start(
            "dbus-send", "--system", "--print-reply=literal", "--dest=org.freedesktop.Avahi", "/",
            "org.freedesktop.Avahi.Server.\(method)", on: .h1)
          #expect(try await call.exitCode() == 0)
          let expected = answer.split(separator: " ", maxSplits: 1).last!.filter { $0 != "\"" }
          #expect(call.outputLines.joined().contains(expected), "\(method)")
        }
      }
    }
  }
}
