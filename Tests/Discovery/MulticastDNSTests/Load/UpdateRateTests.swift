import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// How often records change (RFC 6762 §8.4: not more than ten times in a minute).
@Suite struct UpdateRateTests {
  private let name: DNSName = "mine._x._tcp.local"

  private func records(_ number: Int) -> [PublishedRecord] {
    [
      PublishedRecord(name, .data(.txt(Array("\u{4}\(1000 + number)".utf8))), .unique),
      PublishedRecord("_x._tcp.local", .data(.ptr(name)), .shared),
    ]
  }

  private func text(_ number: Int) -> DNSData { .txt(Array("\u{4}\(1000 + number)".utf8)) }

  /// The times at which data of a type first went out that differ from those before.
  private func changes(in engine: LoneEngine, of type: DNSType, besides other: DNSData? = nil)
    -> [(time: Duration, data: Set<DNSData>)]
  {
    var changes: [(time: Duration, data: Set<DNSData>)] = []
    for sent in engine.responses {
      let data = Set(sent.message.answers.filter { $0.type == type && $0.timeToLive > 0 && $0.data != other }.map(\.data))
      if !data.isEmpty, data != changes.last?.data { changes.append((sent.time, data)) }
    }
    return changes
  }

  private func most(_ times: [Duration], within span: Duration) -> Int {
    times.map { start in times.count { $0 >= start && $0 <= start + span } }.max() ?? 0
  }

  @Test func `records change at most ten times in a minute and end with the last state`() throws {
    for interval in [1, 50, 1000, 7000] {
      let engine = LoneEngine()
      engine.establish(records(0))
      let count = 300_000 / max(interval, 500)
      for number in 1...count {
        engine.do(.update(.init(1), records(number)))
        engine.run(for: .milliseconds(interval))
      }
      let end = engine.now
      engine.run(for: .seconds(20))
      let changes = changes(in: engine, of: .txt)
      #expect(most(changes.map(\.time), within: .seconds(60)) <= 10, "every \(interval) ms")
      let last = try #require(changes.last)
      #expect(last.data == [text(count)] && last.time - end <= .seconds(12), "every \(interval) ms")
      engine.clear()
      engine.hear(question: name, .txt)
      #expect(engine.responses.first?.message.answers.map(\.data) == [text(count)])
    }
  }

  @Test func `five changes in a row are announced at once and the next after twelve seconds`() {
    let engine = LoneEngine()
    engine.establish(records(0))
    let start = engine.now
    for number in 1...8 {
      engine.do(.update(.init(1), records(number)))
      // RFC 6762 §6: no record goes out twice in a second, but each of these is another.
      engine.run(for: .milliseconds(100))
    }
    engine.run(for: .seconds(60))
    let changes = changes(in: engine, of: .txt)
    #expect(changes.map(\.data) == [1, 2, 3, 4, 5, 8].map { [text($0)] })
    #expect(changes.map { $0.time - start } == [0, 100, 200, 300, 400, 12000].map { .milliseconds($0) })
  }

  @Test func `a change that is taken back while it waits is not announced`() {
    let engine = LoneEngine()
    engine.establish(records(0))
    for number in 1...6 { engine.do(.update(.init(1), records(number))) }
    engine.do(.update(.init(1), records(5)))
    engine.run(for: .seconds(30))
    #expect(changes(in: engine, of: .txt).last?.data == [text(5)])
    #expect(!engine.responses.flatMap(\.message.answers).contains { $0.data == text(6) })
    #expect(engine.engine.nextDeadline == nil)
  }

  @Test func `a waiting change takes part in another probing`() {
    let engine = LoneEngine()
    engine.establish(records(0))
    for number in 1...6 { engine.do(.update(.init(1), records(number))) }
    engine.run(for: .milliseconds(100))
    engine.clear()
    engine.hear(DNSRecord(name, .txt([1, 1]), timeToLive: 120, cacheFlush: true))
    engine.run(for: .seconds(5))
    #expect(engine.questions(name, .any).allSatisfy { $0.message.authorities.map(\.data) == [text(6)] })
    #expect(changes(in: engine, of: .txt).map(\.data) == [[text(6)]])
  }

  @Test func `a withdrawn service does not change any more`() {
    let engine = LoneEngine()
    engine.establish(records(0))
    for number in 1...6 { engine.do(.update(.init(1), records(number))) }
    engine.do(.withdraw(.init(1)))
    engine.run(for: .seconds(10))
    engine.clear()
    engine.run(for: .seconds(60))
    #expect(engine.sent.isEmpty)
  }

  @Test func `addresses that come and go change at most ten times in a minute`() {
    let engine = LoneEngine(hostName: "me.local")
    let own = InterfaceAddress(LoneEngine.address, prefixLength: 24)
    for number in 1...100 as ClosedRange<UInt32> {
      let other = InterfaceAddress(.ipv4(0x0A00_0064 + number), prefixLength: 24)
      engine.do(.linkChanged(engine.link, addresses: [own, other]))
      engine.run(for: .seconds(1))
    }
    engine.run(for: .seconds(12))
    let changes = changes(in: engine, of: .a, besides: .address(LoneEngine.address))
    #expect(most(changes.map(\.time), within: .seconds(60)) <= 10)
    #expect(changes.last?.data == [.address(.ipv4(0x0A00_0064 + 100))])
  }

  @Test func `a change that was taken back takes no part in another probing`() {
    let engine = LoneEngine()
    engine.establish(records(0))
    for number in 1...6 { engine.do(.update(.init(1), records(number))) }
    engine.do(.update(.init(1), records(5)))
    engine.run(for: .milliseconds(100))
    engine.clear()
    engine.hear(DNSRecord(name, .txt([1, 1]), timeToLive: 120, cacheFlush: true))
    engine.run(for: .seconds(5))
    #expect(!engine.questions(name, .any).isEmpty)
    #expect(engine.questions(name, .any).allSatisfy { $0.message.authorities.map(\.data) == [text(5)] })
  }

  @Test func `a change that waits while the host gets another name is made with that name`() {
    let engine = LoneEngine(hostName: "me.local")
    func records(_ number: Int) -> [PublishedRecord] {
      self.records(number) + [PublishedRecord(name, .serviceOfThisHost(port: 80), .unique)]
    }
    engine.establish(records(0))
    for number in 1...6 { engine.do(.update(.init(1), records(number))) }
    engine.do(.setHostName("you.local"))
    engine.run(for: .seconds(20))
    engine.clear()
    engine.hear(question: name, .any)
    engine.run(for: .seconds(2))
    let service = DNSData.srv(DNSService(target: "you.local", port: 80))
    #expect(Set(engine.responses.flatMap(\.message.answers).map(\.data)) == [service, text(6)])
  }

  @Test func `a change of a record's time to live alone is told from the next answer on`() {
    let engine = LoneEngine()
    func record(_ timeToLive: UInt32) -> PublishedRecord {
      var record = PublishedRecord(name, .data(text(1)), .unique)
      record.timeToLive = timeToLive
      return record
    }
    engine.establish([record(100)])
    engine.do(.update(.init(1), [record(200)]))
    engine.run(for: .seconds(2))
    #expect(engine.sent.isEmpty, "the data are the same")
    engine.hear(question: name, .txt)
    #expect(engine.responses.flatMap(\.message.answers) == [DNSRecord(name, text(1), timeToLive: 200, cacheFlush: true)])
  }
}
