import Testing

extension OnALAN {
  /// The responders that our own must get along with, among themselves: avahi-daemon and python3-zeroconf.
  struct PeersTests {
    /// avahi-browse -p prints the fields of an event between semicolons.
    private func isResolved(_ line: String, _ fields: [Int: String]) -> Bool {
      let found = line.split(separator: ";", omittingEmptySubsequences: false)
      return found.first == "=" && fields.allSatisfy { $0.key < found.count && found[$0.key] == $0.value }
    }

    @Test func `avahi-publish is seen by avahi-browse and by zeroconf, and its end too`() async throws {
      try await withLab { lab in
        let browser = try lab.start(LAN.peer("browse") + ["_http._tcp"], on: .h3)
        let publisher = try lab.start("avahi-publish", "-s", "Ada's page", "_http._tcp", "8080", "k=v", "flag", on: .h1)
        try await publisher.errorLine { $0.contains("Established") }

        let found = try await browser.event("found") { $0["name"] == "Ada's page" }
        #expect(found["host"] == "h1.local")
        #expect(found["port"] == 8080)
        #expect(found["addresses"] == ["10.77.0.1", "2001:db8:77::1"])
        #expect(found["txt"] == ["k": "v", "flag": .null])

        let list = try lab.start("avahi-browse", "-rpt", "_http._tcp", on: .h2)
        #expect(try await list.exitCode() == 0)
        try await list.line { isResolved($0, [1: "eth0", 2: "IPv4", 6: "h1.local", 7: "10.77.0.1", 8: "8080"]) }
        try await list.line { isResolved($0, [1: "eth0", 2: "IPv6", 6: "h1.local", 7: "2001:db8:77::1", 8: "8080"]) }

        try publisher.signal(15)
        try await browser.event("lost") { $0["name"] == "Ada's page" }
      }
    }

    @Test func `zeroconf is seen by avahi-browse, and its goodbye too`() async throws {
      try await withLab { lab in
        let browser = try lab.start("avahi-browse", "-rp", "_http._tcp", on: .h1)
        let publisher = try lab.start(LAN.peer("publish") + ["Bob", "_http._tcp", "8081", "k=v"], on: .h2)
        try await publisher.event("published") { $0["name"] == "Bob" }
        try await browser.line { isResolved($0, [2: "IPv4", 3: "Bob", 6: "h2.local", 8: "8081", 9: "\"k=v\""]) }
        try publisher.signal(15)
        try await publisher.event("withdrawn")
        #expect(try await publisher.exitCode() == 0)
        try await browser.line { $0.hasPrefix("-;eth0;IPv4;Bob;") }
      }
    }

    @Test func `a name that is taken is changed`() async throws {
      try await withLab(hosts: 2) { lab in
        let first = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "1", on: .h1)
        try await first.errorLine { $0.contains("Established") }
        let second = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "2", on: .h2)
        try await second.errorLine { $0.contains("Established under name 'Ada #2'") }
      }
    }

    @Test func `a killed daemon takes its services with it and can be started again`() async throws {
      try await withLab(hosts: 2) { lab in
        let lost = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "1", on: .h1)
        try await lost.errorLine { $0.contains("Established") }
        try await lab.daemon(.kill, on: .h1)
        try await lost.errorLine { $0.contains("Daemon connection failed") }

        try await lab.daemon(.start, on: .h1)
        let again = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "2", on: .h1)
        try await again.errorLine { $0.contains("Established") }
        try await lab.daemon(.restart, on: .h1)
        try await again.errorLine { $0.contains("Daemon connection failed") }

        let browser = try lab.start("avahi-browse", "-pt", "_http._tcp", on: .h1)
        #expect(try await browser.exitCode() == 0)
        try await lab.bus(.kill, on: .h1)
        let orphan = try lab.start("avahi-browse", "-pt", "_http._tcp", on: .h1)
        #expect(try await orphan.exitCode() != 0)
      }
    }
  }
}
