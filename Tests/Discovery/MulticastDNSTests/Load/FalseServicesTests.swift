import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Somebody fills the link with services that are none. Those that are real are found all the same, and memory is bounded.
@Suite struct FalseServicesTests {
  private static let link = MulticastLink(interface: 1, family: .ipv4)
  private static let type: DNSName = "_x._tcp.local"
  private static let browse = MulticastEngine.QueryID(1)

  private var engine = MulticastEngine(seed: 24)
  private var now = Duration.zero
  /// What the browser holds for there.
  private var found: Set<DNSName> = []
  private var mostRecords = 0
  private var datagramsSent = 0

  init() {
    handle(.linkUp(Self.link, addresses: [InterfaceAddress(.ipv4(0x0A00_0001), prefixLength: 8)]))
    handle(.ask(Self.browse, Self.type, .ptr))
  }

  @Test(arguments: [1, 200, 4000]) mutating func `a real service is found in a flood of false ones`(sources: Int) throws {
    try flood(1..<2001, from: sources)
    // In the midst of it, and another one before.
    receive(try Self.announcement("Ada", host: "ada"), from: 0x0A00_0002)
    try flood(2001..<4001, from: sources)
    receive(try Self.announcement("Bob", host: "bob"), from: 0x0A00_0003)
    let real = [try Self.type.adding(label: "Ada"), try Self.type.adding(label: "Bob")]
    #expect(found.isSuperset(of: real))
    // Where they are is known at once, or after one question that their hosts answer.
    for (number, instance) in real.enumerated() {
      let id = MulticastEngine.QueryID(UInt64(10 + number))
      let isKnown = handle(.ask(id, instance, .srv)).contains {
        if case .answer(id, .added) = $0 { true } else { false }
      }
      guard !isKnown else { continue }
      pass(.milliseconds(150))
      let (name, host, address): (String, String, UInt32) = [("Ada", "ada", 0x0A00_0002), ("Bob", "bob", 0x0A00_0003)][number]
      let effects = receive(try Self.announcement(name, host: host), from: address)
      #expect(effects.contains { if case .answer(id, .added) = $0 { true } else { false } })
    }
    let load = engine.load(of: Self.link)!
    #expect(load.records <= MulticastEngine.Load.limit.records && load.bytes <= MulticastEngine.Load.limit.bytes)
  }

  /// After CVE-2026-48045: the cache of python-zeroconf had no bound.
  @Test mutating func `memory stays bounded in a flood`() throws {
    receive(try Self.announcement("Ada", host: "ada"), from: 0x0A00_0002)
    for second in 0..<2 { try flood((4000 * second)..<(4000 * second + 4000), from: 1000) }
    #expect(mostRecords == MulticastEngine.Load.limit.records)
    #expect(found.contains(try Self.type.adding(label: "Ada")))
    // What is false lives as long as it says, at most, and then makes room.
    pass(.seconds(4600))
    #expect(engine.load(of: Self.link)!.records == 0)
    #expect(found.isEmpty)
    // Nobody is made to answer the flood with one.
    #expect(datagramsSent < 2000)
  }

  @Test mutating func `long records are bounded by their bytes`() throws {
    for number in 0..<4000 {
      var message = DNSMessage(isResponse: true)
      message.answers = [
        DNSRecord(try Self.type.adding(label: "\(number)"), .txt([UInt8](repeating: 1, count: 8000)), timeToLive: 4500)
      ]
      receive(message.written(), from: 0x0A01_0000 + UInt32(number % 7))
    }
    let limit = MulticastEngine.Load.limit.bytes
    #expect((limit - 10_000...limit).contains(engine.load(of: Self.link)!.bytes))
  }

  // MARK: -

  /// False services, 4,000 of them in a second, each with five records.
  private mutating func flood(_ numbers: Range<Int>, from sources: Int) throws {
    for number in numbers {
      now += .microseconds(250)
      let source = 0x0A01_0000 + UInt32(number % sources)
      receive(try Self.announcement("false \(number)", host: "false-\(number)"), from: source)
      if let deadline = engine.nextDeadline, deadline <= now { handle(.timePassed) }
    }
  }

  private mutating func pass(_ duration: Duration) {
    let end = now + duration
    while let deadline = engine.nextDeadline, deadline <= end {
      now = max(now, deadline)
      handle(.timePassed)
    }
    now = end
  }

  @discardableResult
  private mutating func receive(_ bytes: [UInt8], from address: UInt32) -> [MulticastEngine.Effect] {
    let source = MulticastSource(.ipv4(address), port: MulticastEngine.port, link: Self.link)
    return handle(.received(bytes, from: source, to: .multicast))
  }

  @discardableResult
  private mutating func handle(_ event: MulticastEngine.Event) -> [MulticastEngine.Effect] {
    let effects = engine.handle(event, at: now)
    for effect in effects {
      switch effect {
      case .send: datagramsSent += 1
      case .answer(Self.browse, .added(let record, _)):
        if case .ptr(let instance) = record.data { found.insert(instance) }
      case .answer(Self.browse, .removed(let record, _)):
        if case .ptr(let instance) = record.data { found.remove(instance) }
      case .answer, .cacheExhausted, .settled, .registration, .hostName: break
      }
    }
    if let load = engine.load(of: Self.link) { mostRecords = max(mostRecords, load.records) }
    return effects
  }

  private static func announcement(_ instance: String, host: String) throws -> [UInt8] {
    var message = DNSMessage(isResponse: true)
    let name = try type.adding(label: instance)
    let host = try DNSName("\(host).local")
    message.answers = [DNSRecord(type, .ptr(name), timeToLive: 4500)]
    message.additionals = [
      DNSRecord(name, .srv(DNSService(target: host, port: 1)), timeToLive: 120, cacheFlush: true),
      DNSRecord(name, .txt([0]), timeToLive: 4500, cacheFlush: true),
      DNSRecord(host, .address(.ipv4(0x0A00_0002)), timeToLive: 120, cacheFlush: true),
      DNSRecord(host, .nsec(next: host, types: DNSTypeSet([.a])!), timeToLive: 120, cacheFlush: true),
    ]
    return message.written()
  }
}
