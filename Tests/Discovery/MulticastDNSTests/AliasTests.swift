import Testing
import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Aliases (CNAME records): followed when addresses are asked for, and given in answers.
@Suite struct AliasTests {
  private func ask(_ engine: LoneEngine, _ name: DNSName, _ type: DNSType = .a, as id: UInt64 = 1) {
    engine.do(.ask(.init(id), name, type))
  }

  private func alias(_ name: DNSName, _ target: DNSName, timeToLive: UInt32 = 120) -> DNSRecord {
    DNSRecord(name, .cname(target), timeToLive: timeToLive, cacheFlush: true)
  }

  private func address(_ name: DNSName, _ number: UInt32 = 9) -> DNSRecord {
    DNSRecord(name, .address(.ipv4(number)), timeToLive: 120, cacheFlush: true)
  }

  @Test func `the addresses of an alias are those of its target`() {
    for comesWithAddress in [false, true] {
      let engine = LoneEngine()
      ask(engine, "a.local")
      engine.run(for: .milliseconds(200))
      engine.clear()
      if comesWithAddress {
        engine.hear(alias("a.local", "b.local"), address("b.local"))
      } else {
        engine.hear(alias("a.local", "b.local"))
        engine.run(for: .milliseconds(200))
        #expect(engine.questions("b.local", .a).count == 1)
        #expect(!engine.effects.contains(.settled(.init(1))))
        engine.hear(address("b.local"))
      }
      #expect(engine.answered(.added(address("b.local"), engine.link)))
      #expect(engine.effects.filter { $0 == .settled(.init(1)) }.count == 1)
      engine.run(for: .seconds(90))
      #expect(engine.sent.count == (comesWithAddress ? 0 : 1))
      // Both are refreshed.
      engine.run(for: .seconds(11))
      #expect(!engine.questions("a.local", .a).isEmpty && !engine.questions("b.local", .a).isEmpty)
      engine.clear()
      engine.run(for: .seconds(30))
      #expect(engine.answered(.removed(address("b.local"), engine.link)))
    }
  }

  @Test func `what is known of an alias is told at once`() {
    let engine = LoneEngine()
    engine.hear(alias("a.local", "b.local"), alias("b.local", "c.local"), address("c.local"))
    ask(engine, "a.local")
    #expect(engine.answered(.added(address("c.local"), engine.link)))
    #expect(engine.effects.last == .settled(.init(1)))
    engine.do(.endAsking(.init(1)))
    engine.run(for: .seconds(200))
    #expect(engine.sent.isEmpty, "nothing is asked for any more")
  }

  @Test func `the addresses go with the alias and change with its target`() {
    let engine = LoneEngine()
    ask(engine, "a.local")
    engine.hear(alias("a.local", "b.local"), address("b.local"), address("c.local", 10))
    engine.run(for: .seconds(5))
    engine.clear()
    engine.hear(alias("a.local", "c.local"))
    #expect(engine.answered(.removed(address("b.local"), engine.link)))
    #expect(engine.answered(.added(address("c.local", 10), engine.link)))
    engine.clear()
    engine.run(for: .seconds(2))
    engine.hear(alias("a.local", "c.local", timeToLive: 0))
    engine.run(for: .seconds(2))
    #expect(engine.answered(.removed(address("c.local", 10), engine.link)))
    engine.clear()
    engine.hear(address("c.local", 11))
    #expect(engine.effects.isEmpty)
  }

  /// After CVE-2026-24401, of Avahi: see also `HostileAliasTests`.
  @Test func `at most four aliases are followed in a row and a loop is not closed`() {
    let engine = LoneEngine()
    for number in 0..<1000 {
      engine.hear(alias(DNSName(literal: "n\(number).local"), DNSName(literal: "n\(number + 1).local")))
    }
    ask(engine, "n0.local")
    ask(engine, "n2.local", as: 2)
    engine.run(for: .milliseconds(200))
    let followed = (0..<1000).filter { !engine.questions(DNSName(literal: "n\($0).local"), .a).isEmpty }
    // Those that are aliases need not be asked for.
    #expect(followed.isEmpty)
    engine.hear(address("n4.local"), address("n5.local"))
    let cases: [(UInt64, DNSName, Bool)] = [(1, "n4.local", true), (1, "n5.local", false), (2, "n4.local", true)]
    for (id, name, isTold) in cases {
      #expect(engine.answered(.added(address(name), engine.link), to: id) == isTold)
    }
    let loop = LoneEngine()
    ask(loop, "a.local")
    for (name, target) in [("a.local", "b.local"), ("b.local", "c.local"), ("c.local", "a.local"), ("d.local", "d.local")] {
      loop.hear(alias(DNSName(literal: name), DNSName(literal: target)))
    }
    ask(loop, "c.local", as: 2)
    ask(loop, "d.local", as: 3)
    loop.hear(address("c.local"))
    #expect(loop.answered(.added(address("c.local"), loop.link)))
    for id in 1...3 as ClosedRange<UInt64> { loop.do(.endAsking(.init(id))) }
    loop.clear()
    loop.run(for: .seconds(200))
    #expect(loop.sent.isEmpty && loop.effects.isEmpty)
  }

  /// Who sends small datagrams must not have us tell thousands of addresses again with each of them.
  @Test func `an alias changes once a second at most`() {
    let engine = LoneEngine()
    for number in 0..<1000 as Range<UInt32> { engine.hear(address("many.local", number)) }
    for number in 0..<100 { engine.hear(alias(DNSName(literal: "t\(number).local"), "many.local")) }
    ask(engine, "a.local")
    engine.clear()
    for number in 0..<100 {
      engine.hear(alias("a.local", DNSName(literal: "t\(number).local")))
      engine.run(for: .milliseconds(5))
    }
    #expect(engine.effects.count < 1500)
    engine.run(for: .seconds(2))
    engine.clear()
    engine.hear(alias("a.local", "few.local"), address("few.local", 1))
    #expect(engine.answered(.added(address("few.local", 1), engine.link)))
    #expect(engine.answered(.removed(address("many.local", 999), engine.link)))
  }

  @Test func `only addresses are looked up at the target`() {
    let engine = LoneEngine()
    ask(engine, "a.local", .txt)
    engine.hear(alias("a.local", "b.local"))
    engine.run(for: .seconds(5))
    #expect(engine.questions("b.local", .txt).isEmpty && !engine.questions("a.local", .txt).isEmpty)
  }

  // §6: a CNAME record answers questions of every type.
  @Test func `an alias of ours answers questions of every type`() {
    let engine = LoneEngine(hostName: "me.local")
    let alias = DNSRecord("www.local", .cname("me.local"), timeToLive: 4500, cacheFlush: true)
    engine.establish([PublishedRecord(alias.name, .data(alias.data), .unique)])
    for type in [DNSType.a, .txt, .cname, .any] {
      engine.hear(question: "www.local", type)
      #expect(engine.responses.first?.message.answers == [alias])
      #expect(engine.responses.first?.message.additionals.contains { $0.data == .address(LoneEngine.address) } == true)
      engine.run(for: .seconds(2))
      engine.clear()
    }
    // And our own questions.
    ask(engine, "www.local")
    let own = DNSRecord("me.local", .address(LoneEngine.address), timeToLive: 120, cacheFlush: true)
    #expect(engine.answered(.added(own, engine.link)))
    engine.do(.withdraw(.init(1)))
    engine.run(for: .seconds(3))
    #expect(engine.effects.contains { if case .answer(_, .removed(let record, _)) = $0 { record.type == .a } else { false } })
  }

  /// Whatever comes and goes, who has asked for long knows what is told to who asks now.
  @Test(arguments: UInt64(0)..<100) func `aliases that change at random leave nobody behind`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let engine = LoneEngine(seed: seed)
    let names = (0..<6).map { DNSName(literal: "n\($0).local") }
    var told: [UInt64: [RecordIdentity: Int]] = [:]
    var asked: [UInt64: DNSName] = [:]
    var next: UInt64 = 1
    func count() {
      for case .answer(let id, let change) in engine.effects {
        switch change {
        case .added(let record, _): told[id.rawValue, default: [:]][RecordIdentity(record), default: 0] += 1
        case .removed(let record, _): told[id.rawValue, default: [:]][RecordIdentity(record), default: 0] -= 1
        case .leaving, .suspect, .confirmed: break
        }
      }
      engine.clear()
    }
    for _ in 0..<60 {
      let (name, other) = (names.randomElement(using: &random)!, names.randomElement(using: &random)!)
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3: engine.hear(alias(name, other, timeToLive: .random(in: 1...60, using: &random)))
      case 4...5: engine.hear(address(name, .random(in: 1...2, using: &random)))
      case 6: engine.hear(alias(name, other, timeToLive: 0))
      case 7:
        asked[next] = name
        ask(engine, name, as: next)
        next += 1
      case 8:
        guard let id = asked.keys.sorted().randomElement(using: &random) else { continue }
        engine.do(.endAsking(.init(id)))
        count()
        asked[id] = nil
      default: engine.run(for: .milliseconds(.random(in: 100...20_000, using: &random)))
      }
      // Until nothing leaves.
      engine.run(for: .milliseconds(2100))
      count()
      for (id, name) in asked {
        ask(engine, name, as: 1000)
        count()
        let (old, new) = (told[id, default: [:]].filter { $0.value != 0 }, told[1000, default: [:]].filter { $0.value != 0 })
        #expect(old == new && old.values.allSatisfy { $0 == 1 }, "\(name)")
        engine.do(.endAsking(.init(1000)))
        told[1000] = nil
        engine.clear()
      }
    }
    for id in asked.keys { engine.do(.endAsking(.init(id))) }
    engine.run(for: .seconds(1))
    engine.clear()
    engine.run(for: .seconds(500))
    #expect(engine.sent.isEmpty && engine.effects.isEmpty)
  }
}
