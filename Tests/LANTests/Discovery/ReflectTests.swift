import CBonjourishLinux
import Foundation
import Testing

extension TalkingOnALAN {
  /// `bonjourish reflect` between two networks, on a host with an interface in each.
  struct ReflectTests {
    /// Everything that a listener has heard a reflector say, as text.
    private func said(by address: String, to listener: Program) -> [String] {
      listener.events("datagram").filter { $0["source"]?.string == address }.map { "\($0)" }
    }

    /// Waits until a listener hears: it shows what it asks itself.
    private func listener(on host: Lab.Host, of lab: Lab) async throws -> Program {
      let listener = try lab.bonjourish("query", "--raw", "--json", "--family", "4", on: host)
      let other = try lab.bonjourish("query", "marker.local", "A", "--raw", "--family", "4", on: host)
      try await listener.event("datagram")
      try other.signal(SIGINT)
      return listener
    }

    private func resolves(_ browser: Program, _ name: String, at address: String) async throws {
      try await browser.line {
        AvahiBrowseLine($0).map { $0.event == .resolved && $0.name == name && $0.place.contains(address) } ?? false
      }
    }

    /// A datagram to a group that one socket of an interface has joined went to that of another interface, by a hash of the sender's port.
    @Test func `each datagram is heard on its interface, whatever port it comes from`() async throws {
      let ports = 40_000..<40_016
      let script = """
        import socket, struct, time
        sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(16)]
        for number, one in enumerate(sockets):
          one.bind(("", \(ports.lowerBound) + number))
          request = struct.pack("=4s4si", bytes(4), bytes(4), socket.if_nametoindex("eth0"))
          one.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, request)
        while True:
          for one in sockets: one.sendto(bytes(12), ("224.0.0.251", 5353))
          time.sleep(0.5)
        """
      try await withLab(daemons: false, isSplit: true) { lab in
        let listener = try lab.bonjourish(
          "query", "--raw", "--json", "--family", "4", "--interface", "eth0", "--interface", "eth1", on: .h3)
        for host in [Lab.Host.h1, .h2] { _ = try lab.start("python3", "-c", script, on: host) }
        for (source, interface) in [("10.77.0.1", "eth0"), ("10.78.0.2", "eth1")] {
          for port in ports {
            try await listener.event("datagram") {
              $0["source"]?.string == source && $0["interface"]?.string == interface && $0["port"]?.number == Double(port)
            }
          }
        }
      }
    }

    @Test func `services cross in both directions, and what is denied is never seen`() async throws {
      try await withLab(isSplit: true) { lab in
        let (near, far) = (try await listener(on: .h1, of: lab), try await listener(on: .h2, of: lab))
        let reflector = try lab.bonjourish(
          "reflect", "--between", "eth0,eth1", "--type", "ipp,airplay", "--deny", "name=Payroll*", "--stats", "--json", on: .h3)
        let state = try await reflector.event("reflecting")
        #expect(state["interfaces"] == ["eth0", "eth1"] && state["missing"] == [])
        let browsers = [Lab.Host.h1, .h2].map { try? lab.start("avahi-browse", "-rp", "_ipp._tcp", on: $0) }
        let shells = try lab.start("avahi-browse", "-rp", "_ssh._tcp", on: .h2)
        for (host, name, type) in [
          (Lab.Host.h1, "Label", "_ipp._tcp"), (.h1, "Payroll 1", "_ipp._tcp"), (.h1, "Shell", "_ssh._tcp"),
          (.h2, "Poster", "_ipp._tcp"),
        ] {
          let publisher = try lab.start("avahi-publish", "-s", name, type, "631", on: host)
          try await publisher.errorLine { $0.contains("Established") }
        }
        let last = try lab.start("avahi-publish", "-s", "Last", "_airplay._tcp", "7000", on: .h1)
        try await resolves(try #require(browsers[1]), "Label", at: "10.77.0.1")
        try await resolves(try #require(browsers[0]), "Poster", at: "10.78.0.2")
        // A legacy resolver, over both networks.
        let legacy = try lab.start(LAN.legacyQuestion("Label._ipp._tcp.local", from: "10.78.0.2"), on: .h2)
        #expect(try await legacy.line { _ in true } == "answered 4711")
        // What comes after has come, so that what came before has been.
        let screens = try lab.start("avahi-browse", "-rp", "_airplay._tcp", on: .h2)
        try await resolves(screens, "Last", at: "10.77.0.1")
        try last.signal(SIGTERM)
        try await screens.line { AvahiBrowseLine($0).map { $0.event == .vanished && $0.name == "Last" } ?? false }

        let crossed = said(by: "10.78.0.3", to: far) + said(by: "10.77.0.3", to: near)
        #expect(crossed.contains { $0.contains("Label._ipp._tcp") } && crossed.contains { $0.contains("Poster._ipp._tcp") })
        #expect(!crossed.contains { $0.contains("_ssh._tcp") || $0.contains("Payroll") || $0.contains("Shell") })
        #expect(!crossed.contains { $0.contains("fe80") })
        #expect(!shells.outputLines.contains { $0.contains("Shell") })

        try reflector.signal(SIGUSR1)
        try await reflector.event("reflection")
        try reflector.signal(SIGINT)
        #expect(try await reflector.exitCode() == 0)
        #expect(reflector.errorLines == [])
        let numbers = try await reflector.event("reflection")
        let kept = (numbers["passages"]?.array ?? []).flatMap { $0["kept"]?.array ?? [] }.compactMap { $0["rule"]?.string }
        #expect(kept.contains("--deny name=Payroll*") && kept.contains("not a type of --type"))
      }
    }

    @Test func `one way, a dry run, and an interface that goes and comes`() async throws {
      try await withLab(daemons: false, isSplit: true) { lab in
        let dry = try lab.bonjourish(
          "reflect", "--between", "eth0,eth1", "--dry-run", "--verbose", "--type", "http", on: .h3)
        let reflector = try lab.bonjourish(
          "reflect", "--between", "eth0,eth1", "--one-way", "--type", "http", "--json", on: .h3)
        try await reflector.event("reflecting")
        try await dry.errorLine { $0.hasPrefix("bonjourish: listening on eth0 and eth1; what would cross is shown when ") }
        // Both are ready when the second one hears what the first could hear too.
        let near = try lab.bonjourish(
          "publish", "Near", "http", "80", "--backend", "builtin", "--json", on: .h1)
        let far = try lab.bonjourish("publish", "Far", "http", "80", "--backend", "builtin", "--json", on: .h2)
        for one in [near, far] { try await one.event("published") }
        let seen = try lab.bonjourish("browse", "http", "--resolve", "--backend", "builtin", "--json", on: .h2)
        for name in ["Near", "Far"] { try await seen.event("found") { $0["name"]?.string == name } }
        try await dry.line { $0.hasPrefix("+ eth0 > eth1 record Near._http._tcp.local ") }
        try await dry.line { $0.hasPrefix("+ eth1 > eth0 record Far._http._tcp.local ") }
        // No router stands between the networks.
        let list = try lab.bonjourish("browse", "http", "--resolve", "--once", "--plain", "--backend", "builtin", on: .h2)
        let resolution = try lab.bonjourish("resolve", "Near", "http", "--timeout", "3", "--backend", "builtin", on: .h2)
        #expect(try await list.exitCode() == 0)
        #expect(try await resolution.exitCode() == 1)
        #expect(list.outputLines.contains("+ \"Near\" _http._tcp eth0 (no way to its addresses)"))
        #expect(resolution.errorLines.contains { $0.contains("no way to its addresses (") && $0.contains("10.77.0.1") })
        let unseen = try lab.bonjourish("browse", "http", "--once", "--backend", "builtin", "--json", on: .h1)

        try await lab.link(.remove, of: .h3)
        let without = try await reflector.event("reflecting")
        #expect(without["interfaces"] == ["eth1"] && without["missing"] == ["eth0"])
        try await lab.link(.add, of: .h3)
        let again = try await reflector.event("reflecting") { $0["missing"] == [] }
        #expect(again["interfaces"] == ["eth0", "eth1"])
        let new = try lab.bonjourish("publish", "New", "http", "80", "--backend", "builtin", "--json", on: .h1)
        try await new.event("published")
        try await seen.event("found") { $0["name"] == "New" }
        #expect(try await unseen.exitCode() == 0)
        let names = unseen.events("found").compactMap { $0["name"]?.string }
        #expect(names.contains("Near") && !names.contains("Far"))
        for one in [reflector, dry] {
          try one.signal(SIGINT)
          #expect(try await one.exitCode() == 0)
        }
      }
    }

    @Test(.ofAvahiDaemon("its reflector is what this one stands beside"))
    func `beside avahi-daemon's reflector the networks fall silent, and the doctor sees it`() async throws {
      try await withLab(hosts: 4, isSplit: true) { lab in
        try await lab.control("sh", "-c", "printf '[reflector]\\nenable-reflector=yes\\n' >>/run/lan/h4/avahi.conf")
        try await lab.daemon(.restart, on: .h4)
        let listeners = [try await listener(on: .h1, of: lab), try await listener(on: .h2, of: lab)]
        let reflector = try lab.bonjourish("reflect", "--between", "eth0,eth1", "--json", "--stats", on: .h3)
        try await reflector.event("reflecting")
        let browser = try lab.start("avahi-browse", "-rp", "_http._tcp", on: .h2)
        let names = (1...6).map { "Pages \($0)" }
        for name in names { _ = try lab.start("avahi-publish", "-s", name, "_http._tcp", "80", on: .h1) }
        for name in names { try await resolves(browser, name, at: "10.77.0.1") }

        let finding = try lab.bonjourish("doctor", "--json", "--backend", "builtin", on: .h3)
        #expect(try await finding.exitCode() == 0)
        let report = finding.outputLines.joined()
        #expect(report.contains("\"reflector\"") && report.contains("a reflector repeats messages here: 10.7"))

        // Three seconds in which nothing happens any more.
        let quiet = try lab.bonjourish("query", "--raw", "--json", "--family", "4", "--for", "3", on: .h2)
        #expect(try await quiet.exitCode() == 0)
        #expect(quiet.events("datagram").count <= 40, "\(quiet.events("datagram").count) datagrams in three silent seconds")
        for listener in listeners { #expect(listener.events("datagram").count <= 2_000) }
        try reflector.signal(SIGINT)
        let numbers = try await reflector.event("reflection")
        #expect(try #require(numbers["reflectors"]?.number) > 0)
      }
    }
  }
}

extension LAN {
  /// A command that asks for a service's location from another port than 5353, as a legacy resolver does, and tells the number of the
  /// answer.
  fileprivate static func legacyQuestion(_ name: String, from address: String) -> [String] {
    let program = """
      import socket, struct
      s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("\(address)"))
      s.settimeout(1)
      labels = b"".join(bytes([len(l)]) + l.encode() for l in "\(name)".split(".")) + b"\\0"
      for attempt in range(8):
          s.sendto(struct.pack(">6H", 4711, 0, 1, 0, 0, 0) + labels + struct.pack(">2H", 33, 1), ("224.0.0.251", 5353))
          try:
              answer = s.recv(9000)
          except TimeoutError:
              continue
          print("answered", struct.unpack(">H", answer[:2])[0], flush=True)
          break
      """
    return ["/usr/bin/python3", "-c", program]
  }
}
