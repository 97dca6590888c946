import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Probing, announcing, conflicts and goodbyes, clause by clause of RFC 6762.
@Suite struct ProbingTests {
  let instance: DNSName = "mine._x._tcp.local"
  let mine: [PublishedRecord] = [
    PublishedRecord("mine._x._tcp.local", .data(.txt([1, 0x62])), .unique),
    PublishedRecord("mine._x._tcp.local", .data(.srv(DNSService(target: "me.local", port: 5))), .unique),
    PublishedRecord("_x._tcp.local", .data(.ptr("mine._x._tcp.local")), .shared),
  ]

  func theirs(_ data: DNSData, timeToLive: UInt32 = 120) -> DNSRecord {
    DNSRecord(instance, data, timeToLive: timeToLive, cacheFlush: true)
  }

  func publish(_ engine: LoneEngine, _ records: [PublishedRecord], as id: UInt64 = 1) {
    engine.do(.publish(.init(id), records))
  }

  // §8.1, §8.3
  @Test func `three probes then three announcements`() {
    for seed in UInt64(0)..<50 {
      let engine = LoneEngine(seed: seed)
      let start = engine.now
      publish(engine, mine)
      engine.run(for: .seconds(3600))
      let probes = engine.questions(instance, .any)
      #expect((.zero ... .milliseconds(250)).contains(probes[0].time - start), "seed \(seed)")
      #expect(probes.map { $0.time - probes[0].time } == [.zero, .milliseconds(250), .milliseconds(500)])
      // §8.2: with all that is proposed, and no cache-flush bit.
      #expect(probes.allSatisfy { $0.message.authorities.count == 2 && $0.message.authorities.allSatisfy { !$0.cacheFlush } })
      let announcements = engine.responses
      #expect(announcements.map { $0.time - probes[0].time } == [.milliseconds(750), .milliseconds(1750), .milliseconds(3750)])
      for announcement in announcements {
        #expect(announcement.message.answers.map(\.cacheFlush) == [true, true, false])
        // §10
        #expect(announcement.message.answers.map(\.timeToLive) == [4500, 120, 4500])
      }
      #expect(engine.sent.count == 6)
      #expect(engine.effects == [.registration(.init(1), .established)])
    }
  }

  // §8.1: a record of a name that is new to the publication.
  @Test func `a publication that gains a name is established when that name was probed`() {
    let engine = LoneEngine()
    publish(engine, mine)
    engine.run(for: .seconds(10))
    engine.clear()
    let start = engine.now
    let added = PublishedRecord("other._x._tcp.local", .data(.txt([1, 0x62])), .unique)
    engine.do(.update(.init(1), mine + [added]))
    #expect(engine.effects.isEmpty)
    engine.run(for: .milliseconds(500))
    #expect(engine.effects.isEmpty)
    engine.run(for: .seconds(10))
    #expect(engine.effects == [.registration(.init(1), .established)])
    let probes = engine.questions("other._x._tcp.local", .any).map { $0.time - start }
    #expect(probes.count == 3)
  }

  // §8.1
  @Test func `a taken name is given up`() {
    for count in 1...3 {
      let engine = LoneEngine()
      publish(engine, mine)
      while engine.sent.count < count { engine.run(for: .milliseconds(10)) }
      // §8.1: a record of any type.
      engine.hear(theirs(.hinfo(cpu: [1], system: [2])))
      #expect(engine.effects == [.registration(.init(1), .conflict(instance))])
      engine.clear()
      engine.run(for: .seconds(10))
      #expect(engine.sent.isEmpty)
    }
  }

  // §8.1: stale answers, the same data, goodbyes, and denials are no conflict.
  @Test func `what is no conflict`() {
    let engine = LoneEngine()
    publish(engine, mine)
    engine.hear(theirs(.txt([1, 0x63])))
    while engine.sent.isEmpty { engine.run(for: .milliseconds(10)) }
    engine.hear(theirs(.txt([1, 0x62])))
    engine.hear(theirs(.txt([1, 0x63]), timeToLive: 0))
    engine.hear(theirs(.nsec(next: instance, types: DNSTypeSet([.txt])!)))
    engine.run(for: .seconds(1))
    #expect(engine.effects == [.registration(.init(1), .established)])
  }

  // §8.2: who has the earlier data waits a second and probes anew.
  @Test func `the later data win`() {
    let engine = LoneEngine()
    publish(engine, mine)
    while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
    engine.hear(question: instance, .any, proposing: [theirs(.txt([1, 0x61]))])
    engine.run(for: .milliseconds(251))
    #expect(engine.questions(instance, .any).count == 2)
    engine.clear()
    let deferral = engine.now
    engine.hear(question: instance, .any, proposing: [theirs(.txt([1, 0x63]))])
    engine.run(for: .seconds(3))
    #expect(engine.questions(instance, .any).map { $0.time - deferral } == [1000, 1250, 1500].map { .milliseconds($0) })
    #expect(engine.effects == [.registration(.init(1), .established)])
  }

  // §8.2, the example: 200 is later than 99, for bytes have no sign.
  @Test func `bytes are compared without sign`() {
    for (ours, theirs, defers) in [(200, 99, false), (99, 200, true), (99, 99, false)] as [(UInt32, UInt32, Bool)] {
      let engine = LoneEngine()
      let name: DNSName = "myprinter.local"
      publish(engine, [PublishedRecord(name, .data(.address(.ipv4(0xA9FE_0032 | ours << 8))), .unique)])
      while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
      engine.hear(
        question: name, .any, proposing: [DNSRecord(name, .address(.ipv4(0xA9FE_0032 | theirs << 8)), timeToLive: 120)])
      engine.run(for: .milliseconds(800))
      #expect(engine.responses.isEmpty == defers, "\(ours) \(theirs)")
    }
  }

  // §8.2.1: in order of type, and who has more wins.
  @Test func `sets are compared in order`() {
    let service = theirs(.srv(DNSService(target: "me.local", port: 5)))
    let text = theirs(.txt([1, 0x62]))
    let address = theirs(.address(.ipv4(1)))
    let more = theirs(.other(DNSType(rawValue: 99), []))
    for (proposed, defers) in [
      ([service, text], false), ([text, service], false), ([text], false), ([service], true), ([service, text, more], true),
      ([address, more], false),
    ] {
      let engine = LoneEngine()
      publish(engine, mine)
      while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
      engine.hear(question: instance, .any, proposing: proposed)
      engine.run(for: .milliseconds(800))
      #expect(engine.responses.isEmpty == defers, "\(proposed)")
    }
  }

  // §8.1: fifteen conflicts in ten seconds.
  @Test func `endless conflicts slow probing down`() throws {
    let engine = LoneEngine(hostName: "me.local")
    for number in 101...115 as ClosedRange<UInt64> {
      engine.do(.publish(.init(number), VirtualHost.service("mine \(number)")))
      engine.run(for: .milliseconds(300))
      let name = try #require(engine.sent.last?.message.questions.first?.name)
      engine.hear(DNSRecord(name, .txt([1, 0x63]), timeToLive: 120, cacheFlush: true))
    }
    #expect(engine.effects.count == 15)
    engine.clear()
    engine.do(.publish(.init(116), VirtualHost.service("mine 116")))
    engine.run(for: .milliseconds(4990))
    #expect(engine.sent.isEmpty)
    engine.run(for: .milliseconds(300))
    #expect(engine.sent.count == 1)
  }

  // §8.1: «each successive» attempt. The wait makes conflicts rarer than fifteen in ten seconds, but does not end itself.
  @Test func `probing stays slow until a minute passes without a conflict`() throws {
    let engine = LoneEngine(hostName: "me.local")
    var number: UInt64 = 100
    func probedName() -> DNSName? {
      engine.clear()
      number += 1
      engine.do(.publish(.init(number), VirtualHost.service("mine \(number)")))
      let start = engine.now
      while engine.sent.isEmpty, engine.now - start < .seconds(20) { engine.run(for: .milliseconds(10)) }
      return engine.sent.first?.message.questions.first?.name
    }
    func refuse(_ name: DNSName) {
      engine.hear(DNSRecord(name, .txt([1, 0x63]), timeToLive: 120, cacheFlush: true))
    }
    for _ in 1...15 { if let name = probedName() { refuse(name) } }
    for attempt in 16...22 {
      let start = engine.now
      let name = try #require(probedName())
      #expect(engine.now - start >= .seconds(5), "attempt \(attempt)")
      refuse(name)
    }
    engine.run(for: .seconds(70))
    let start = engine.now
    publish(engine, mine)
    while engine.questions(instance, .any).isEmpty, engine.now - start < .seconds(20) { engine.run(for: .milliseconds(10)) }
    #expect(engine.now - start <= .milliseconds(260))
  }

  // §9
  @Test func `a name that another host uses is probed for again`() {
    let engine = LoneEngine()
    engine.establish(mine)
    engine.hear(theirs(.txt([1, 0x63])))
    engine.run(for: .milliseconds(300))
    #expect(!engine.questions(instance, .any).isEmpty)
    // Until that is settled the name is nobody's.
    engine.hear(question: instance, .txt)
    #expect(engine.responses.isEmpty)
    engine.hear(theirs(.txt([1, 0x63])))
    #expect(engine.effects == [.registration(.init(1), .conflict(instance))])
  }

  // §9: who is not answered keeps the name.
  @Test func `a name that is not defended is kept`() {
    let engine = LoneEngine()
    engine.establish(mine)
    engine.hear(theirs(.txt([1, 0x63])))
    engine.run(for: .seconds(5))
    #expect(engine.effects.isEmpty && engine.responses.count == 3)
  }

  // §9: a record of another type than ours is none.
  @Test func `other types of an established name are no conflict`() {
    let engine = LoneEngine()
    engine.establish(mine)
    engine.hear(theirs(.hinfo(cpu: [], system: [])))
    engine.hear(DNSRecord("_x._tcp.local", .ptr("other._x._tcp.local"), timeToLive: 4500))
    engine.run(for: .seconds(5))
    #expect(engine.sent.isEmpty && engine.effects.isEmpty)
  }

  // §6, §8.1: a probe is answered at once, after 250 ms at the least.
  @Test func `the host takes the next name and its services follow`() {
    let engine = LoneEngine()
    engine.do(.setHostName("me.local"))
    publish(engine, VirtualHost.service("mine"))
    engine.run(for: .milliseconds(300))
    engine.hear(DNSRecord("ME.local", .address(.ipv4(99)), timeToLive: 120, cacheFlush: true))
    engine.run(for: .seconds(3))
    #expect(
      engine.effects == [
        .hostName(.renamed(from: "me.local", to: "me-2.local")), .hostName(.established("me-2.local")),
        .registration(.init(1), .established),
      ])
    engine.clear()
    // And after it had been established.
    engine.hear(DNSRecord("me-2.local", .address(.ipv4(99)), timeToLive: 120, cacheFlush: true))
    engine.run(for: .milliseconds(400))
    engine.hear(DNSRecord("me-2.local", .address(.ipv4(99)), timeToLive: 120, cacheFlush: true))
    engine.run(for: .seconds(3))
    let services = engine.responses.flatMap(\.message.answers).filter { $0.type == .srv }
    #expect(Set(services.map(\.data)) == [.srv(DNSService(target: "me-3.local", port: 1))])
    #expect(!engine.effects.contains(.registration(.init(1), .conflict(instance))))
  }

  @Test func `a long host name is cut for its number`() {
    let engine = LoneEngine()
    let label = String(repeating: "a", count: 60) + "\u{E9}"
    engine.do(.setHostName(DNSName(literal: "\(label).local")))
    engine.run(for: .milliseconds(300))
    engine.hear(DNSRecord(DNSName(literal: "\(label).local"), .address(.ipv4(9)), timeToLive: 120))
    let next = DNSName(literal: String(repeating: "a", count: 60) + "-2.local")
    #expect(engine.effects == [.hostName(.renamed(from: DNSName(literal: "\(label).local"), to: next))])
  }

  // §14, §15: this host's other addresses and processes have its name by right.
  @Test func `our own host is no rival`() {
    let engine = LoneEngine()
    let elsewhere = IPAddress.ipv4(0xC0A8_0001)
    engine.do(
      .linkUp(MulticastLink(interface: 2, family: .ipv4), addresses: [InterfaceAddress(elsewhere, prefixLength: 24)]))
    engine.do(.setHostName("me.local"))
    engine.run(for: .milliseconds(300))
    engine.hear(DNSRecord("me.local", .address(elsewhere), timeToLive: 120, cacheFlush: true))
    var message = DNSMessage(isResponse: true)
    message.answers = [DNSRecord("me.local", .hinfo(cpu: [], system: []), timeToLive: 120, cacheFlush: true)]
    engine.hear(message, address: LoneEngine.address)
    engine.run(for: .seconds(3))
    #expect(engine.effects == [.hostName(.established("me.local"))])
  }

  // §8.4
  @Test func `new addresses are announced`() {
    let engine = LoneEngine(hostName: "me.local")
    let second = InterfaceAddress(.ipv4(0x0A00_0063), prefixLength: 24)
    engine.do(.linkChanged(engine.link, addresses: [InterfaceAddress(LoneEngine.address, prefixLength: 24), second]))
    #expect(
      Set(engine.responses.flatMap(\.message.answers).map(\.data)) == [.address(LoneEngine.address), .address(second.address)])
    engine.run(for: .seconds(10))
    engine.clear()
    engine.do(.linkChanged(engine.link, addresses: []))
    engine.run(for: .milliseconds(10))
    #expect(engine.responses.flatMap(\.message.answers).map(\.timeToLive) == [0, 0, 0, 0])
  }

  // §8
  @Test func `a new link is probed and announced on`() {
    let engine = LoneEngine()
    engine.establish(mine)
    let other = MulticastLink(interface: 2, family: .ipv6)
    engine.do(.linkUp(other, addresses: []))
    engine.run(for: .seconds(10))
    #expect(engine.sent.allSatisfy { $0.link == other } && engine.sent.count == 6)
    #expect(engine.effects.isEmpty)
  }

  @Test func `one name is published once here`() {
    let engine = LoneEngine()
    publish(engine, mine)
    engine.do(.publish(.init(2), mine))
    #expect(engine.effects == [.registration(.init(2), .conflict(instance))])
    engine.clear()
    engine.do(.withdraw(.init(1)))
    engine.do(.setScope(.init(1), [engine.link]))
    engine.do(.setScope(.init(2), [MulticastLink(interface: 2, family: .ipv4)]))
    engine.do(.publish(.init(3), mine, in: .init(1)))
    engine.do(.publish(.init(4), mine, in: .init(2)))
    #expect(engine.effects == [.registration(.init(4), .established)])
    engine.run(for: .seconds(2))
    #expect(engine.effects.last == .registration(.init(3), .established))
  }
}
