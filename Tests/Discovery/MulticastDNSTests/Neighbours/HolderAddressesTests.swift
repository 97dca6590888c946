import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Beside its services, the guest of a process on the same host repeats the addresses which that process publishes, so that nobody
/// has to ask for them (RFC 6763 §12).
@Suite struct HolderAddressesTests {
  private static let name: DNSName = "me.local"
  private static let instance: DNSName = "mine._x._tcp.local"
  private static let type: DNSName = "_x._tcp.local"
  private static let other = IPAddress.ipv4(0x0A00_0058)

  private func holders(_ address: IPAddress = LoneEngine.address, timeToLive: UInt32 = 120) -> DNSRecord {
    DNSRecord(Self.name, .address(address), timeToLive: timeToLive, cacheFlush: true)
  }

  /// What a guest tells.
  private func copy(_ address: IPAddress = LoneEngine.address, timeToLive: UInt32 = 120) -> DNSRecord {
    DNSRecord(Self.name, .address(address), timeToLive: timeToLive)
  }

  /// A guest that publishes a service.
  ///
  /// - Parameter known: Which of its two addresses the holder publishes.
  private func guest(of known: IPAddress...) -> LoneEngine {
    let engine = LoneEngine(
      addresses: [LoneEngine.address, Self.other].map { InterfaceAddress($0, prefixLength: 24) })
    engine.do(.setHostName(Self.name))
    while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
    hear(known.map { holders($0) }, engine)
    engine.establish(VirtualHost.service("mine"))
    return engine
  }

  /// Has an engine hear a response of the holder.
  private func hear(_ records: [DNSRecord], _ engine: LoneEngine) {
    var message = DNSMessage(isResponse: true)
    message.answers = records
    engine.hear(message, from: 1)
  }

  /// Asks for the service after a second, and returns what is told of the host's name with it.
  private func told(_ engine: LoneEngine) -> [DNSRecord] {
    engine.run(for: .seconds(1))
    engine.clear()
    engine.hear(question: Self.instance, .srv)
    engine.run(for: .seconds(2))
    #expect(engine.responses.first?.message.answers.map(\.type) == [.srv])
    return recordsOfHost(engine)
  }

  private func recordsOfHost(_ engine: LoneEngine) -> [DNSRecord] {
    engine.responses.flatMap { $0.message.answers + $0.message.additionals }.filter { $0.name == Self.name }
  }

  // §10.2: the bit would replace addresses of the holder that we do not have.
  @Test func `what the holder publishes of our addresses goes with the service without the cache-flush bit`() {
    #expect(told(guest(of: LoneEngine.address)) == [copy()])
    #expect(told(guest(of: LoneEngine.address, Self.other)) == [copy(), copy(Self.other)])
    #expect(told(guest(of: LoneEngine.address, .ipv4(99))) == [copy()])
    let engine = guest(of: LoneEngine.address)
    for (name, type) in [(Self.type, DNSType.ptr), (Self.instance, .any)] {
      engine.clear()
      engine.hear(question: name, type)
      engine.run(for: .seconds(2))
      #expect(engine.responses.flatMap(\.message.additionals).filter { $0.name == Self.name } == [copy()])
    }
  }

  @Test func `it is neither an answer nor told beside other records`() {
    let engine = guest(of: LoneEngine.address)
    for (name, type) in [(Self.instance, DNSType.txt), ("_services._dns-sd._udp.local", .ptr), (Self.name, .aaaa)] {
      engine.hear(question: name, type)
      engine.run(for: .milliseconds(300))
    }
    #expect(engine.responses.count == 2 && recordsOfHost(engine).isEmpty)
    engine.hear(question: Self.name, .a)
    engine.run(for: .milliseconds(300))
    #expect(engine.responses.count == 2)
    engine.do(.shutDown)
    #expect(recordsOfHost(engine).isEmpty)
  }

  @Test func `announcements bring it too`() {
    let engine = guest(of: LoneEngine.address)
    engine.do(.publish(.init(2), VirtualHost.service("more")))
    engine.run(for: .seconds(10))
    #expect(engine.responses.count == 3)
    #expect(engine.responses.allSatisfy { $0.message.additionals.filter { $0.name == Self.name } == [copy()] })
  }

  // §6
  @Test func `it is multicast once a second, by the holder or its guest`() {
    let engine = guest(of: LoneEngine.address)
    engine.do(.publish(.init(2), VirtualHost.service("more")))
    engine.run(for: .seconds(10))
    for isHolderFirst in [false, true] {
      engine.clear()
      if isHolderFirst { hear([holders()], engine) } else { engine.hear(question: Self.instance, .srv) }
      let before = recordsOfHost(engine)
      #expect(before == (isHolderFirst ? [] : [copy()]))
      engine.run(for: .milliseconds(900))
      engine.hear(question: "more._x._tcp.local", .srv)
      #expect(recordsOfHost(engine) == before)
      engine.run(for: .milliseconds(1100))
      engine.hear(question: Self.instance, .srv)
      #expect(recordsOfHost(engine) == before + [copy()])
      engine.run(for: .seconds(10))
    }
  }

  // §5.4, §6.7
  @Test func `each unicast answer has it`() {
    let engine = guest(of: LoneEngine.address)
    var legacy = DNSMessage(isResponse: false)
    legacy.questions = [DNSQuestion(Self.instance, .srv)]
    for _ in 1...2 {
      engine.hear(question: Self.instance, .srv, unicast: true)
      engine.hear(legacy, port: 4000)
    }
    #expect(engine.responses.allSatisfy { $0.destination != .multicast })
    #expect(recordsOfHost(engine) == [copy(), copy(timeToLive: 10), copy(), copy(timeToLive: 10)])
  }

  @Test func `what the holder withdraws is not told any more`() {
    let engine = guest(of: LoneEngine.address, Self.other)
    hear([holders(), holders(Self.other)], engine)
    hear([holders(Self.other, timeToLive: 0), holders()], engine)
    #expect(told(engine) == [copy()])
    // A goodbye alone may mean that it goes.
    engine.clear()
    hear([holders(timeToLive: 0)], engine)
    engine.hear(question: Self.instance, .srv)
    #expect(recordsOfHost(engine).isEmpty)
  }

  // §10.2
  @Test func `what the holder replaces is not told any more`() {
    let engine = guest(of: LoneEngine.address, Self.other)
    hear([holders(Self.other)], engine)
    #expect(told(engine) == [copy(Self.other)])
    // Records of one set may come one after another.
    hear([holders()], engine)
    engine.run(for: .milliseconds(900))
    hear([holders(Self.other)], engine)
    #expect(told(engine) == [copy(), copy(Self.other)])
    engine.do(.linkChanged(engine.link, addresses: [InterfaceAddress(LoneEngine.address, prefixLength: 24)]))
    #expect(told(engine).isEmpty)
    hear([holders()], engine)
    #expect(told(engine) == [copy()])
  }

  @Test func `what the holder told piece by piece is announced as a whole when it has gone`() {
    let engine = guest(of: LoneEngine.address, Self.other)
    hear([holders(Self.other)], engine)
    engine.clear()
    engine.run(for: .seconds(100))
    let announced = engine.responses.flatMap(\.message.answers).filter { $0.name == Self.name }
    #expect(Set(announced) == [holders(), holders(Self.other)])
  }

  @Test func `nothing is told while the holder is in doubt`() {
    // A process probes for another set.
    var engine = guest(of: LoneEngine.address)
    engine.hear(question: Self.name, .any, proposing: [holders()], from: 1)
    #expect(told(engine).isEmpty)
    // It was silent.
    engine = guest(of: LoneEngine.address)
    engine.clear()
    while engine.questions(Self.name, .any).isEmpty { engine.run(for: .milliseconds(1)) }
    engine.hear(question: Self.instance, .srv)
    #expect(recordsOfHost(engine).isEmpty)
    hear([holders()], engine)
    engine.run(for: .seconds(1))
    #expect(told(engine) == [copy()])
  }

  @Test func `what was not heard for two minutes is not told`() {
    let engine = guest(of: LoneEngine.address, Self.other)
    let six = IPAddress.ipv6(high: 0xFE80 << 48, low: 1)
    engine.do(
      .linkChanged(engine.link, addresses: [LoneEngine.address, six].map { InterfaceAddress($0, prefixLength: 24) }))
    hear([holders(), holders(six)], engine)
    #expect(Set(told(engine)) == [copy(), copy(six)])
    for _ in 1...2 {
      engine.run(for: .seconds(60))
      hear([holders()], engine)
    }
    #expect(told(engine) == [copy()])
  }

  // Else guests would take each other for the holder once it has crashed.
  @Test func `what another guest tells does not count as the holder's word`() {
    let engine = guest(of: LoneEngine.address)
    engine.clear()
    for _ in 1...100 {
      hear([copy(), copy(Self.other)], engine)
      engine.run(for: .seconds(1))
    }
    #expect(!engine.questions(Self.name, .any).isEmpty)
    #expect(Set(recordsOfHost(engine)) == [holders()])
  }

  @Test func `the holder answers all the same`() {
    let engine = LoneEngine(hostName: Self.name)
    engine.hear(question: Self.name, .a)
    engine.run(for: .milliseconds(500))
    engine.hear(question: Self.name, .a)
    hear([copy()], engine)
    engine.run(for: .seconds(1))
    #expect(recordsOfHost(engine).filter { $0.type == .a } == [holders(), holders()])
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `peers know the addresses with the services of guests, and guests keep to the rules`(seed: UInt64) {
    let network = VirtualNetwork(seed: seed)
    var rules = WireRules(allowsGuests: true)
    network.inspect = { host, link, message, bytes, destination in
      let faults = rules.faults(of: message, bytes: bytes.count, from: host, on: link, to: destination, at: network.now)
      #expect(faults == [])
    }
    let holder = network.addHost("me.local")
    network.run(for: .seconds(5))
    let guests = (1...3).map { network.addHost("me.local", on: $0 == 1 ? holder : network.hosts[$0 - 1]) }
    for (index, guest) in guests.enumerated() { _ = guest.publish("\(index)") }
    network.run(for: .seconds(10))
    let peer = network.addHost()
    let browse = peer.ask("_x._tcp.local", .ptr)
    network.run(for: .milliseconds(300))
    #expect(peer.pointers(browse).count == 3)
    let sent = peer.datagramsSent
    let address = peer.ask("me.local", .a)
    #expect(peer.answers[address]?.count == 1 && peer.datagramsSent == sent)
    // Processes come and go.
    for process in [holder] + guests.dropLast() {
      process.isUp = false
      network.run(for: .seconds(200))
      #expect(peer.answers[address]?.count == 1)
    }
  }
}
