import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Answers by unicast: to legacy resolvers (RFC 6762 §6.7), and how many there are.
@Suite struct LegacyAnswersTests {
  private let type: DNSName = "_x._tcp.local"
  private let instance: DNSName = "mine._x._tcp.local"

  private func engine(seed: UInt64 = 1) -> LoneEngine {
    let engine = LoneEngine(seed: seed, hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    return engine
  }

  private func query(_ questions: DNSQuestion...) -> DNSMessage {
    var message = DNSMessage(isResponse: false)
    message.id = 4711
    message.questions = questions
    return message
  }

  // §6.7
  @Test func `a question that a legacy resolver repeats is repeated once`() {
    let engine = engine()
    let question = DNSQuestion(instance, .srv)
    engine.hear(query(question, DNSQuestion("MINE._x._tcp.local", .srv), question, DNSQuestion(instance, .txt)), port: 4000)
    engine.run(for: .seconds(1))
    #expect(engine.sent.map(\.message.questions) == [[question, DNSQuestion(instance, .txt)]])
    #expect(engine.sent.first?.message.answers.count == 2)
  }

  // §6.7: as a server would, and §5.4: the top bit is not a part of the class.
  @Test func `the class of a legacy resolver's question is repeated`() {
    let engine = engine()
    engine.hear(query(DNSQuestion(instance, .srv, wantsUnicast: true, isOfAnyClass: true)), port: 4000)
    #expect(engine.sent.map(\.message.questions) == [[DNSQuestion(instance, .srv, isOfAnyClass: true)]])
    #expect(engine.sent.first?.message.answers.count == 1)
    engine.clear()
    engine.hear(query(DNSQuestion(instance, .srv, wantsUnicast: true)), port: 4000)
    #expect(engine.sent.map(\.message.questions) == [[DNSQuestion(instance, .srv)]])
  }

  // §6
  @Test func `a legacy resolver is told shared records after a while and unique ones at once`() {
    for seed in UInt64(0)..<50 {
      for (questions, isDelayed) in [
        ([DNSQuestion(type, .ptr)], true), ([DNSQuestion(instance, .srv)], false), ([DNSQuestion("me.local", .aaaa)], false),
        ([DNSQuestion(instance, .srv), DNSQuestion("other.local", .a)], true),
      ] {
        let engine = engine(seed: seed)
        let start = engine.now
        var message = query()
        message.questions = questions
        engine.hear(message, port: 4000)
        #expect(engine.sent.isEmpty == isDelayed)
        engine.run(for: .seconds(1))
        #expect(engine.sent.count == 1 && engine.sent[0].message.id == 4711)
        #expect(engine.sent.allSatisfy { $0.message.questions == questions })
        let delays: ClosedRange<Duration> = isDelayed ? .milliseconds(20) ... .milliseconds(120) : .zero ... .zero
        #expect(engine.sent.allSatisfy { delays.contains($0.time - start) }, "seed \(seed)")
      }
    }
  }

  @Test func `what is withdrawn meanwhile is not told to a legacy resolver`() {
    let engine = engine()
    engine.hear(query(DNSQuestion(type, .ptr)), port: 4000)
    engine.do(.withdraw(.init(1)))
    engine.run(for: .seconds(1))
    #expect(engine.sent.allSatisfy { $0.destination == .multicast })
  }

  @Test func `a legacy resolver that asks many questions is not answered`() {
    let engine = engine()
    var message = query(DNSQuestion(instance, .srv))
    message.questions += (0..<15).map { DNSQuestion(DNSName(literal: "\($0).local"), .a) }
    engine.hear(message, port: 4000)
    engine.run(for: .seconds(1))
    #expect(engine.sent.count == 1)
    message.questions.append(DNSQuestion("one.more.local", .a))
    #expect(message.questions.count == 17)
    engine.hear(message, port: 4000)
    engine.run(for: .seconds(1))
    #expect(engine.sent.count == 1)
  }

  // Who forges an address must not have many responders flood its owner.
  @Test func `a host is sent 16 KiB a second by unicast to whatever port`() {
    let engine = engine()
    for round in 0..<2000 {
      engine.hear(query(DNSQuestion(instance, .any)), port: UInt16(4000 + round % 100))
      if round % 10 == 0 { engine.hear(query(DNSQuestion(type, .ptr)), port: 4000) }
      if round % 200 == 0 { engine.hear(query(DNSQuestion(instance, .srv)), from: 3, port: 4000) }
      engine.run(for: .milliseconds(5))
    }
    let toOther = MulticastEngine.Destination.unicast(MulticastSource(.ipv4(0x0A00_0003), port: 4000, link: engine.link))
    #expect(engine.sent.filter { $0.destination == toOther }.count == 10, "another host is answered as ever")
    let bytes = engine.sent.filter { $0.destination != toOther }.reduce(0) { $0 + $1.bytes.count }
    #expect((160 << 10...200 << 10).contains(bytes))
    engine.run(for: .seconds(5))
    engine.clear()
    engine.hear(query(DNSQuestion(instance, .srv)), port: 4000)
    #expect(engine.sent.count == 1)
  }

  /// The shortest question for a service gets its records, those of its host and a denial: several times its size. So what counts is
  /// how much a stranger gets for a second of questions.
  /// After CVE-2017-6519: Avahi answered questions from anywhere, and so flooded whom their sender named.
  @Test func `a flood of forged questions is answered with less than it has`() throws {
    let engine = engine()
    let question = query(DNSQuestion(type, .ptr))
    engine.hear(question, port: 4000)
    engine.run(for: .seconds(1))
    let once = Double(try #require(engine.sent.first).bytes.count) / Double(question.written().count)
    engine.run(for: .seconds(10))
    engine.clear()
    // A thousand a second, each a datagram with the most questions that are answered.
    var flood = question
    for _ in 1..<16 { flood.questions.append(DNSQuestion(type, .ptr)) }
    var (asked, repeated) = (0, 0)
    for round in 0..<10_000 {
      let message = round % 2 == 0 ? question : flood
      asked += message.written().count
      if round % 2 == 1 { repeated += message.questions.count }
      engine.hear(message, port: UInt16(4000 + round % 1000))
      engine.run(for: .milliseconds(1))
    }
    let answered = engine.sent.reduce(0) { $0 + $1.bytes.count }
    #expect(once < 12, "one answer has \(once) times the bytes of its question")
    #expect(answered < asked / 2, "\(answered) of \(asked) bytes")
    // Questions that are repeated in a datagram are answered once.
    #expect(engine.sent.allSatisfy { $0.message.questions.count == 1 && $0.message.answers.count == 1 })
    Attachment.record(
      "one answer: \(once) ×; a flood of \(asked / 10) bytes a second: \(Double(answered) / Double(asked)) ×",
      named: "factor.txt")
  }

  // §5.4
  @Test func `beyond that a question for unicast is answered by multicast`() {
    let engine = engine()
    for _ in 0..<1000 { engine.hear(question: instance, .srv, unicast: true) }
    let unicast = engine.responses.filter { $0.destination != .multicast }
    #expect((16 << 10...33 << 10).contains(unicast.reduce(0) { $0 + $1.bytes.count }))
    #expect(engine.responses.filter { $0.destination == .multicast }.count == 1)
    engine.clear()
    // A probe too.
    engine.run(for: .seconds(1))
    let theirs = DNSRecord(instance, .txt([1, 1]), timeToLive: 1)
    for _ in 0..<1000 { engine.hear(question: instance, .any, unicast: true, proposing: [theirs]) }
    #expect(engine.responses.contains { $0.destination == .multicast })
    #expect(engine.responses.count < 200)
  }

  @Test func `so many hosts are answered by unicast at a time and the others by multicast`() {
    let engine = LoneEngine(addresses: [InterfaceAddress(LoneEngine.address, prefixLength: 8)], hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    for host in 2..<2000 as Range<UInt32> { engine.hear(question: instance, .srv, unicast: true, from: host) }
    #expect(engine.responses.filter { $0.destination != .multicast }.count == 64)
    #expect(engine.responses.filter { $0.destination == .multicast }.count == 1)
    engine.run(for: .seconds(1))
    engine.clear()
    for host in 2..<10 as Range<UInt32> { engine.hear(question: instance, .srv, unicast: true, from: host) }
    #expect(engine.responses.filter { $0.destination != .multicast }.count == 8)
  }
}
