import CBonjourishLinux
import Testing

extension PublishingOnALAN {
  /// Interfaces that come and go, and many of them.
  @Suite("Interfaces")
  struct InterfaceTests {
    @Test(arguments: Backend.allCases)
    func `a restriction to an interface outlives the interface`(_ backend: Backend) async throws {
      try await withLab(hosts: 2, daemons: backend == .avahi, backend: backend) { lab in
        let near = try lab.bonjourish("browse", "_http._tcp", "--interface", "eth0", "--json", on: .h1)
        let far = try lab.bonjourish("browse", "_http._tcp", "--json", on: .h2)
        let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--interface", "eth0", "--json", on: .h1)
        try await ada.event("published")
        for browser in [near, far] { try await browser.event("found") { $0["name"] == "Ada" } }

        // As when an adapter is unplugged: the kernel gives the next one another index.
        try await lab.link(.remove, of: .h1)
        try await near.event(backend == .avahi ? "interrupted" : "lost")
        let bob = try lab.bonjourish("publish", "Bob", "_http._tcp", "81", "--json", on: .h2)
        try await bob.event("published")
        try await lab.link(.add, of: .h1)
        try await near.event("found") { $0["name"] == "Bob" }
        // A browser that begins now hears what is published now.
        let later = try lab.bonjourish(
          "browse", "_http._tcp", "--json", "--backend", Backend.builtin.rawValue, on: .h2)
        try await later.event("found") { $0["name"] == "Ada" }
      }
    }

    /// Connects the first two hosts by further cables, without IPv6, whose limit is another one.
    private func connect(_ lab: Lab, cables: Int) async throws {
      for (host, isFirst) in [(Lab.Host.h1, true), (.h2, false)] {
        let commands = """
          for i in $(seq \(cables)); do
            \(isFirst ? "echo link add v$i type veth peer name v$i netns h2" : "")
            echo link set v$i addrgenmode none up
            echo address add 10.88.$i.\(host.number)/24 dev v$i
          done | ip -batch -
          """
        try await lab.carryOut(commands, on: host)
      }
    }

    @Test func `a service is found on every one of sixty-four networks beside a hundred containers`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        try await connect(lab, cables: 64)
        try await lab.carryOut(
          """
          for i in $(seq 100); do
            echo link add in$i type veth peer name out$i
            echo link set in$i addrgenmode none up
            echo link set out$i addrgenmode none up
            echo address add 10.99.$i.1/24 dev in$i
          done | ip -batch -
          """, on: .h1)
        let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", "--verbose", on: .h1)
        try await ada.event("published", within: .seconds(60))
        let reach = try await ada.json { $0.workingLinksOverIPv4 == 165 }
        // The other ends have no addresses.
        let failing = reach.links(in: "fails").filter { !$0.hasPrefix("out") }
        #expect(failing == [])
        let browser = try lab.bonjourish("browse", "_http._tcp", "--json", "--verbose", on: .h2)
        try await browser.line { JSON(line: $0)?["interfaces"]?.array?.count == 65 }
        for program in [ada, browser] { #expect(!program.errorLines.contains { $0.contains("no mDNS") }) }
      }
    }

    @Test(.ofAvahiDaemon("bonjourishd receives on all of them"))
    func `a daemon that cannot receive on all interfaces is told, and the engine can`() async throws {
      try await withLab(hosts: 2, daemons: false) { lab in
        try await connect(lab, cables: 24)
        for host in [Lab.Host.h1, .h2] { try await lab.daemon(.start, on: host) }
        let ada = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "80", on: .h1)
        try await ada.errorLine { $0.contains("Established") }
        let browser = try lab.bonjourish("browse", "_http._tcp", "--json", "--verbose", "--backend", "avahi", on: .h2)
        try await browser.json { $0.causes.contains("daemonLimit") }
        let engine = try lab.bonjourish("browse", "_http._tcp", "--json", "--verbose", "--backend", "builtin", on: .h2)
        try await engine.json { $0.workingLinksOverIPv4 == 25 }
        let causes = engine.events("reach").flatMap(\.causes)
        #expect(causes == [])
      }
    }

    /// Plugs a second cable of the first host, eth1, into the switch that the first cable is in.
    private func connectTwice(_ lab: Lab) async throws {
      try await lab.control("ip", "link", "add", "second", "type", "veth", "peer", "name", "eth1", "netns", "h1")
      try await lab.control("ip", "link", "set", "second", "addrgenmode", "none", "master", "br0", "up")
      try await lab.carryOut(
        "ip link set eth1 addrgenmode none; ip address add 10.77.0.51/24 dev eth1; ip link set eth1 up; "
          + "ip address add fe80::51/64 dev eth1 nodad", on: .h1)
    }

    @Test(arguments: Backend.allCases)
    func `of two interfaces in one network all addresses are told, and of one that is gone none`(_ backend: Backend)
      async throws
    {
      try await withLab(hosts: 2, daemons: backend == .avahi, backend: backend) { lab in
        let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", on: .h1)
        try await ada.event("published")
        let browser = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", "--backend", "builtin", on: .h2)
        try await browser.tellsAddresses { $0.contains("10.77.0.1") }
        try await connectTwice(lab)
        try await browser.tellsAddresses { $0.isSuperset(of: ["10.77.0.1", "10.77.0.51"]) }
        // Each announcement on one interface takes the place of the others' older than a second, unless they are told again.
        try await Task.sleep(for: .seconds(8))
        #expect(browser.latestAddresses.isSuperset(of: ["10.77.0.1", "10.77.0.51"]))

        try await lab.control("ip", "link", "delete", "second")
        // Long before their two minutes to live are over.
        try await browser.tellsAddresses { $0.contains("10.77.0.1") && !$0.contains { $0.contains("51") } }
        try await Task.sleep(for: .seconds(3))
        #expect(browser.latestAddresses == ["10.77.0.1", "2001:db8:77::1"])
      }
    }

    /// avahi-daemon does not tell its IPv4 addresses over IPv6, and so cannot withdraw them there.
    @Test func `the last IPv4 address of a host that has others is forgotten at once`() async throws {
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", on: .h1)
        try await ada.event("published")
        let browser = try lab.bonjourish("browse", "_http._tcp", "--resolve", "--json", on: .h2)
        try await browser.tellsAddresses { $0 == ["10.77.0.1", "2001:db8:77::1"] }
        try await lab.carryOut("ip address delete 10.77.0.1/24 dev eth0", on: .h1)
        // Long before its two minutes to live are over.
        try await browser.tellsAddresses { $0 == ["2001:db8:77::1"] }
      }
    }

    /// Connects the first two hosts by a second cable, eth1.
    private func connect(_ lab: Lab) async throws {
      try await lab.carryOut(
        "ip link add eth1 type veth peer name eth1 netns h2; ip link set eth1 addrgenmode none up; "
          + "ip address add 10.88.0.1/24 dev eth1", on: .h1)
      try await lab.carryOut(
        "ip link set eth1 addrgenmode none up; ip address add 10.88.0.2/24 dev eth1", on: .h2)
    }

    @Test(arguments: Backend.allCases)
    func `interfaces are included and excluded by name and pattern`(_ backend: Backend) async throws {
      try await withLab(hosts: 2, daemons: backend == .avahi, backend: backend) { lab in
        try await connect(lab)
        let publishers = try [
          lab.bonjourish("publish", "Ada", "_http._tcp", "80", "--json", on: .h1),
          lab.bonjourish("publish", "Bob", "_http._tcp", "81", "--interface", "eth1", "--json", on: .h1),
          lab.bonjourish("publish", "Cyd", "_http._tcp", "82", "--interface", "!eth1", "--json", on: .h1),
          lab.bonjourish(
            "publish", "Dan", "_http._tcp", "83", "--interface", "eth0", "--interface", "*1", "--family", "4", "--json", on: .h1
          ),
        ]
        for publisher in publishers { try await publisher.event("published") }
        let all = try lab.bonjourish("browse", "_http._tcp", "--json", on: .h2)
        let one = try lab.bonjourish("browse", "_http._tcp", "--json", "--interface", "eth1", on: .h2)
        let other = try lab.bonjourish("browse", "_http._tcp", "--json", "--interface", "!eth1", on: .h2)
        let pattern = try lab.bonjourish("browse", "_http._tcp", "--json", "--interface", "et?1", "--interface", "no*", on: .h2)
        try await all.sees("Ada", on: ["eth0", "eth1"])
        try await all.sees("Bob", on: ["eth1"])
        try await all.sees("Cyd", on: ["eth0"])
        try await all.sees("Dan", on: ["eth0", "eth1"])
        for browser in [one, pattern] {
          for name in ["Ada", "Bob", "Dan"] { try await browser.sees(name, on: ["eth1"]) }
          #expect(!browser.listed.contains("Cyd"))
        }
        for name in ["Ada", "Cyd", "Dan"] { try await other.sees(name, on: ["eth0"]) }
        #expect(!other.listed.contains("Bob"))
        // None of them has ever been seen elsewhere.
        #expect(!one.interfacesSeen.contains("eth0") && !pattern.interfacesSeen.contains("eth0"))
        #expect(!other.interfacesSeen.contains("eth1"))

        // An interface that comes later is used if it matches.
        try await lab.carryOut("ip link delete eth1", on: .h1)
        try await all.sees("Ada", on: ["eth0"])
        try await connect(lab)
        try await all.sees("Bob", on: ["eth1"])
        try await pattern.sees("Ada", on: ["eth1"])
        #expect(all.lastInterfaces(of: "Cyd") == ["eth0"])
      }
    }

    /// Linux gave a datagram to another socket of the port than the only one that had joined the group on its interface, by a hash of the sender.
    ///
    /// - Parameter isBesideOther: Whether a program of the same user shares the port with `SO_REUSEPORT` only.
    @Test(arguments: [false, true])
    func `programs on different interfaces hear everybody there`(isBesideOther: Bool) async throws {
      try await withLab(daemons: false, isSplit: true, backend: .builtin) { lab in
        if isBesideOther { try await lab.start(LAN.peer("deaf") + ["ports"], on: .h3).line { $0 == "ready" } }
        for (host, name) in [(Lab.Host.h1, "Near"), (.h2, "Far")] {
          try await lab.start(LAN.peer("scattered") + [name], on: host).line { $0 == "announcing" }
        }
        let far = try lab.bonjourish("browse", "_scattered._tcp", "--interface", "eth1", "--json", on: .h3)
        let near = try lab.bonjourish("browse", "_scattered._tcp", "--interface", "eth0", "--json", on: .h3)
        for (browser, name) in [(far, "Far"), (near, "Near")] { try await browser.seesScattered(name) }
        // One that is on both interfaces, and alone on one of them.
        try far.signal(SIGINT)
        #expect(try await far.exitCode() == 0)
        let both = try lab.bonjourish("browse", "_scattered._tcp", "--json", on: .h3)
        for name in ["Far", "Near"] { try await both.seesScattered(name) }
        #expect(!near.listed.contains { $0.hasPrefix("Far") } && !far.listed.contains { $0.hasPrefix("Near") })
      }
    }

    @Test(arguments: Backend.allCases)
    func `what leads into containers is used when it is named or alone`(_ backend: Backend) async throws {
      try await withLab(hosts: 3, daemons: backend == .avahi, backend: backend) { lab in
        // lan0 is as good as hardware. The hosts of the LAN are containers themselves, so eth0 leads to one; docker0 does too.
        try await lab.carryOut(
          "ip link add lan0 link eth0 type macvlan mode bridge; ip link set lan0 up; ip address add 10.77.0.101/24 dev lan0; "
            + "ip link add docker0 type bridge; ip address add 10.88.0.1/24 dev docker0; ip link set docker0 up; "
            + "ip link add veth1 type veth peer name eth1 netns h3; ip link set veth1 master docker0 up", on: .h1)
        try await lab.carryOut("ip address add 10.88.0.3/24 dev eth1; ip link set eth1 up", on: .h3)
        let guest = try lab.bonjourish("publish", "Guest", "_http._tcp", "80", "--interface", "eth1", "--json", on: .h3)
        let neighbour = try lab.bonjourish("publish", "Neighbour", "_http._tcp", "80", "--json", on: .h2)
        for publisher in [guest, neighbour] { try await publisher.event("published") }
        let all = try lab.bonjourish("browse", "_http._tcp", "--json", on: .h1)
        let inside = try lab.bonjourish("browse", "_http._tcp", "--json", "--interface", "docker*", on: .h1)
        let ada = try lab.bonjourish("publish", "Ada", "_http._tcp", "81", "--json", on: .h1)
        let bob = try lab.bonjourish("publish", "Bob", "_http._tcp", "82", "--interface", "docker0", "--json", on: .h1)
        for publisher in [ada, bob] { try await publisher.event("published") }
        let container = try lab.bonjourish("browse", "_http._tcp", "--json", "--interface", "eth1", on: .h3)
        try await all.sees("Neighbour", on: ["lan0"])
        try await inside.sees("Guest", on: ["docker0"])
        try await container.sees("Bob", on: ["eth1"])
        #expect(!all.listed.contains("Guest") && all.interfacesSeen == ["lan0"])
        #expect(!container.listed.contains("Ada"))

        // Without a network it is.
        try await lab.carryOut("ip link delete lan0", on: .h1)
        try await all.sees("Guest", on: ["docker0"])
        try await all.sees("Neighbour", on: ["eth0"])
        try await container.sees("Ada", on: ["eth1"])
        #expect(!all.interfacesSeen.contains("veth1") && !inside.interfacesSeen.contains("eth0"))
      }
    }
  }
}

extension Lab {
  /// Runs a line of the shell on a host, and expects that it succeeds.
  fileprivate func carryOut(_ line: String, on host: Host) async throws {
    #expect(try await start("sh", "-ec", line, on: host).exitCode() == 0)
  }
}

extension Program {
  /// Waits until a browser's last line about a service says that it is seen on these interfaces.
  fileprivate func sees(_ name: String, on interfaces: Set<String>) async throws {
    while lastInterfaces(of: name) != interfaces { try await json { $0["name"]?.string == name } }
  }

  /// Waits until a browser has found what `scattered.py` announces.
  fileprivate func seesScattered(_ name: String) async throws {
    for (family, number) in ["ipv4", "ipv6"].flatMap({ family in (0..<16).map { (family, $0) } }) {
      try await event("found") { $0["name"]?.string == "\(name) \(family) \(number)" }
    }
  }

  /// The interfaces in a browser's last line about a service; nil when it is not there.
  fileprivate func lastInterfaces(of name: String) -> Set<String>? {
    let last = events("found", "updated", "lost").last { $0["name"]?.string == name }
    return last?["event"] == "lost" ? nil : last?.interfaces
  }

  /// The addresses in a browser's last line about a service, without scopes.
  fileprivate var latestAddresses: Set<String> {
    let addresses = events("found", "updated").last?["addresses"]?.array?.compactMap(\.string) ?? []
    return Set(addresses.map { String($0.prefix { $0 != "%" }) })
  }

  /// Waits until the last line about a service has such addresses.
  fileprivate func tellsAddresses(_ test: (Set<String>) -> Bool) async throws {
    while !test(latestAddresses) { try await json { $0["addresses"] != nil } }
  }

  /// All interfaces that a browser has seen anything on.
  fileprivate var interfacesSeen: Set<String> {
    events("found", "updated").reduce(into: []) { $0.formUnion($1.interfaces) }
  }
}

extension JSON {
  fileprivate var interfaces: Set<String> { Set(self["interfaces"]?.array?.compactMap(\.string) ?? []) }

  /// The codes of what is wrong as a whole, of a line about the reach.
  fileprivate var causes: [String] { self["causes"]?.array?.compactMap { $0["code"]?.string } ?? [] }

  fileprivate var workingLinksOverIPv4: Int { links(in: "works").count { $0.hasSuffix(" ipv4") } }

  /// The links that a line about the reach says to be in a state, such as `eth0 ipv4`.
  fileprivate func links(in state: String) -> [String] {
    (self["links"]?.array ?? []).filter { $0["state"]?.string == state }
      .map { "\($0["interface"]?.string ?? "") \($0["family"]?.string ?? "")" }
  }
}
