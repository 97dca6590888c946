import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Names that avahi-daemon 0.8 and older cannot read in a question. They drop every query with such a name, but answer with the
/// service's records when they are asked for its type.
@Suite struct LongNamesTests {
  private let type: DNSName = "_x._tcp.local"
  /// 60 bytes, which Avahi escapes as 240 characters; `._x._tcp.local` has 14.
  private let readable = instance("é", 30)
  private let unreadable = instance("é", 30, and: "aa")

  private static func instance(_ character: Character, _ count: Int, and end: String = "") -> DNSName {
    try! DNSName("_x._tcp.local").adding(label: String(repeating: character, count: count) + end)
  }

  private func ask(_ engine: LoneEngine, _ name: DNSName, _ type: DNSType, as id: UInt64) {
    engine.do(.ask(.init(id), name, type))
  }

  private func location(_ name: DNSName) -> DNSRecord {
    DNSRecord(name, .srv(DNSService(target: "peer.local", port: 1)), timeToLive: 120, cacheFlush: true)
  }

  private func pointer(_ name: DNSName) -> DNSRecord { DNSRecord(type, .ptr(name), timeToLive: 4500) }

  @Test func `a question that Avahi cannot read does not share a datagram with others`() {
    let engine = LoneEngine()
    for number in 0..<10 {
      ask(engine, DNSName(literal: "s\(number)._x._tcp.local"), .srv, as: UInt64(number))
      if number == 5 { ask(engine, unreadable, .srv, as: 100) }
      if number == 6 { ask(engine, readable, .srv, as: 101) }
    }
    engine.run(for: .milliseconds(200))
    let questions = engine.sent.map { Set($0.message.questions.map(\.name)) }
    #expect(questions.filter { $0.contains(unreadable) } == [[unreadable]])
    #expect(questions.contains { $0.contains(readable) && $0.count > 1 })
    #expect(Set(questions.joined()).count == 13, "and its type")
  }

  @Test func `a probe that Avahi cannot read does not share a datagram with others`() {
    let engine = LoneEngine(hostName: "me.local")
    for (id, name) in [(1, "a"), (2, unreadable.firstLabel!), (3, "b")] as [(UInt64, String)] {
      engine.do(.publish(.init(id), VirtualHost.service(name)))
    }
    engine.run(for: .milliseconds(300))
    let probes = engine.sent.map { $0.message.questions.map(\.name) }.filter { !$0.isEmpty }
    #expect(probes.filter { $0.contains(unreadable) }.allSatisfy { $0 == [unreadable] })
    #expect(Set(probes.joined()) == ["a._x._tcp.local", "b._x._tcp.local", unreadable])
  }

  @Test func `a service that Avahi does not answer for is asked for through its type`() throws {
    let engine = LoneEngine()
    engine.hear(pointer(unreadable), pointer("other._x._tcp.local"))
    ask(engine, unreadable, .srv, as: 1)
    ask(engine, unreadable, .txt, as: 2)
    engine.run(for: .milliseconds(200))
    #expect(engine.questions(type, .ptr).count == 1)
    // It is not told as known, because it would not be answered then.
    #expect(engine.questions(type, .ptr).first?.message.answers.map(\.data) == [.ptr("other._x._tcp.local")])
    engine.hear(location(unreadable))
    engine.hear(DNSRecord(unreadable, .txt([0]), timeToLive: 4500, cacheFlush: true))
    engine.clear()
    // Those that do answer are not asked through their type when the record is refreshed for the first time.
    engine.run(for: .seconds(100))
    #expect(engine.questions(unreadable, .srv).count == 1 && engine.questions(type, .ptr).isEmpty)
    engine.run(for: .seconds(5))
    #expect(engine.questions(unreadable, .srv).count == 2 && engine.questions(type, .ptr).count == 1)
    engine.hear(location(unreadable))
    engine.clear()
    engine.run(for: .seconds(100))
    #expect(engine.questions(unreadable, .srv).count == 1 && engine.questions(type, .ptr).isEmpty)
  }

  @Test func `a browser asks for the type without the services that Avahi does not answer for`() {
    let engine = LoneEngine()
    engine.hear(pointer(unreadable), pointer("other._x._tcp.local"))
    ask(engine, type, .ptr, as: 1)
    ask(engine, unreadable, .srv, as: 2)
    engine.run(for: .milliseconds(200))
    #expect(engine.questions(type, .ptr).map { $0.message.answers.map(\.data) } == [[.ptr("other._x._tcp.local")]])
  }

  @Test func `a service with a shorter name is not asked for through its type`() {
    let engine = LoneEngine()
    ask(engine, readable, .srv, as: 1)
    ask(engine, readable, .txt, as: 2)
    ask(engine, unreadable, .aaaa, as: 3)
    engine.run(for: .seconds(20))
    #expect(engine.questions(type, .ptr).isEmpty && !engine.questions(readable, .srv).isEmpty)
  }
}
