import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What the engine counts.
@Suite struct CountingTests {
  private let type: DNSName = "_x._tcp.local"
  private let pointer = DNSRecord("_x._tcp.local", .ptr("a._x._tcp.local"), timeToLive: 4500)

  private func counters(of engine: LoneEngine) -> MessageCounters { engine.engine.metrics.messages }

  @Test func `what is published is counted as probes and announcements and at last as goodbyes`() {
    let engine = LoneEngine(hostName: "me.local")
    let before = counters(of: engine)
    #expect(before.probesSent == 3 && before.announcementsSent == 3)
    engine.do(.publish(.init(1), VirtualHost.service("mine")))
    engine.run(for: .seconds(10))
    #expect(counters(of: engine).probesSent - before.probesSent == 3)
    #expect(counters(of: engine).announcementsSent - before.announcementsSent == 3)
    engine.clear()
    engine.do(.withdraw(.init(1)))
    engine.run(for: .seconds(10))
    #expect(counters(of: engine).goodbyesSent == engine.sent.count && engine.sent.count > 1)
    #expect(counters(of: engine).answersSent == 0)
  }

  @Test func `answers are counted by their way`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    engine.hear(question: type, .ptr)
    engine.run(for: .seconds(1))
    engine.hear(question: type, .ptr, unicast: true)
    engine.run(for: .seconds(1))
    var legacy = DNSMessage(isResponse: false)
    legacy.questions = [DNSQuestion("me.local", .a)]
    engine.hear(legacy, port: 40_000)
    engine.run(for: .seconds(1))
    #expect(engine.responses.map { $0.destination == .multicast } == [true, false, false])
    #expect(counters(of: engine).answersSent == 1 && counters(of: engine).unicastAnswersSent == 2)
    #expect(counters(of: engine).queriesReceived == 3)
  }

  @Test func `answers that the asker knows are counted`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    let mine = DNSRecord(type, .ptr("mine._x._tcp.local"), timeToLive: 4500)
    engine.hear(question: type, .ptr, knowing: [mine])
    engine.hear(question: type, .ptr, truncated: true, from: 3)
    var rest = DNSMessage(isResponse: false)
    rest.answers = [mine]
    engine.hear(rest, from: 3)
    engine.run(for: .seconds(1))
    #expect(engine.sent.isEmpty)
    #expect(counters(of: engine).knownAnswersSuppressed == 2)
  }

  @Test func `questions are counted with each datagram`() {
    let engine = LoneEngine()
    engine.do(.ask(.init(1), type, .ptr))
    engine.run(for: .seconds(4))
    #expect(counters(of: engine).queriesSent == engine.sent.count && engine.sent.count == 3)
  }

  @Test func `what is heard is counted by its kind`() {
    let engine = LoneEngine()
    engine.hear(pointer)
    engine.hear(question: type, .ptr)
    engine.hear(question: "a.local", .any, proposing: [DNSRecord("a.local", .txt([0]), timeToLive: 120)])
    let source = MulticastSource(.ipv4(0x0A00_0002), port: 5353, link: engine.link)
    engine.do(.received([1, 2, 3], from: source, to: .multicast))
    let received = counters(of: engine)
    #expect(received.responsesReceived == 1 && received.queriesReceived == 1 && received.probesReceived == 1)
    #expect(received.malformed == 1 && received.ignored == 0 && received.echoes == 0)
  }

  // §5.5, §6
  /// CVE-2017-6519: among them are questions from outside of the link.
  @Test func `messages that must be ignored are counted as such`() {
    let engine = LoneEngine()
    var response = DNSMessage(isResponse: true)
    response.answers = [pointer]
    engine.hear(response, port: 40_000)
    engine.hear(response, to: .unicast)
    var query = DNSMessage(isResponse: false)
    query.questions = [DNSQuestion(type, .ptr)]
    engine.hear(query, to: .unicast, address: .ipv4(0x0808_0808))
    #expect(counters(of: engine).ignored == 3)
    #expect(counters(of: engine).responsesReceived == 0 && counters(of: engine).queriesReceived == 0)
    #expect(engine.engine.metrics.cachedRecords == 0)
  }

  @Test func `our own datagrams are echoes`() {
    let engine = LoneEngine()
    engine.do(.ask(.init(1), type, .ptr))
    engine.run(for: .milliseconds(200))
    let source = MulticastSource(LoneEngine.address, port: 5353, link: engine.link)
    engine.do(.received(engine.sent[0].bytes, from: source, to: .multicast))
    #expect(counters(of: engine).echoes == 1 && counters(of: engine).queriesReceived == 0)
  }

  // §9
  @Test func `conflicts and the host's new names are counted`() {
    let engine = LoneEngine(hostName: "me.local")
    let rival = DNSRecord("me.local", .address(.ipv4(0x0A00_0009)), timeToLive: 120, cacheFlush: true)
    engine.hear(rival)
    engine.run(for: .milliseconds(600))
    engine.hear(rival)
    engine.run(for: .seconds(10))
    #expect(engine.effects.contains(.hostName(.renamed(from: "me.local", to: "me-2.local"))))
    #expect(counters(of: engine).conflicts == 2 && counters(of: engine).hostRenames == 1)
  }

  @Test func `the counters of a link outlive it and its gauges do not`() {
    let engine = LoneEngine()
    engine.hear(pointer)
    #expect(engine.engine.metrics.links == 1 && engine.engine.metrics.cachedRecords == 1)
    #expect(engine.engine.metrics.cachedBytes > 0)
    engine.do(.linkDown(engine.link))
    #expect(counters(of: engine).responsesReceived == 1)
    #expect(engine.engine.metrics.links == 0 && engine.engine.metrics.cachedRecords == 0)
  }

  @Test func `queries that are answered later are gauged`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    engine.hear(question: type, .ptr, truncated: true)
    #expect(engine.engine.metrics.deferredQueries == 1)
    engine.run(for: .seconds(1))
    #expect(engine.engine.metrics.deferredQueries == 0)
  }

  @Test func `records that a full cache drops are counted`() {
    let engine = LoneEngine()
    for number in 0..<3000 {
      let name = DNSName(literal: "long\(number).local")
      engine.hear(DNSRecord(name, .txt(Array(repeating: 0, count: 8000)), timeToLive: 4500, cacheFlush: true))
    }
    let metrics = engine.engine.metrics
    #expect(metrics.messages.recordsEvicted > 0)
    #expect(metrics.messages.recordsEvicted + metrics.cachedRecords == 3000)
  }
}
