import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Passive observation of failures: what other hosts ask for in vain is not there any more (RFC 6762 §10.5).
@Suite struct PassiveObservationTests {
  private let type: DNSName = "_x._tcp.local"
  private let pointer = DNSRecord("_x._tcp.local", .ptr("a._x._tcp.local"), timeToLive: 4500)

  /// An engine that has known the pointer of host 2 for a minute.
  private func engine(isAsked: Bool = true) -> LoneEngine {
    let engine = LoneEngine()
    engine.hear(pointer)
    if isAsked { engine.do(.ask(.init(1), type, .ptr)) }
    engine.run(for: .seconds(64))
    engine.clear()
    return engine
  }

  @Test func `a record that another host asks for twice in vain is suspect and goes after ten seconds`() {
    let engine = engine()
    engine.hear(question: type, .ptr, from: 3)
    engine.run(for: .seconds(1))
    engine.hear(question: type, .ptr, from: 3)
    // First it is asked for here too.
    engine.run(for: .seconds(1))
    #expect(engine.questions(type, .ptr).map(\.message.answers) == [[]])
    #expect(engine.effects.isEmpty)
    engine.run(for: .seconds(1))
    #expect(engine.effects == [.answer(.init(1), .suspect(pointer, engine.link))])
    engine.run(for: .seconds(6.9))
    #expect(!engine.answered(.removed(pointer, engine.link)))
    engine.run(for: .seconds(0.2))
    #expect(engine.answered(.removed(pointer, engine.link)))
    #expect(engine.questions(type, .ptr).count == 1)
  }

  @Test func `a question is asked again soon when a record has gone because others asked for it in vain`() {
    let engine = engine()
    // The series has reached long intervals: the next query is due after half an hour.
    engine.run(for: .seconds(2000))
    engine.clear()
    loseRecord(of: engine)
    let removal = engine.now
    engine.clear()
    engine.run(for: .seconds(100))
    let times = engine.questions(type, .ptr).map { $0.time - removal }
    #expect(times.count == 7)
    #expect(times.first.map { $0 <= .milliseconds(120) } ?? false)
    let intervals = zip(times.dropFirst(), times).map { $0 - $1 }
    #expect(intervals == [1, 2, 4, 8, 16, 32].map { .seconds($0) })
    engine.hear(pointer)
    #expect(engine.answered(.added(pointer, engine.link)))
  }

  @Test func `records that go one after another do not make a question be asked all the time`() {
    let engine = LoneEngine()
    let pointers = (0..<100).map { DNSRecord(type, .ptr(DNSName(literal: "\($0)._x._tcp.local")), timeToLive: 4500) }
    engine.do(.ask(.init(1), type, .ptr))
    for pointer in pointers { engine.hear(pointer) }
    engine.run(for: .seconds(1100))
    engine.clear()
    var doubts = 0
    for pointer in pointers {
      for _ in 0..<2 {
        engine.hear(question: type, .ptr, knowing: pointers.filter { $0 != pointer }, from: 3)
        engine.run(for: .seconds(5))
      }
      engine.run(for: .milliseconds(500))
      doubts += 1
      #expect(engine.answered(.removed(pointer, engine.link)))
    }
    // One more for each record before it goes, and no more than a new series every minute.
    #expect(engine.questions(type, .ptr).count <= doubts + 17 * 8)
  }

  @Test func `a whole network does not ask at once for what has gone`() {
    let network = VirtualNetwork()
    let hosts = (0..<40).map { network.addHost("host-\($0).local") }
    let browses = hosts.map { $0.ask("_x._tcp.local", .ptr) }
    for host in hosts { _ = host.publish("of \(host.index)") }
    network.run(for: .seconds(3000))
    hosts[0].isUp = false
    _ = network.addHost().ask("_x._tcp.local", .ptr)
    network.run(for: .seconds(12))
    for (host, browse) in zip(hosts, browses).dropFirst() { #expect(!host.pointers(browse).contains("of 0")) }
    network.run(for: .seconds(110))
    // Beside the new player's seven, each query of the series is sent by two, whose questions do for the others (§7.3).
    #expect(network.wire.count { $0.time > .seconds(3000) && !$0.message.isResponse } <= 7 + 2 * 9)
  }

  @Test func `a record is never removed before the ten seconds are over`() {
    for microseconds in [1, 500, 999] {
      let engine = engine()
      engine.run(for: .microseconds(microseconds))
      engine.hear(question: type, .ptr, from: 3)
      engine.run(for: .seconds(1))
      engine.hear(question: type, .ptr, from: 3)
      engine.run(for: .seconds(9) - .microseconds(1))
      #expect(engine.answered(.suspect(pointer, engine.link)) && !engine.answered(.removed(pointer, engine.link)))
      engine.run(for: .milliseconds(2))
      #expect(engine.answered(.removed(pointer, engine.link)))
    }
  }

  /// Has two questions asked in vain, and waits until the record has gone.
  private func loseRecord(of engine: LoneEngine) {
    for _ in 0..<2 {
      engine.hear(question: type, .ptr, from: 3)
      engine.run(for: .seconds(1))
    }
    while !engine.answered(.removed(pointer, engine.link)) { engine.run(for: .milliseconds(10)) }
  }

  @Test func `a record that nobody wants here goes without a question`() {
    let engine = engine(isAsked: false)
    for _ in 0..<3 {
      engine.hear(question: type, .ptr, from: 3)
      engine.run(for: .seconds(2))
    }
    engine.run(for: .seconds(4.1))
    #expect(engine.sent.isEmpty)
    engine.do(.ask(.init(1), type, .ptr))
    #expect(!engine.answered(.added(pointer, engine.link)))
  }

  @Test func `a record is kept when an answer comes late`() {
    for delay in [0.05, 0.9, 1.5, 5] {
      let engine = engine()
      engine.hear(question: type, .ptr, from: 3)
      engine.run(for: .seconds(1))
      engine.hear(question: type, .ptr, from: 4)
      engine.run(for: .seconds(delay))
      engine.hear(pointer)
      #expect(engine.answered(.confirmed(pointer, engine.link)) == engine.answered(.suspect(pointer, engine.link)))
      engine.run(for: .seconds(20))
      #expect(!engine.answered(.removed(pointer, engine.link)))
    }
  }

  @Test func `questions that need no answer do not count`() {
    typealias Question = (LoneEngine) -> Void
    let questions: [(String, Question)] = [
      ("its owner asks", { $0.hear(question: self.type, .ptr, from: 2) }),
      ("the asker knows it", { $0.hear(question: self.type, .ptr, knowing: [self.pointer], from: 3) }),
      ("the asker is to be told by unicast", { $0.hear(question: self.type, .ptr, unicast: true, from: 3) }),
      ("more known answers follow", { $0.hear(question: self.type, .ptr, truncated: true, from: 3) }),
      ("it is another type", { $0.hear(question: self.type, .txt, from: 3) }),
      ("it is a probe", { $0.hear(question: self.type, .ptr, proposing: [self.pointer], from: 3) }),
    ]
    for (reason, question) in questions {
      let engine = engine()
      for _ in 0..<5 {
        question(engine)
        engine.run(for: .seconds(2))
      }
      engine.run(for: .seconds(20))
      #expect(engine.effects.isEmpty, "\(reason)")
    }
  }

  @Test func `questions long after each other or at once do not count`() {
    for pause in [Duration.milliseconds(100), .seconds(11)] {
      let engine = engine()
      for _ in 0..<4 {
        engine.hear(question: type, .ptr, from: 3)
        engine.run(for: pause)
      }
      engine.run(for: .seconds(20))
      #expect(engine.effects.isEmpty)
    }
  }

  @Test func `questions with an answer between them do not count`() {
    let engine = engine()
    for _ in 0..<5 {
      engine.hear(question: type, .ptr, from: 3)
      engine.run(for: .milliseconds(100))
      engine.hear(pointer)
      engine.run(for: .milliseconds(2900))
    }
    #expect(engine.effects.isEmpty && engine.sent.isEmpty)
    // Two without one do.
    for _ in 0..<2 {
      engine.hear(question: type, .ptr, from: 3)
      engine.run(for: .seconds(2))
    }
    #expect(engine.answered(.suspect(pointer, engine.link)))
  }

  @Test func `what was heard a moment ago need not be said again`() {
    let engine = engine()
    for _ in 0..<5 {
      engine.hear(pointer)
      engine.run(for: .milliseconds(100))
      engine.hear(question: type, .ptr, from: 3)
      engine.run(for: .milliseconds(900))
    }
    engine.run(for: .milliseconds(100))
    #expect(engine.effects.isEmpty && engine.sent.isEmpty)
  }
}
