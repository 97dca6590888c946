import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What is told of an established name: defence, changes and goodbyes.
extension ProbingTests {
  @Test func `names are defended`() {
    let engine = LoneEngine()
    engine.establish(mine)
    let proposed = [theirs(.txt([1, 0x7A]))]
    engine.hear(question: instance, .any, proposing: proposed)
    #expect(engine.responses.count == 1 && engine.responses[0].message.answers.count == 2)
    let first = engine.now
    engine.run(for: .milliseconds(100))
    engine.hear(question: instance, .any, proposing: proposed, from: 3)
    engine.run(for: .seconds(1))
    #expect(engine.responses.map { $0.time - first } == [.zero, .milliseconds(250)])
    // §5.4: alone to the asker, if it wants that, and to all if they have not heard it for long.
    engine.clear()
    engine.hear(question: instance, .any, unicast: true, proposing: proposed)
    let asker = MulticastSource(.ipv4(0x0A00_0002), port: 5353, link: engine.link)
    #expect(engine.responses.map(\.destination) == [.unicast(asker)])
    engine.run(for: .seconds(40))
    engine.clear()
    engine.hear(question: instance, .any, unicast: true, proposing: proposed)
    #expect(engine.responses.map(\.destination) == [.unicast(asker), .multicast])
  }

  // §8.4
  @Test func `a change is announced without probing`() {
    let engine = LoneEngine()
    engine.establish(mine)
    let changed = PublishedRecord(instance, .data(.txt([1, 0x7A])), .unique)
    engine.do(.update(.init(1), [changed] + mine.dropFirst()))
    #expect(engine.sent.count == 1)
    #expect(engine.sent[0].message.answers == [theirs(.txt([1, 0x7A]), timeToLive: 4500)])
    // What was sent before the change may still come back.
    engine.hear(theirs(.txt([1, 0x62])))
    engine.run(for: .seconds(10))
    #expect(engine.sent.count == 3 && engine.sent.allSatisfy { $0.message.isResponse })
    #expect(engine.effects.isEmpty)
    engine.clear()
    engine.hear(question: instance, .txt)
    #expect(engine.responses.first?.message.answers == [theirs(.txt([1, 0x7A]), timeToLive: 4500)])
  }

  // §8.4: a shared record that is no more is said goodbye to; one that is new is announced.
  @Test func `a shared record is taken back`() {
    let engine = LoneEngine()
    engine.establish(mine)
    let subtype = PublishedRecord("_s._sub._x._tcp.local", .data(.ptr(instance)), .shared)
    engine.do(.update(.init(1), mine + [subtype]))
    #expect(engine.responses.flatMap(\.message.answers).map(\.name) == ["_s._sub._x._tcp.local"])
    engine.run(for: .seconds(10))
    engine.clear()
    engine.do(.update(.init(1), mine))
    engine.run(for: .milliseconds(10))
    #expect(engine.responses.flatMap(\.message.answers) == [DNSRecord(subtype.name, .ptr(instance), timeToLive: 0)])
  }

  // §10.2: a set is shared or unique. What is given twice is published once, and taken back once.
  @Test func `a record that is given as a shared and as a unique one is published once`() {
    let engine = LoneEngine()
    func record(_ letter: UInt8, _ ownership: PublishedRecord.Ownership) -> PublishedRecord {
      PublishedRecord("x.local", .data(.txt([1, letter])), ownership)
    }
    engine.establish([record(0x44, .shared), record(0x45, .unique)])
    engine.do(.update(.init(1), [record(0x45, .shared), record(0x45, .unique)]))
    engine.run(for: .seconds(10))
    engine.clear()
    engine.hear(question: "x.local", .txt)
    engine.run(for: .seconds(2))
    #expect(engine.responses.flatMap(\.message.answers).map(\.data) == [.txt([1, 0x45])])
    engine.do(.withdraw(.init(1)))
    engine.run(for: .seconds(10))
    engine.clear()
    engine.hear(question: "x.local", .txt)
    engine.run(for: .seconds(2))
    #expect(engine.responses.isEmpty)
  }

  @Test func `a new unique name is probed for`() {
    let engine = LoneEngine()
    engine.establish(mine)
    engine.do(.update(.init(1), mine + [PublishedRecord("new.local", .data(.txt([0])), .unique)]))
    engine.run(for: .seconds(2))
    #expect(engine.questions("new.local", .any).count == 3)
    #expect(engine.effects == [.registration(.init(1), .established)])
  }

  // §10.1
  @Test func `goodbyes of shared records are said three times`() throws {
    let engine = LoneEngine(hostName: "me.local")
    publish(engine, VirtualHost.service("s"), as: 1)
    engine.run(for: .seconds(10))
    engine.clear()
    engine.do(.withdraw(.init(1)))
    engine.run(for: .seconds(100))
    let goodbyes = engine.sent.map { $0.message.answers.filter { $0.timeToLive == 0 } }
    #expect(goodbyes.map(\.count) == [4, 2, 2])
    #expect(goodbyes.dropFirst().allSatisfy { $0.allSatisfy { !$0.cacheFlush } })
    let times = engine.sent.map(\.time)
    #expect(times[1] - times[0] == .seconds(1) && times[2] - times[1] == .seconds(2))
    #expect(engine.engine.nextDeadline == nil)
  }

  @Test func `what is told again is not said goodbye to again`() {
    let engine = LoneEngine(hostName: "me.local")
    publish(engine, VirtualHost.service("s"), as: 1)
    engine.run(for: .seconds(10))
    engine.do(.withdraw(.init(1)))
    engine.run(for: .milliseconds(10))
    publish(engine, VirtualHost.service("s"), as: 2)
    engine.run(for: .milliseconds(995))
    engine.clear()
    engine.run(for: .seconds(10))
    #expect(engine.sent.contains { !$0.message.answers.isEmpty })
    #expect(engine.sent.allSatisfy { $0.message.answers.allSatisfy { $0.timeToLive > 0 } })
  }

  @Test func `goodbyes are packed`() {
    let engine = LoneEngine(hostName: "me.local")
    for number in 0..<100 { publish(engine, VirtualHost.service("s\(number)"), as: UInt64(number)) }
    engine.run(for: .seconds(10))
    engine.clear()
    for number in 0..<100 { engine.do(.withdraw(.init(UInt64(number)))) }
    engine.run(for: .milliseconds(10))
    let records = engine.sent.flatMap(\.message.answers)
    #expect(records.count == 301 && records.allSatisfy { $0.timeToLive == 0 })
    #expect(engine.sent.count < 10)
    engine.clear()
    engine.do(.shutDown)
    #expect(engine.sent.flatMap(\.message.answers).map(\.name) == ["me.local", "1.0.0.10.in-addr.arpa"])
    engine.run(for: .seconds(100))
    #expect(engine.sent.count == 1 && engine.engine.nextDeadline == nil)
  }

  @Test func `what was not told yet is not said goodbye to`() {
    let engine = LoneEngine()
    publish(engine, mine)
    engine.run(for: .milliseconds(300))
    engine.clear()
    engine.do(.withdraw(.init(1)))
    engine.run(for: .seconds(10))
    #expect(engine.sent.isEmpty)
  }

  // §9
}
