import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// Aliases (CNAME and DNAME records) with which other responders were brought down. The table is in ATTACKS.md.
@Suite struct HostileAliasTests {
  private func alias(_ name: DNSName, _ target: DNSName, timeToLive: UInt32 = 120, isUnique: Bool = true) -> DNSRecord {
    DNSRecord(name, .cname(target), timeToLive: timeToLive, cacheFlush: isUnique)
  }

  private func address(_ name: DNSName, _ number: UInt32 = 9) -> DNSRecord {
    DNSRecord(name, .address(.ipv4(number)), timeToLive: 120, cacheFlush: true)
  }

  /// The records that a question has been told of and that were not taken back, each with how often it was.
  private func known(_ engine: LoneEngine, to id: UInt64 = 1) -> [RecordIdentity: Int] {
    var known: [RecordIdentity: Int] = [:]
    for case .answer(.init(id), let change) in engine.effects {
      switch change {
      case .added(let record, _): known[RecordIdentity(record), default: 0] += 1
      case .removed(let record, _): known[RecordIdentity(record), default: 0] -= 1
      case .leaving, .suspect, .confirmed: break
      }
    }
    return known.filter { $0.value != 0 }
  }

  /// Nothing is left, and the engine still asks, learns and answers.
  private func expectSound(_ engine: LoneEngine, sourceLocation: SourceLocation = #_sourceLocation) {
    engine.run(for: .seconds(300))
    #expect(engine.engine.links[0].load.records == 0, sourceLocation: sourceLocation)
    engine.clear()
    engine.do(.ask(.init(99), "sound.local", .a))
    engine.run(for: .milliseconds(200))
    #expect(engine.questions("sound.local", .a).count == 1, sourceLocation: sourceLocation)
    engine.hear(address("sound.local"))
    #expect(engine.answered(.added(address("sound.local"), engine.link), to: 99), sourceLocation: sourceLocation)
    engine.hear(question: "me.local", .a)
    engine.run(for: .seconds(1))
    let own = DNSData.address(LoneEngine.address)
    #expect(engine.responses.contains { $0.message.answers.contains { $0.data == own } }, sourceLocation: sourceLocation)
    #expect(!engine.effects.contains { if case .hostName = $0 { true } else { false } }, sourceLocation: sourceLocation)
  }

  /// Avahi followed an alias of itself until its stack was full.
  @Test(arguments: [1, 2, 3, 200], [DNSType.a, .aaaa, .cname, .any, .srv])
  func `rings of aliases end, whatever is asked for (CVE-2026-24401)`(length: Int, type: DNSType) {
    let engine = LoneEngine(hostName: "me.local")
    let ring = (0..<length).map { alias(DNSName(literal: "n\($0).local"), DNSName(literal: "n\(($0 + 1) % length).local")) }
    engine.do(.ask(.init(1), "n0.local", type))
    for record in ring { engine.hear(record) }
    engine.do(.ask(.init(2), "n0.local", type))
    // Those that answer the question: the alias itself, and for addresses the following ones.
    let isAddress = type == .a || type == .aaaa
    let count = type == .srv ? 0 : isAddress ? min(length, 1 + LinkQuestion.maximumAliases) : 1
    for id in [1, 2] as [UInt64] {
      #expect(known(engine, to: id) == Dictionary(uniqueKeysWithValues: ring.prefix(count).map { (RecordIdentity($0), 1) }))
    }
    engine.run(for: .seconds(10))
    for id in [1, 2] { #expect(engine.effects.count { $0 == .settled(.init(UInt64(id))) } == 1) }
    #expect(engine.sent.count <= 10)
    engine.run(for: .seconds(200))
    for id in [1, 2] as [UInt64] {
      #expect(known(engine, to: id).isEmpty)
      engine.do(.endAsking(.init(id)))
    }
    expectSound(engine)
  }

  @Test(arguments: [0, 1] as [UInt32])
  func `an alias that is gone as soon as it is there harms nothing (CVE-2025-68468)`(timeToLive: UInt32) {
    let engine = LoneEngine(hostName: "me.local")
    engine.do(.ask(.init(1), "a.local", .a))
    engine.hear(address("b.local"))
    for _ in 0..<100 {
      engine.hear(alias("a.local", "b.local", timeToLive: timeToLive))
      #expect(known(engine).keys.contains(RecordIdentity(address("b.local"))) == (timeToLive > 0))
      engine.run(for: .milliseconds(1100))
      #expect(known(engine).isEmpty)
      engine.hear(address("b.local"))
    }
    // The real address of the name is told at once.
    engine.hear(address("a.local", 10))
    #expect(known(engine) == [RecordIdentity(address("a.local", 10)): 1])
    engine.do(.endAsking(.init(1)))
    expectSound(engine)
  }

  /// What ended Avahi: an address that is looked for, and announcements of two aliases of the name that nobody asked for.
  @Test(arguments: [true, false], [DNSType.a, .aaaa, .any])
  func `two unasked aliases two seconds apart are followed one after the other (CVE-2025-68471)`(isUnique: Bool, type: DNSType)
  {
    let engine = LoneEngine(hostName: "me.local")
    engine.do(.ask(.init(1), "a.local", type))
    // Nobody answers.
    engine.run(for: .seconds(10))
    engine.hear(alias("a.local", "b.local", isUnique: isUnique))
    engine.run(for: .seconds(2))
    engine.hear(alias("a.local", "c.local", isUnique: isUnique))
    engine.run(for: .seconds(2))
    let data = type == .aaaa ? IPAddress.ipv6(high: 0xFE80 << 48, low: 1) : .ipv4(9)
    for name in ["b.local", "c.local"] as [DNSName] {
      engine.hear(DNSRecord(name, .address(data), timeToLive: 120, cacheFlush: true))
    }
    let told = known(engine)
    #expect(told.values.allSatisfy { $0 == 1 })
    #expect(told.keys.contains(RecordIdentity("c.local", .address(data))) == (type != .any), "the newer alias")
    #expect(!told.keys.contains(RecordIdentity("b.local", .address(data))))
    // One that is not unique does not replace the other.
    #expect(told.keys.contains(RecordIdentity(alias("a.local", "b.local"))) == !isUnique)
    engine.do(.endAsking(.init(1)))
    expectSound(engine)
  }

  /// avahi/avahi#683: two rows of aliases lead to one address, and all of them expire at once.
  @Test func `two rows of aliases to one address expire together (avahi/avahi#683)`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.do(.ask(.init(1), "i.local", .a))
    engine.hear(
      alias("i.local", "i1.local", timeToLive: 10, isUnique: false),
      alias("i.local", "i2.local", timeToLive: 10, isUnique: false),
      alias("i1.local", "i3.local", timeToLive: 10), alias("i2.local", "i3.local", timeToLive: 10),
      DNSRecord("i3.local", .address(.ipv4(9)), timeToLive: 10, cacheFlush: true))
    engine.run(for: .seconds(2))
    #expect(known(engine)[RecordIdentity(address("i3.local"))] == 1)
    engine.run(for: .seconds(20))
    #expect(known(engine).isEmpty)
    engine.do(.endAsking(.init(1)))
    expectSound(engine)
  }

  /// A name of the protocol, all of `local`, and our own name: nobody's alias, and nothing below is led elsewhere.
  @Test(arguments: ["_services._dns-sd._udp.local", "_x._tcp.local", "local", "me.local"] as [DNSName])
  func `an alias of a whole domain, of all types or of our own name leads nobody away (avahi/avahi#684)`(name: DNSName) throws {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    let below = try name.adding(label: "x")
    engine.do(.ask(.init(1), name, .ptr))
    engine.do(.ask(.init(2), below, .a))
    engine.do(.ask(.init(3), below, .ptr))
    let own = known(engine, to: 1)
    engine.run(for: .seconds(2))
    engine.clear()
    for target in [name, "evil.local"] {
      engine.hear(alias(name, target))
      // DNAME: all names below have moved. systemd/systemd#30392 followed one to itself.
      engine.hear(DNSRecord(name, .other(DNSType(rawValue: 39), target.wire), timeToLive: 120, cacheFlush: true))
    }
    engine.hear(address("evil.local"), DNSRecord("evil.local", .ptr("evil.local"), timeToLive: 120))
    engine.run(for: .seconds(10))
    for id in [1, 2, 3] as [UInt64] { #expect(known(engine, to: id).isEmpty) }
    #expect(engine.sent.allSatisfy { $0.message.questions.allSatisfy { $0.name != "evil.local" } })
    // What is really there is found.
    let real = DNSRecord(name, .ptr("real._x._tcp.local"), timeToLive: 4500)
    engine.hear(real)
    #expect(engine.answered(.added(real, engine.link)))
    #expect(own.isEmpty == (name == "local" || name == "me.local"), "our own service was found")
    for id in [1, 2, 3] as [UInt64] { engine.do(.endAsking(.init(id))) }
    engine.hear(DNSRecord(name, real.data, timeToLive: 0))
    expectSound(engine)
  }
}
