import CBonjourishLinux
import Testing

extension PublishingOnALAN {
  /// The tools of avahi-utils with their options. Each test is the same for avahi-daemon.
  struct AvahiToolsTests {
    static let daemons = ["bonjourishd", "avahi-daemon"]

    /// Runs a tool to its end, which must be a success.
    private func run(_ command: String..., on host: Lab.Host, in lab: Lab) async throws -> Program {
      let tool = try lab.start(command, on: host)
      #expect(try await tool.exitCode() == 0)
      return tool
    }

    @Test(arguments: daemons) func `avahi-browse lists what its options ask for`(_ daemon: String) async throws {
      try await withLab(hosts: 2, running: daemon) { lab in
        _ = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "80", "a=1", on: .h1)
        _ = try lab.start("avahi-publish", "-s", "Bob", "_ipp._tcp", "631", on: .h1)
        _ = try lab.start("avahi-publish", "-s", "Own", "_http._tcp", "81", on: .h2)
        // Whoever lists must not wait for answers, so there are others who have asked.
        let all = try lab.start("avahi-browse", "-arp", on: .h2)
        for name in ["Ada", "Bob", "Own"] {
          for family in ["IPv4", "IPv6"] { try await all.line { $0.hasPrefix("=;eth0;\(family);\(name);") } }
        }
        let listed = try await run("avahi-browse", "-at", "-p", on: .h2, in: lab).outputLines
        for name in ["Ada", "Bob", "Own"] { #expect(listed.contains { $0.hasPrefix("+;eth0;IPv4;\(name);") }) }
        for options in ["-tpl", "-cpl"] {
          let remote = try await run("avahi-browse", options, "_http._tcp", on: .h2, in: lab).outputLines
          #expect(remote.contains { $0.hasPrefix("+;eth0;IPv4;Ada;") }, "\(options)")
          #expect(!remote.contains { $0.contains(";Own;") }, "\(options)")
        }
        for (options, type) in [("-tpk", "_http._tcp"), ("-tp", "Web Site")] {
          let named = try await run("avahi-browse", options, "-d", "local", "_http._tcp", on: .h2, in: lab).outputLines
          #expect(named.contains("+;eth0;IPv4;Ada;\(type);local"), "\(options)")
        }
        let long = try await run("avahi-browse", "-rtv", "_http._tcp", on: .h2, in: lab)
        #expect(
          long.errorLines.contains {
            $0.hasPrefix("Server version: \(daemon.prefix(5))") && $0.hasSuffix("Host name: h2.local")
          })
        for line in ["   hostname = [h1.local]", "   address = [10.77.0.1]", "   port = [80]", "   txt = [\"a=1\"]"] {
          #expect(long.outputLines.contains(line))
        }
      }
    }

    @Test(arguments: daemons) func `avahi-publish publishes with each of its options`(_ daemon: String) async throws {
      try await withLab(hosts: 2, running: daemon) { lab in
        let twin = try lab.start("avahi-publish-address", "-v", "-R", "twin.local", Lab.Host.h1.address, on: .h1)
        try await twin.errorLine { $0.hasPrefix("Server version: ") && $0.hasSuffix("Host name: h1.local") }
        try await twin.errorLine { $0 == "Established under name 'twin.local'" }
        let service = try lab.start(
          "avahi-publish-service", "-d", "local", "-H", "twin.local", "--subtype=_pages._sub._http._tcp", "--subtype",
          "_notes._sub._http._tcp", "Ada", "_http._tcp", "80", "a=1", "flag", on: .h1)
        try await service.errorLine { $0 == "Established under name 'Ada'" }
        for type in ["_http._tcp", "_pages._sub._http._tcp", "_notes._sub._http._tcp"] {
          let browser = try lab.start("avahi-browse", "-rp", type, on: .h2)
          let found = try await browser.line { $0.hasPrefix("=;eth0;IPv4;Ada;") }
          let line = try #require(AvahiBrowseLine(found))
          #expect(line.place == ["twin.local", Lab.Host.h1.address, "80"])
          #expect(Set(line.txt.split(separator: " ")) == ["\"a=1\"", "\"flag\""])
        }
        // Without a name for the address, that of the host is the only one.
        let reverse = try await run("avahi-resolve-address", Lab.Host.h1.address, on: .h2, in: lab)
        #expect(reverse.outputLines == ["10.77.0.1\th1.local"])
        let refused = try lab.start("avahi-publish", "-s", "", "_http._tcp", "80", on: .h1)
        try await refused.errorLine { $0 == "Failed to add service: Invalid service name" }
        // Another host's address is published with its name, and that goes with the program.
        let other = try lab.start("avahi-publish", "-a", "other.local", "10.77.0.99", on: .h1)
        try await other.errorLine { $0 == "Established under name 'other.local'" }
        #expect(try await run("avahi-resolve", "-a", "10.77.0.99", on: .h2, in: lab).outputLines == ["10.77.0.99\tother.local"])
        let taken = try lab.start("avahi-publish", "-a", "other.local", "10.77.0.98", on: .h2)
        try await taken.errorLine { $0.hasPrefix("Name collision, picking new name") }
      }
    }

    @Test(arguments: daemons) func `tools that shall not fail wait for the daemon, and come back to it`(_ daemon: String)
      async throws
    {
      try await withLab(hosts: 2, daemons: false, running: daemon) { lab in
        try await lab.daemon(.start, on: .h2)
        for command in [
          ["avahi-browse", "_http._tcp"], ["avahi-publish", "-s", "Ada", "_http._tcp", "80"],
          ["avahi-resolve", "-n", "h2.local"],
        ] {
          let alone = try lab.start(command, on: .h1)
          #expect(try await alone.exitCode() == 1)
          #expect(alone.errorLines.last == "Failed to create client object: Daemon not running")
        }
        let publisher = try lab.start("avahi-publish", "-vfs", "Ada", "_http._tcp", "80", on: .h1)
        let browser = try lab.start("avahi-browse", "-vf", "_http._tcp", on: .h1)
        let far = try lab.start("avahi-browse", "-p", "_http._tcp", on: .h2)
        for tool in [publisher, browser] { try await tool.errorLine { $0 == "Waiting for daemon ..." } }
        for change in [Lab.Change.start, .restart, .kill] {
          try await lab.daemon(change, on: .h1)
          if change != .start {
            for tool in [publisher, browser] { try await tool.errorLine { $0 == "Disconnected, reconnecting ..." } }
          }
          if change == .kill { try await lab.daemon(.start, on: .h1) }
          try await publisher.errorLine { $0 == "Established under name 'Ada'" }
          try await browser.line { $0.hasPrefix("+   eth0 IPv4 Ada ") }
          if change != .kill { try await far.line { $0.hasPrefix("+;eth0;IPv4;Ada;") } }
          // One that is killed says no goodbye.
          if change == .restart { try await far.line { $0.hasPrefix("-;eth0;IPv4;Ada;") } }
        }
        try publisher.signal(SIGKILL)
        for line in ["-;eth0;IPv4;Ada;", "-;eth0;IPv6;Ada;"] { try await far.line { $0.hasPrefix(line) } }
      }
    }

    @Test(arguments: daemons) func `avahi-resolve looks up several names and addresses`(_ daemon: String) async throws {
      try await withLab(hosts: 2, running: daemon) { lab in
        for (command, lines) in [
          (["avahi-resolve-host-name", "-4", "h1.local", "h2.local"], ["h1.local\t10.77.0.1", "h2.local\t10.77.0.2"]),
          (["avahi-resolve", "-n", "-6", "h1.local", "h2.local"], ["h1.local\t2001:db8:77::1", "h2.local\t2001:db8:77::2"]),
          (["avahi-resolve-address", "10.77.0.1", "2001:db8:77::1"], ["10.77.0.1\th1.local", "2001:db8:77::1\th1.local"]),
          (["avahi-resolve", "-a", "10.77.0.2", "2001:db8:77::2"], ["10.77.0.2\th2.local", "2001:db8:77::2\th2.local"]),
        ] {
          let tool = try lab.start(command, on: .h2)
          #expect(try await tool.exitCode() == 0)
          #expect(tool.outputLines.sorted() == lines)
        }
        let either = try await run("avahi-resolve", "-vn", "H1.Local", on: .h2, in: lab)
        let answer = either.outputLines.first?.lowercased()
        #expect(["10.77.0.1", "2001:db8:77::1"].map { "h1.local\t\($0)" }.contains(answer))
        #expect(either.errorLines.contains { $0.hasSuffix("Host name: h2.local") })
        for (arguments, complaint) in [
          (["-n", "nobody.local"], "Timeout reached"), (["-a", "10.77.0.9"], "Timeout reached"),
          (["-a", "10.77"], "Failed to parse address"),
        ] {
          let tool = try lab.start(["avahi-resolve"] + arguments, on: .h2)
          try await tool.errorLine { $0.contains(complaint) }
        }
      }
    }

    @Test(arguments: daemons) func `avahi-set-host-name renames the host and what is on it`(_ daemon: String) async throws {
      try await withLab(hosts: 2, running: daemon) { lab in
        let publisher = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "80", on: .h1)
        try await publisher.errorLine { $0 == "Established under name 'Ada'" }
        let before = try lab.start("avahi-browse", "-rp", "_http._tcp", on: .h2)
        try await before.line { $0.contains(";h1.local;10.77.0.1;80;") }
        let change = try await run("avahi-set-host-name", "-v", "ada", on: .h1, in: lab)
        #expect(change.errorLines.last == "Host name successfully changed to ada.local")
        // The program is told, and publishes anew.
        try await publisher.errorLine { $0 == "Established under name 'Ada'" }
        let after = try lab.start(
          "sh", "-c", "until avahi-browse -rpt _http._tcp | grep ';ada.local;10.77.0.1;80;'; do :; done", on: .h2)
        try await after.line { $0.hasPrefix("=;eth0;") }
        #expect(
          try await run("avahi-resolve", "-4", "-n", "ada.local", on: .h2, in: lab).outputLines == ["ada.local\t10.77.0.1"])
        #expect(try await run("avahi-resolve", "-a", "10.77.0.1", on: .h2, in: lab).outputLines == ["10.77.0.1\tada.local"])
        let former = try lab.start("avahi-resolve", "-4", "-n", "h1.local", on: .h1)
        try await former.errorLine { $0.contains("Timeout reached") }
        for (name, complaint) in [("ada", "The requested operation is invalid because redundant"), ("", "Invalid host name")] {
          let refused = try lab.start("avahi-set-host-name", name, on: .h1)
          #expect(try await refused.exitCode() == 1)
          #expect(refused.errorLines.last == "Failed to create host name resolver: \(complaint)")
        }
        // A name that another host has gives way to the next one.
        _ = try await run("avahi-set-host-name", "h2", on: .h1, in: lab)
        let other = try lab.start("sh", "-c", "until avahi-resolve -4 -n h2-2.local | grep .; do :; done", on: .h2)
        try await other.line { $0 == "h2-2.local\t10.77.0.1" }
      }
    }
  }
}
