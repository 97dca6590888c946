import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// The pointers from this host's addresses to its name (RFC 6762 §4).
@Suite struct ReversePointerTests {
  private let host: DNSName = "me.local"
  private let ipv4 = InterfaceAddress(LoneEngine.address, prefixLength: 24)
  private let ipv6 = InterfaceAddress(.ipv6(high: 0xFD00 << 48, low: 0xA1), prefixLength: 64)
  private let hidden = InterfaceAddress(.ipv6(high: 0xFE80 << 48, low: 1), prefixLength: 64, isPublished: false)
  private let ipv4Name: DNSName = "1.0.0.10.in-addr.arpa"
  private let ipv6Name: DNSName = "1.a.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa"

  private func pointer(_ name: DNSName, to target: DNSName = "me.local", timeToLive: UInt32 = 120) -> DNSRecord {
    DNSRecord(name, .ptr(target), timeToLive: timeToLive, cacheFlush: true)
  }

  /// What a response has of reverse pointers.
  private func pointers(_ sent: LoneEngine.Sent) -> [DNSRecord] {
    (sent.message.answers + sent.message.additionals).filter { $0.type == .ptr && $0.cacheFlush }
  }

  /// Whether a question for a reverse pointer is answered with it.
  private func isPublished(_ name: DNSName, to target: DNSName = "me.local", by engine: LoneEngine) -> Bool {
    engine.run(for: .seconds(2))
    engine.clear()
    engine.hear(question: name, .ptr)
    engine.run(for: .seconds(1))
    return engine.responses.contains { $0.message.answers == [pointer(name, to: target)] }
  }

  @Test func `each published address has a pointer to the host's name`() {
    let engine = LoneEngine(addresses: [ipv4, ipv6, hidden], hostName: host)
    #expect(isPublished(ipv4Name, by: engine))
    #expect(isPublished(ipv6Name, by: engine))
    engine.clear()
    engine.hear(question: ipv6Name, .txt)
    let denial = DNSData.nsec(next: ipv6Name, types: DNSTypeSet([.ptr])!)
    #expect(engine.responses.map(\.message.answers) == [[DNSRecord(ipv6Name, denial, timeToLive: 120, cacheFlush: true)]])
    #expect(!isPublished("1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.e.f.ip6.arpa", by: engine))
  }

  @Test func `pointers are probed for and announced in the datagrams of the host and its services`() {
    let engine = LoneEngine(addresses: [ipv4, ipv6])
    engine.do(.setHostName(host))
    engine.do(.publish(.init(1), VirtualHost.service("mine")))
    engine.run(for: .seconds(10))
    #expect(engine.sent.count == 6)
    for probe in engine.sent.prefix(3) {
      #expect(probe.message.questions.map(\.name) == [host, ipv4Name, ipv6Name, "mine._x._tcp.local"])
      // Proposals would make avahi-daemon, starting at the same time under another name, rename the host.
      #expect(!probe.message.authorities.contains { $0.type == .ptr })
    }
    for announcement in engine.sent.dropFirst(3) {
      #expect(pointers(announcement) == [pointer(ipv4Name), pointer(ipv6Name)])
      #expect(announcement.bytes.count < 400)
    }
  }

  @Test func `a link is told the pointers of its own addresses`() {
    let engine = LoneEngine(addresses: [ipv4])
    let other = MulticastLink(interface: 2, family: .ipv6)
    engine.do(.linkUp(other, addresses: [ipv6]))
    engine.do(.setHostName(host))
    engine.run(for: .seconds(10))
    for (link, name) in [(engine.link, ipv4Name), (other, ipv6Name)] {
      let told = engine.responses.filter { $0.link == link }.flatMap(pointers)
      #expect(Set(told) == [pointer(name)])
    }
  }

  @Test func `a pointer that another host has is given up until the addresses or the name change`() {
    let engine = LoneEngine(addresses: [ipv4, ipv6])
    engine.do(.setHostName(host))
    while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
    engine.hear(pointer(ipv4Name, to: "you.local"))
    engine.run(for: .seconds(10))
    #expect(engine.effects == [.hostName(.established(host))])
    #expect(engine.questions(ipv4Name, .any).count == 1)
    #expect(!isPublished(ipv4Name, by: engine))
    #expect(isPublished(ipv6Name, by: engine))
    engine.do(.linkChanged(engine.link, addresses: [ipv4]))
    engine.run(for: .seconds(2))
    #expect(isPublished(ipv4Name, by: engine))
  }

  @Test func `a published pointer that another host has too is probed for again and the host keeps its name`() {
    let engine = LoneEngine(addresses: [ipv4], hostName: host)
    engine.hear(pointer(ipv4Name, to: "you.local"))
    while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
    #expect(engine.sent.map(\.message.questions) == [[DNSQuestion(ipv4Name, .any)]])
    engine.hear(pointer(ipv4Name, to: "you.local"))
    engine.run(for: .seconds(10))
    #expect(engine.sent.count == 1 && engine.effects.isEmpty)
    #expect(!isPublished(ipv4Name, by: engine))
  }

  @Test func `the same pointer of another process or host is no conflict`() {
    let engine = LoneEngine(addresses: [ipv4])
    engine.do(.setHostName(host))
    while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
    for last in [UInt32(1), 2] {
      engine.hear(pointer(ipv4Name), from: last)
      engine.hear(question: ipv4Name, .any, proposing: [pointer(ipv4Name)], from: last)
    }
    engine.run(for: .seconds(10))
    #expect(engine.questions(ipv4Name, .any).count == 3)
    for last in [UInt32(1), 2] {
      engine.hear(pointer(ipv4Name), from: last)
      engine.hear(question: ipv4Name, .any, proposing: [pointer(ipv4Name)], from: last)
    }
    #expect(isPublished(ipv4Name, by: engine))
    #expect(engine.effects.isEmpty)
  }

  // avahi-daemon with another name, which would rename the host after a conflict.
  @Test func `a pointer that another process of this host publishes or probes for is left to it at once`() {
    for isProbe in [false, true] {
      let engine = LoneEngine(addresses: [ipv4, ipv6], hostName: host)
      if isProbe {
        engine.hear(question: ipv4Name, .any, proposing: [DNSRecord(ipv4Name, .ptr("foo.local"), timeToLive: 120)], from: 1)
      } else {
        engine.hear(pointer(ipv4Name, to: "foo.local"), from: 1)
      }
      engine.run(for: .seconds(10))
      #expect(engine.sent.isEmpty && engine.effects.isEmpty)
      #expect(!isPublished(ipv4Name, by: engine))
      #expect(isPublished(ipv6Name, by: engine))
    }
  }

  @Test func `a pointer that another host probes for is defended`() {
    let engine = LoneEngine(addresses: [ipv4], hostName: host)
    engine.hear(question: ipv4Name, .any, proposing: [DNSRecord(ipv4Name, .ptr("you.local"), timeToLive: 120)])
    #expect(engine.responses.map(\.message.answers) == [[pointer(ipv4Name)]])
  }

  @Test func `pointers follow the addresses`() {
    let engine = LoneEngine(addresses: [ipv4], hostName: host)
    engine.do(.linkChanged(engine.link, addresses: [ipv6]))
    engine.run(for: .seconds(10))
    let told = engine.responses.flatMap(pointers)
    #expect(told == [pointer(ipv4Name, timeToLive: 0)] + Array(repeating: pointer(ipv6Name), count: 3))
    #expect(engine.questions(ipv6Name, .any).count == 3)
    #expect(!isPublished(ipv4Name, by: engine))
  }

  // RFC 6762 §8.4: addresses that change often wait, and so do their pointers.
  @Test func `pointers wait with addresses that change often`() {
    let engine = LoneEngine(addresses: [ipv4], hostName: host)
    for number in UInt32(2)...7 {
      engine.do(.linkChanged(engine.link, addresses: [InterfaceAddress(.ipv4(0x0A00_0000 + number), prefixLength: 24)]))
    }
    engine.run(for: .seconds(2))
    #expect(isPublished("6.0.0.10.in-addr.arpa", by: engine))
    #expect(!isPublished("7.0.0.10.in-addr.arpa", by: engine))
    engine.run(for: .seconds(20))
    #expect(!isPublished("6.0.0.10.in-addr.arpa", by: engine))
    #expect(isPublished("7.0.0.10.in-addr.arpa", by: engine))
  }

  @Test func `pointers follow the name of the host`() {
    let engine = LoneEngine(addresses: [ipv4], hostName: host)
    engine.do(.setHostName("other.local"))
    engine.run(for: .seconds(10))
    let told = engine.responses.flatMap(pointers)
    #expect(told == [pointer(ipv4Name, timeToLive: 0)] + Array(repeating: pointer(ipv4Name, to: "other.local"), count: 3))
  }

  @Test func `a host without a name publishes no pointers`() {
    let engine = LoneEngine(addresses: [ipv4])
    engine.do(.setHostName(host))
    let stranger = DNSRecord(host, .address(.ipv4(0xFFFF_FFFF)), timeToLive: 120, cacheFlush: true)
    for _ in 1...4 {
      engine.clear()
      while engine.questions(host, .any).isEmpty { engine.run(for: .milliseconds(1)) }
      engine.hear(question: host, .any, proposing: [stranger])
    }
    engine.run(for: .milliseconds(900))
    #expect(engine.responses.isEmpty)
    while engine.questions(host, .any).isEmpty { engine.run(for: .milliseconds(1)) }
    engine.hear(stranger)
    engine.clear()
    engine.run(for: .seconds(10))
    #expect(Set(engine.responses.flatMap(pointers)) == [pointer(ipv4Name, to: "me-2.local")])
  }

  @Test func `pointers go with the host and are restored by another process that has them`() {
    let network = VirtualNetwork(seed: 11)
    let one = network.addHost("me.local")
    let two = network.addHost("me.local", on: one)
    let other = network.addHost("other.local")
    let asked = other.ask(DNSName(reverseOf: one.address).description, .ptr)
    network.run(for: .seconds(5))
    #expect(other.answers[asked]?.map(\.data) == [.ptr("me.local")])
    one.do(.shutDown)
    one.isUp = false
    network.run(for: .seconds(3))
    #expect(other.answers[asked]?.map(\.data) == [.ptr("me.local")])
    two.do(.shutDown)
    network.run(for: .seconds(3))
    #expect(other.answers[asked] == [])
  }
}
