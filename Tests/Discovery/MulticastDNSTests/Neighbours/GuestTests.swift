import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Beside a process on the same host that publishes the host's name, such as avahi-daemon (RFC 6762 §9, §15).
@Suite struct GuestTests {
  private static let name: DNSName = "me.local"
  private let other = InterfaceAddress(.ipv4(0x0A00_0058), prefixLength: 24)

  /// An engine with two addresses, of which the other process publishes one.
  private func engine() -> LoneEngine {
    LoneEngine(addresses: [InterfaceAddress(LoneEngine.address, prefixLength: 24), other])
  }

  private func record(_ address: IPAddress, timeToLive: UInt32 = 120) -> DNSRecord {
    DNSRecord(Self.name, .address(address), timeToLive: timeToLive, cacheFlush: true)
  }

  private var neighbours: DNSRecord { record(LoneEngine.address) }

  /// Runs the engine until it has sent its first probe for the host's name.
  private func probe(_ engine: LoneEngine) {
    engine.do(.setHostName(Self.name))
    while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
  }

  private func guest() -> LoneEngine {
    let engine = engine()
    probe(engine)
    engine.hear(neighbours, from: 1)
    return engine
  }

  /// The records of the host's name that were sent in responses.
  private func told(_ engine: LoneEngine) -> [DNSRecord] {
    engine.responses.flatMap { $0.message.answers + $0.message.additionals }.filter { $0.name == Self.name }
  }

  @Test func `a process that answers at our own address keeps the name, and our services refer to it`() {
    let engine = engine()
    probe(engine)
    engine.do(.publish(.init(1), VirtualHost.service("mine")))
    engine.run(for: .milliseconds(100))
    engine.hear(neighbours, from: 1)
    #expect(engine.effects == [.hostName(.established(Self.name))])
    engine.run(for: .seconds(10))
    #expect(engine.effects.last == .registration(.init(1), .established))
    engine.hear(question: Self.name, .a)
    engine.hear(question: Self.name, .aaaa)
    engine.hear(neighbours, from: 1)
    engine.hear(question: "mine._x._tcp.local", .srv)
    engine.run(for: .seconds(2))
    engine.do(.shutDown)
    #expect(engine.responses.flatMap(\.message.answers).allSatisfy { $0.name != Self.name })
    #expect(engine.questions(Self.name, .any).count == 1)
    let services = engine.responses.flatMap(\.message.answers).map(\.data)
    #expect(services.contains(.srv(DNSService(target: Self.name, port: 1))))
  }

  @Test func `a datagram of our own from a bridged interface is not of another process`() {
    let engine = LoneEngine()
    let elsewhere = IPAddress.ipv4(0x0A00_0002)
    engine.do(
      .linkUp(MulticastLink(interface: 2, family: .ipv4), addresses: [InterfaceAddress(elsewhere, prefixLength: 24)]))
    probe(engine)
    engine.hear(record(elsewhere), from: 2)
    engine.run(for: .seconds(3))
    #expect(told(engine).contains { $0.data == .address(LoneEngine.address) })
  }

  @Test func `what another process said before the first probe does not count`() {
    let engine = engine()
    engine.do(.setHostName(Self.name))
    engine.hear(neighbours, from: 1)
    engine.run(for: .seconds(3))
    #expect(!told(engine).isEmpty)
  }

  @Test func `a holder that says nothing is asked, and replaced before its records expire`() throws {
    let engine = guest()
    let start = engine.now
    engine.clear()
    while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
    let question = try #require(engine.questions(Self.name, .any).first)
    #expect(question.time - start >= .seconds(80) && question.message.authorities.isEmpty)
    engine.run(for: .seconds(119) - (engine.now - start))
    let announcement = try #require(engine.responses.first)
    #expect(announcement.time - question.time >= .milliseconds(1500 + 750))
    #expect(announcement.message.answers.filter { $0.type == .a }.map(\.data) == [.address(LoneEngine.address)])
  }

  @Test func `a holder that does not answer others is replaced within four seconds`() throws {
    let engine = guest()
    engine.run(for: .seconds(10))
    engine.clear()
    let start = engine.now
    engine.hear(question: Self.name, .a)
    engine.run(for: .seconds(4))
    #expect(engine.sent.prefix { !$0.message.isResponse }.count == 4)
    #expect(try #require(engine.responses.first).time - start > .milliseconds(600 + 1500 + 750))
  }

  @Test func `a holder that answers others is not asked`() {
    let engine = guest()
    engine.run(for: .seconds(10))
    engine.clear()
    engine.hear(question: Self.name, .a)
    engine.run(for: .milliseconds(500))
    engine.hear(neighbours, from: 1)
    engine.hear(question: Self.name, .a, knowing: [neighbours])
    engine.hear(question: Self.name, .txt)
    engine.run(for: .seconds(79))
    #expect(engine.sent.isEmpty)
  }

  @Test func `a holder that answers when asked keeps the name`() {
    let engine = guest()
    for _ in 1...5 {
      engine.clear()
      while engine.sent.isEmpty { engine.run(for: .seconds(1)) }
      engine.hear(neighbours, from: 1)
    }
    engine.run(for: .seconds(79))
    #expect(engine.sent.count == 1 && engine.responses.isEmpty)
  }

  // With other addresses it would be in dispute when it comes back.
  @Test func `after the goodbye of a holder what it published is announced within a second`() throws {
    let engine = guest()
    engine.clear()
    let start = engine.now
    engine.hear(record(LoneEngine.address, timeToLive: 0), from: 1)
    engine.run(for: .seconds(5))
    #expect(try #require(engine.responses.first).time - start <= .seconds(1))
    let probes = engine.questions(Self.name, .any)
    #expect(probes.count == 3 && probes.allSatisfy { $0.message.authorities.map(\.data) == [.address(LoneEngine.address)] })
    #expect(Set(told(engine).filter { $0.type == .a }.map(\.data)) == [.address(LoneEngine.address)])
    // It probes again.
    engine.clear()
    engine.hear(question: Self.name, .any, proposing: [neighbours], from: 1)
    #expect(!told(engine).isEmpty)
  }

  @Test func `a process that probes for other addresses gets the name, also if we have it`() {
    let engine = engine()
    engine.do(.setHostName(Self.name))
    engine.run(for: .seconds(10))
    engine.clear()
    for _ in 1...3 {
      engine.hear(question: Self.name, .any, proposing: [neighbours], from: 1)
      engine.run(for: .milliseconds(250))
    }
    engine.hear(neighbours, from: 1)
    engine.hear(question: Self.name, .a)
    engine.hear(neighbours, from: 1)
    engine.run(for: .seconds(70))
    #expect(engine.sent.isEmpty && engine.effects.isEmpty)
  }

  @Test func `a process that probes for the same addresses is answered`() {
    let engine = engine()
    engine.do(.setHostName(Self.name))
    engine.run(for: .seconds(10))
    engine.clear()
    engine.hear(question: Self.name, .any, proposing: [neighbours, record(other.address)], from: 1)
    #expect(told(engine).count >= 2)
  }

  @Test func `a rival of the holder leads to another name only if the holder does not answer`() {
    let rivals = DNSRecord(Self.name, .address(.ipv4(99)), timeToLive: 120, cacheFlush: true)
    for isAnswering in [true, false] {
      let engine = guest()
      engine.clear()
      engine.hear(rivals)
      while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
      engine.hear(isAnswering ? neighbours : rivals, from: isAnswering ? 1 : 2)
      engine.run(for: .seconds(3))
      #expect(
        engine.effects
          == (isAnswering
            ? []
            : [
              .hostName(.renamed(from: Self.name, to: "me-2.local")), .hostName(.established("me-2.local")),
            ]))
    }
  }

  @Test func `addresses that change meanwhile are announced when the holder has gone`() {
    let engine = guest()
    engine.clear()
    let new = InterfaceAddress(.ipv4(0x0A00_0059), prefixLength: 24)
    engine.do(.linkChanged(engine.link, addresses: [InterfaceAddress(LoneEngine.address, prefixLength: 24), new]))
    engine.run(for: .seconds(10))
    #expect(engine.sent.isEmpty)
    engine.hear(record(LoneEngine.address, timeToLive: 0), from: 1)
    engine.run(for: .seconds(5))
    let addresses = told(engine).map(\.data).filter { $0.type == .a }
    #expect(Set(addresses) == [.address(LoneEngine.address), .address(new.address)])
  }

  @Test(arguments: [true, false])
  func `peers always know the addresses of the host while its processes come and go`(saysGoodbye: Bool) {
    let network = VirtualNetwork(seed: 5)
    let one = network.addHost("me.local")
    network.run(for: .seconds(3))
    let guests = (1...3).map { _ in network.addHost("me.local", on: one) }
    let peer = network.addHost()
    let address = peer.ask("me.local", .a)
    network.run(for: .seconds(10))
    #expect(guests.allSatisfy { $0.was(.hostName(.established("me.local"))) })
    let count = network.wire.count
    network.run(for: .seconds(300))
    #expect(network.wire[count...].allSatisfy { $0.host == one.index || !$0.message.isResponse })
    for process in [one] + guests.dropLast() {
      if saysGoodbye { process.do(.shutDown) }
      process.isUp = false
      network.run(for: .seconds(300))
    }
    #expect(peer.answers[address]?.count == 1)
    let isMissed = peer.effects.contains { if case .answer(address, .removed) = $0.effect { true } else { false } }
    #expect(!isMissed)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `of processes with different addresses one comes to publish its own`(seed: UInt64) {
    let network = VirtualNetwork(seed: seed)
    let shared = InterfaceAddress.ipv4(1, on: 0)
    let processes = (2...4).map { number in
      network.addHost([VirtualInterface(1, on: 0, addresses: [shared, .ipv4(100 + number, on: 0)])])
    }
    for process in processes { process.do(.setHostName("me.local")) }
    let peer = network.addHost()
    let address = peer.ask("me.local", .a)
    network.run(for: .seconds(60))
    #expect(processes.allSatisfy { $0.was(.hostName(.established("me.local"))) })
    #expect(processes.allSatisfy { !$0.was(.hostName(.renamed(from: "me.local", to: "me-2.local"))) })
    #expect(peer.answers[address]?.count == 2)
    let count = network.wire.count
    network.run(for: .seconds(300))
    let publishers = Set(network.wire[count...].lazy.filter(\.message.isResponse).map(\.host))
    #expect(publishers.count <= 1)
  }
}
