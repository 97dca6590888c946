import Testing
import _BonjourishBase
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// When a querier asks for what it knows, and what others' questions tell it, to the millisecond.
@Suite struct QuerierTests {
  private static let link = MulticastLink(interface: 1, family: .ipv4)
  private let type: DNSName = "_x._tcp.local"

  private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  private func step(_ milliseconds: Int64) -> Step { Step(now: at(milliseconds), random: SeededGenerator(seed: 1)) }

  private func source(_ host: UInt32) -> MulticastSource { MulticastSource(.ipv4(host), port: 5353, link: Self.link) }

  private func host(_ number: Int, timeToLive: UInt32 = 100) -> DNSRecord {
    let name = DNSName(literal: "host-\(number).local")
    return DNSRecord(name, .address(.ipv4(UInt32(number))), timeToLive: timeToLive, cacheFlush: true)
  }

  private func pointer(_ number: Int, type: DNSName = "_x._tcp.local") -> DNSRecord {
    DNSRecord(type, .ptr(DNSName(literal: "\(number).local")), timeToLive: 4500)
  }

  /// Has a querier hear a record from host 2, and returns its slot.
  @discardableResult
  private func learn(_ record: DNSRecord, at milliseconds: Int64, _ querier: inout Querier) -> Int {
    var step = step(milliseconds)
    let known = querier.cache.find(record.name, record.data)
    querier.learn(record, knownAt: known, from: .ipv4(2), isAdmitted: true, &step)
    return querier.cache.find(record.name, record.data)!
  }

  private func ask(_ name: DNSName, _ type: DNSType, at milliseconds: Int64 = 0, _ querier: inout Querier) {
    var step = step(milliseconds)
    querier.ask(HashedKey(name: name, type: type), for: .init(1), &step)
  }

  private func age(_ querier: inout Querier, at milliseconds: Int64) {
    var step = step(milliseconds)
    querier.ageRecords(&step)
  }

  // MARK: - Renewal

  /// The numbers of refreshes of records that were due.
  private func refreshes(of slots: [Int], _ querier: Querier) -> [Int] {
    slots.compactMap { if case .aging(let asked) = querier.cache[$0].phase { asked } else { nil } }
  }

  // RFC 6762 §5.2: at 80 to 82 % of its life.
  @Test(
    arguments: [
      (120, 0, 98_400), (120, 500, 97_200), (120, 1000, 96_000), (4500, 0, 3_690_000), (4500, 500, 3_685_000),
      (4500, 1000, 3_680_000),
    ] as [(UInt32, Int64, Int64)])
  func `a record is asked for up to ten seconds sooner than it has to be`(
    _ timeToLive: UInt32, _ jitter: Int64, _ milliseconds: Int64
  ) {
    var querier = Querier(Self.link)
    let record = host(1, timeToLive: timeToLive)
    ask(record.name, .a, &querier)
    querier.renewalJitter = jitter
    let slot = learn(record, at: 0, &querier)
    #expect(querier.cache.deadlines[slot] == at(milliseconds))
  }

  @Test func `a new question takes up the refreshes where time has got to`() {
    for (time, asked) in [(84_999, 0), (85_000, 1), (94_999, 2), (95_000, 3), (99_999, 3)] as [(Int64, Int)] {
      var querier = Querier(Self.link)
      let slot = learn(host(1), at: 0, &querier)
      #expect(querier.cache.deadlines[slot] == at(100_000))
      ask(host(1).name, .a, at: time, &querier)
      #expect(querier.cache[slot].phase == .aging(asked: asked), "\(time)")
    }
  }

  @Test func `records are looked through for those that may go along once a second`() {
    for (time, isAsked) in [(80_999, false), (81_000, true)] as [(Int64, Bool)] {
      var querier = Querier(Self.link)
      for number in 1...3 { ask(host(number).name, .a, &querier) }
      let first = learn(host(1), at: 0, &querier)
      let second = learn(host(2), at: 200, &querier)
      let other = learn(host(3), at: 1_000, &querier)
      for (slot, due) in [(first, 80_000), (second, time), (other, 90_000)] { querier.cache.deadlines.set(slot, to: at(due)) }
      age(&querier, at: 80_000)
      #expect(refreshes(of: [first, second, other], querier) == [1, 0, 0])
      age(&querier, at: time)
      // Four fifths of its life are over at 81,000.
      #expect(refreshes(of: [first, second, other], querier) == [1, 1, isAsked ? 1 : 0])
    }
  }

  @Test func `a record that was asked for since its mark is not asked for again`() {
    for (asked, isAsked) in [(79_999, true), (80_000, false)] as [(Int64, Bool)] {
      var querier = Querier(Self.link)
      ask(host(1).name, .a, &querier)
      let slot = learn(host(1), at: 0, &querier)
      let question = querier.questions.find(host(1).name, .a)!
      querier.questions[question].lastAsked = at(asked)
      querier.cache.deadlines.set(slot, to: at(81_000))
      age(&querier, at: 81_000)
      #expect((querier.questions[question].refreshAt != .never) == isAsked, "\(asked)")
    }
  }

  // RFC 6762 §10.4
  @Test func `a record in doubt is asked for after one second and after two more, and goes after ten`() {
    var querier = Querier(Self.link)
    let slot = learn(pointer(1), at: 0, &querier)
    var doubt = step(0)
    querier.reconfirm(HashedKey(name: type, type: .ptr), nil, &doubt)
    var deadlines: [Instant?] = []
    for time in [0, 1_000, 3_000] as [Int64] {
      age(&querier, at: time)
      deadlines.append(querier.cache.deadlines[slot])
    }
    #expect(deadlines.compactMap(\.self) == [at(1_000), at(3_000), at(10_000)])
    age(&querier, at: 9_999)
    #expect(querier.cache.find(type, pointer(1).data) == slot)
    age(&querier, at: 10_000)
    #expect(querier.cache.find(type, pointer(1).data) == nil)
  }

  @Test func `neither a goodbye nor a doubt prolongs what is left of a record's life`() {
    var querier = Querier(Self.link)
    let slot = learn(DNSRecord(type, pointer(1).data, timeToLive: 1), at: 0, &querier)
    learn(DNSRecord(type, pointer(1).data, timeToLive: 0), at: 500, &querier)
    #expect(querier.cache[slot].expiry == at(1_000) && querier.cache.deadlines[slot] == at(1_000))
    let other = learn(DNSRecord(type, pointer(2).data, timeToLive: 5), at: 0, &querier)
    var doubt = step(0)
    querier.reconfirm(HashedKey(name: type, type: .ptr), pointer(2).data, &doubt)
    #expect(querier.cache[other].expiry == at(5_000))
  }

  // MARK: - Observing others' questions (RFC 6762 §10.5)

  private func observe(_ names: [DNSName], from host: UInt32 = 3, at milliseconds: Int64, _ querier: inout Querier) {
    var message = DNSMessage(isResponse: false)
    message.questions = names.map { DNSQuestion($0, .ptr) }
    var step = step(milliseconds)
    querier.observe(message, from: source(host), &step)
  }

  @Test(
    arguments: [
      // What was heard a second ago need not be said.
      (1_000, 2_000, nil), (1_001, 2_001, 3_501),
      // Questions of one series are at least 800 ms apart, and ten seconds at most.
      (2_000, 2_799, nil), (2_000, 2_800, 4_300), (2_000, 12_000, 13_500), (2_000, 12_001, nil),
    ] as [(Int64, Int64, Int64?)])
  func `two questions without an answer cast doubt on a record 1.5 seconds after the second`(
    _ first: Int64, _ second: Int64, _ doubt: Int64?
  ) {
    var querier = Querier(Self.link)
    let slot = learn(pointer(1), at: 0, &querier)
    for time in [first, second] { observe([type], at: time, &querier) }
    #expect(querier.cache.deadlines[slot] == at(doubt ?? 4_500_000))
    guard let doubt else { return }
    // A third question changes nothing.
    observe([type], at: second + 800, &querier)
    age(&querier, at: doubt)
    // Ten seconds after the first question, or as soon as an answer to a question of ours would have come.
    #expect(querier.cache[slot].expiry == at(max(first + 10_000, doubt + 1_500)))
    #expect(querier.cache.deadlines[slot] == querier.cache[slot].expiry)
  }

  @Test func `32 records are observed with a query, those that were confirmed the longest time ago`() {
    var querier = Querier(Self.link)
    let first = (0..<20).map { learn(pointer($0), at: Int64($0), &querier) }
    let second = (0..<20).map { learn(pointer($0, type: "_y._tcp.local"), at: Int64($0), &querier) }
    for time in [2_000, 3_000] as [Int64] { observe([type, "_y._tcp.local"], at: time, &querier) }
    let isDoubted = (first + second).map { querier.cache[$0].isUnansweredTwice }
    #expect(isDoubted == [Bool](repeating: true, count: 32) + [Bool](repeating: false, count: 8))
  }

  // MARK: - Others' questions in place of ours (RFC 6762 §7.3)

  private func overhear(
    _ questions: [DNSQuestion], truncated: Bool, from host: UInt32 = 3, at milliseconds: Int64, _ querier: inout Querier
  ) {
    var message = DNSMessage(isResponse: false)
    (message.questions, message.isTruncated) = (questions, truncated)
    querier.overhear(message, from: source(host), fromThisHost: false, at: at(milliseconds))
  }

  @Test func `a question of others counts that is due here within a second`() {
    for (due, isKept) in [(2_000, true), (2_001, false)] as [(Int64, Bool)] {
      var querier = Querier(Self.link)
      ask(type, .ptr, &querier)
      let slot = querier.questions.find(type, .ptr)!
      querier.questions[slot].seriesAt = at(due)
      overhear([DNSQuestion(type, .ptr)], truncated: true, at: 1_000, &querier)
      #expect(querier.overheard.count == (isKept ? 1 : 0))
      overhear([DNSQuestion(type, .txt)], truncated: true, at: 1_000, &querier)
      #expect(querier.overheard.isEmpty, "another question ends the one before")
    }
  }

  @Test func `the rest of a question is waited for half a second, and of 64 hosts`() {
    for (time, isWhole) in [(1_500, true), (1_501, false)] as [(Int64, Bool)] {
      var querier = Querier(Self.link)
      ask(type, .ptr, &querier)
      let slot = querier.questions.find(type, .ptr)!
      querier.questions[slot].seriesAt = at(2_000)
      overhear([DNSQuestion(type, .ptr)], truncated: false, from: 9, at: time, &querier)
      overhear([DNSQuestion(type, .ptr)], truncated: true, at: 1_000, &querier)
      overhear([], truncated: false, at: time, &querier)
      #expect(querier.questions[slot].isAskedByOthers(at: at(time)) == isWhole && querier.overheard.isEmpty)
    }
    var querier = Querier(Self.link)
    ask(type, .ptr, &querier)
    for host in 1...65 as ClosedRange<UInt32> {
      overhear([DNSQuestion(type, .ptr)], truncated: true, from: host, at: 0, &querier)
    }
    #expect(querier.overheard.map(\.source) == (2...65 as ClosedRange<UInt32>).map { source($0) })
  }

  // MARK: - Questions

  @Test func `what is asked while a query waits goes with it, and what is asked when it goes waits for the next`() {
    var table = QuestionTable()
    let slots = (["a.local", "b.local", "c.local"] as [DNSName]).map { table.insert(HashedKey(name: $0, type: .a)) }
    var first = step(1_000)
    table.startSeries(slots[0], &first)
    let sending = table[slots[0]].seriesAt
    #expect((at(1_020)...at(1_120)).contains(sending))
    var before = Step(now: Instant(microseconds: sending.microseconds - 1), random: SeededGenerator(seed: 2))
    table.startSeries(slots[1], &before)
    #expect(table[slots[1]].seriesAt == sending)
    var then = Step(now: sending, random: SeededGenerator(seed: 3))
    table.startSeries(slots[2], &then)
    #expect((sending + 20...sending + 120).contains(table[slots[2]].seriesAt))
  }

  @Test func `a series is begun anew when its next query is more than a minute away, a second after the last at the soonest`() {
    func next(_ milliseconds: Int64, lastAsked: Int64?) -> Instant {
      var table = QuestionTable()
      let slot = table.insert(HashedKey(name: type, type: .ptr))
      (table[slot].seriesAt, table[slot].interval) = (at(milliseconds), 128_000)
      table[slot].lastAsked = lastAsked.map { at($0) }
      var step = step(10_000)
      table.hastenSeries(slot, &step)
      #expect(table[slot].interval == (table[slot].seriesAt == at(milliseconds) ? 128_000 : 1_000))
      if table[slot].seriesAt != at(milliseconds) { #expect(table.nextDeadline == table[slot].seriesAt) }
      return table[slot].seriesAt
    }
    #expect(next(70_000, lastAsked: nil) == at(70_000))
    #expect((at(10_020)...at(10_120)).contains(next(70_001, lastAsked: nil)))
    #expect((at(10_020)...at(10_120)).contains(next(70_001, lastAsked: 9_000)))
    #expect(next(70_001, lastAsked: 9_500) == at(10_500))
  }

  @Test func `what nobody asks for is asked for once, and then no more`() {
    var table = QuestionTable()
    let key = HashedKey(name: type, type: .ptr)
    var step = step(1_000)
    for _ in 0..<2 { table.askAgain(key, &step) }
    #expect((at(1_020)...at(1_120)).contains(table.nextDeadline))
    var due = Step(now: table.nextDeadline, random: SeededGenerator(seed: 2))
    let asked = table.popDue(on: Self.link, knowing: RecordCache(), &due)
    #expect(asked.map(\.key) == [key] && asked.map(\.slot) == [nil] && table.nextDeadline == .never)
  }

  @Test func `a question for all types lists no known answers`() {
    let engine = LoneEngine()
    engine.hear(pointer(1))
    engine.do(.ask(.init(1), type, .any))
    engine.run(for: .milliseconds(200))
    #expect(engine.questions(type, .any).map(\.message.answers) == [[]])
  }
}
