import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// The querier, clause by clause of RFC 6762.
@Suite struct AskingTests {
  let type: DNSName = "_x._tcp.local"
  let pointer = DNSRecord("_x._tcp.local", .ptr("a._x._tcp.local"), timeToLive: 4500)
  let host = DNSRecord("peer.local", .address(.ipv4(0x0A00_0002)), timeToLive: 120, cacheFlush: true)

  func ask(_ engine: LoneEngine, _ name: DNSName, _ type: DNSType, as id: UInt64 = 1) {
    engine.do(.ask(.init(id), name, type))
  }

  // §5.2
  @Test func `the first question waits and the others come ever more seldom`() {
    for seed in UInt64(0)..<50 {
      let engine = LoneEngine(seed: seed)
      let start = engine.now
      ask(engine, type, .ptr)
      engine.run(for: .seconds(5 * 3600))
      let times = engine.questions(type, .ptr).map(\.time)
      #expect((.milliseconds(20) ... .milliseconds(120)).contains(times[0] - start), "seed \(seed)")
      let gaps = zip(times.dropFirst(), times).map { later, earlier in later - earlier }
      #expect(Array(gaps.prefix(12)) == (0..<12).map { Duration.seconds(1 << $0) })
      #expect(gaps.dropFirst(12).allSatisfy { $0 == .seconds(3600) } && gaps.count > 14)
    }
  }

  // §5.3
  @Test func `questions that are asked together go together`() {
    let engine = LoneEngine()
    for number in 0..<40 { ask(engine, DNSName(literal: "s\(number)._x._tcp.local"), .srv, as: UInt64(number)) }
    engine.run(for: .milliseconds(200))
    #expect(engine.sent.count == 1)
    #expect(engine.sent[0].message.questions.count == 40)
  }

  // §5.4, §15.1
  @Test func `nothing is asked for by unicast`() {
    let engine = LoneEngine(hostName: "me.local")
    ask(engine, type, .ptr)
    engine.do(.publish(.init(1), VirtualHost.service("b")))
    engine.run(for: .seconds(60))
    #expect(engine.sent.count > 5)
    for sent in engine.sent {
      #expect(sent.destination == .multicast)
      #expect(!sent.message.questions.contains { $0.wantsUnicast })
    }
  }

  // §5.2
  @Test func `an answer from a single owner ends the series`() {
    let engine = LoneEngine()
    ask(engine, "peer.local", .a)
    engine.run(for: .milliseconds(200))
    engine.hear(host)
    #expect(engine.effects.contains(.settled(.init(1))))
    engine.clear()
    engine.run(for: .seconds(90))
    #expect(engine.sent.isEmpty)
  }

  // §5.2
  @Test func `records are asked for again before they expire`() {
    for seed in UInt64(0)..<20 {
      let engine = LoneEngine(seed: seed)
      ask(engine, "peer.local", .a)
      engine.run(for: .milliseconds(200))
      engine.clear()
      engine.hear(host)
      let start = engine.now
      engine.run(for: .seconds(119.9))
      let times = engine.questions("peer.local", .a).map { $0.time - start }
      #expect(times.count == 4, "seed \(seed)")
      for (time, percent) in zip(times, [80.0, 85, 90, 95]) {
        // Within 2 % of the life, and then with the next questions.
        #expect((.seconds(1.2 * percent) ... .seconds(1.2 * (percent + 2) + 0.12)).contains(time), "seed \(seed)")
      }
      #expect(!engine.answered(.removed(host, engine.link)))
      engine.clear()
      engine.run(for: .seconds(0.2))
      #expect(engine.answered(.removed(host, engine.link)))
      // And then the search begins again.
      engine.run(for: .seconds(2))
      #expect(engine.questions("peer.local", .a).count == 2)
    }
  }

  // §5.2
  @Test func `an answer begins the life anew`() {
    let engine = LoneEngine()
    ask(engine, "peer.local", .a)
    engine.hear(host)
    engine.run(for: .seconds(100))
    #expect(engine.questions("peer.local", .a).count == 1)
    engine.hear(host)
    engine.clear()
    engine.run(for: .seconds(95))
    #expect(engine.sent.isEmpty && engine.effects.isEmpty)
  }

  // §5.2: only for records that somebody wants.
  @Test func `unwanted records are not asked for`() {
    let engine = LoneEngine()
    ask(engine, "peer.local", .a)
    engine.hear(host, pointer)
    engine.do(.endAsking(.init(1)))
    engine.clear()
    engine.run(for: .seconds(5000))
    #expect(engine.sent.isEmpty && engine.effects.isEmpty)
    ask(engine, type, .ptr, as: 2)
    #expect(engine.effects == [.cacheExhausted(.init(2))])
  }

  @Test func `what is known is told at once`() {
    let engine = LoneEngine()
    engine.hear(pointer)
    ask(engine, type, .ptr)
    #expect(engine.effects == [.answer(.init(1), .added(pointer, engine.link)), .cacheExhausted(.init(1))])
    engine.run(for: .milliseconds(1600))
    #expect(engine.effects.last == .settled(.init(1)))
    ask(engine, type, .any, as: 2)
    #expect(engine.answered(.added(pointer, engine.link), to: 2))
  }

  @Test func `without a link a question is settled at once`() {
    var engine = MulticastEngine(seed: 1)
    let effects = engine.handle(.ask(.init(1), type, .ptr), at: .zero)
    #expect(effects == [.cacheExhausted(.init(1)), .settled(.init(1))])
    #expect(engine.nextDeadline == nil)
  }

  // §7.1
  @Test func `known answers are told with the time they have left`() throws {
    let engine = LoneEngine()
    engine.hear(pointer, host)
    engine.run(for: .seconds(1000))
    ask(engine, type, .ptr)
    engine.run(for: .milliseconds(200))
    let answer = try #require(engine.sent.first?.message.answers.first)
    #expect(engine.sent[0].message.answers.count == 1)
    #expect(answer.data == pointer.data && (3499...3500).contains(answer.timeToLive))
    #expect(!answer.cacheFlush)
  }

  // §7.1
  @Test func `answers in the second half of their life are not told`() {
    let engine = LoneEngine()
    engine.hear(pointer)
    engine.run(for: .seconds(2260))
    ask(engine, type, .ptr)
    engine.run(for: .milliseconds(200))
    #expect(engine.sent.first?.message.answers.isEmpty == true)
  }

  // §7.2
  @Test func `many known answers take several datagrams`() {
    let engine = LoneEngine()
    let all = (0..<200).map { DNSRecord(type, .ptr(DNSName(literal: "instance \($0)._x._tcp.local")), timeToLive: 4500) }
    for record in all { engine.hear(record) }
    ask(engine, type, .ptr)
    engine.run(for: .milliseconds(200))
    #expect(engine.sent.count > 3)
    #expect(engine.sent.dropLast().allSatisfy(\.message.isTruncated) && engine.sent.last?.message.isTruncated == false)
    #expect(engine.sent.map(\.message.questions.count) == [1] + Array(repeating: 0, count: engine.sent.count - 1))
    #expect(Set(engine.sent.flatMap(\.message.answers).map(\.data)) == Set(all.map(\.data)))
    #expect(engine.sent.allSatisfy { $0.bytes.count <= 1440 })
  }

  // §7.3
  @Test func `two other hosts questions do for ours`() {
    for (askers, does) in [([2, 3], true), ([2, 2], false), ([2], false)] as [([UInt32], Bool)] {
      let engine = LoneEngine()
      engine.hear(pointer)
      ask(engine, type, .ptr)
      engine.run(for: .milliseconds(200))
      engine.clear()
      engine.run(for: .milliseconds(500))
      for asker in askers { engine.hear(question: type, .ptr, knowing: [pointer], from: asker) }
      engine.run(for: .milliseconds(600))
      #expect(engine.sent.isEmpty == does)
      engine.run(for: .seconds(2))
      #expect(engine.sent.count == (does ? 1 : 2))
    }
  }

  // §7.3: what we tell ourselves we need not be told.
  @Test func `questions that know of our own services do for ours too`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    let mine = DNSRecord(type, .ptr("mine._x._tcp.local"), timeToLive: 4500)
    ask(engine, type, .ptr)
    engine.run(for: .milliseconds(200))
    engine.clear()
    engine.run(for: .milliseconds(500))
    for asker in [2, 3] as [UInt32] { engine.hear(question: type, .ptr, knowing: [mine], from: asker) }
    engine.run(for: .milliseconds(600))
    #expect(engine.sent.isEmpty)
  }

  // §7.2, §7.3
  @Test func `questions in several datagrams do too`() {
    let surprise = DNSRecord(type, .ptr("b._x._tcp.local"), timeToLive: 4500)
    for (last, source, does) in [(pointer, 2, true), (surprise, 2, false), (pointer, 3, false)] as [(DNSRecord, UInt32, Bool)] {
      let engine = LoneEngine()
      engine.hear(pointer)
      ask(engine, type, .ptr)
      engine.run(for: .milliseconds(200))
      engine.clear()
      engine.run(for: .milliseconds(500))
      engine.hear(question: type, .ptr, knowing: [pointer], from: 4)
      engine.hear(question: type, .ptr, knowing: [pointer], truncated: true)
      var rest = DNSMessage(isResponse: false)
      rest.answers = [last]
      engine.hear(rest, from: source)
      engine.run(for: .milliseconds(600))
      #expect(engine.sent.isEmpty == does)
    }
  }

  // §7.3
  @Test func `a question that knows more or wants unicast or goes on does not`() {
    for variant in 0..<3 {
      let engine = LoneEngine()
      ask(engine, type, .ptr)
      engine.run(for: .milliseconds(200))
      engine.clear()
      engine.run(for: .milliseconds(500))
      for asker in [2, 3] as [UInt32] {
        engine.hear(
          question: type, .ptr, unicast: variant == 1, knowing: variant == 0 ? [pointer] : [], truncated: variant == 2,
          from: asker
        )
      }
      engine.run(for: .milliseconds(600))
      #expect(engine.sent.count == 1, "variant \(variant)")
    }
  }

  // §7.1: known answers of others are hearsay.
}
