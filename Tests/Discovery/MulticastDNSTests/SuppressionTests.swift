import Testing
import _BonjourishMulticastDNS

/// When questions and answers of others replace ours, and when they do not (RFC 6762 §7).
@Suite struct SuppressionTests {
  private let type: DNSName = "_x._tcp.local"
  private let pointer = DNSRecord("_x._tcp.local", .ptr("a._x._tcp.local"), timeToLive: 4500)

  /// An engine that has asked once, half a second before it asks again.
  private func engineAboutToAsk() -> LoneEngine {
    let engine = LoneEngine()
    engine.do(.ask(.init(1), type, .ptr))
    engine.run(for: .milliseconds(200))
    engine.clear()
    return engine
  }

  // §7.3: their known answers silence an owner whose record we would ask to hear again.
  @Test func `questions that list an answer in the second half of its life do not replace ours`() {
    let engine = LoneEngine()
    engine.hear(pointer)
    engine.run(for: .seconds(2300))
    engine.do(.ask(.init(1), type, .ptr))
    engine.run(for: .milliseconds(200))
    #expect(engine.sent.map(\.message.answers) == [[]])
    engine.clear()
    engine.run(for: .milliseconds(500))
    for asker in [2, 3] as [UInt32] { engine.hear(question: type, .ptr, knowing: [pointer], from: asker) }
    engine.run(for: .milliseconds(600))
    #expect(engine.sent.count == 1)
  }

  // §7.2, §7.3
  @Test(arguments: [(499, 0), (501, 1)])
  func `the rest of a truncated question counts for half a second`(milliseconds: Int64, questions: Int) {
    let engine = LoneEngine()
    engine.hear(pointer)
    engine.do(.ask(.init(1), type, .ptr))
    engine.run(for: .milliseconds(200))
    engine.clear()
    engine.run(for: .milliseconds(200))
    engine.hear(question: type, .ptr, knowing: [pointer], truncated: true)
    engine.run(for: .milliseconds(milliseconds))
    engine.hear(question: type, .ptr, knowing: [pointer], from: 4)
    var rest = DNSMessage(isResponse: false)
    rest.answers = [pointer]
    engine.hear(rest)
    engine.run(for: .milliseconds(600))
    #expect(engine.sent.count == questions)
  }

  // §5.4, §7.2
  @Test func `later known answers suppress the unicast answer too`() {
    for knows in [false, true] {
      let engine = LoneEngine(hostName: "me.local")
      engine.establish(VirtualHost.service("mine"))
      engine.hear(question: type, .ptr, unicast: true, truncated: true)
      engine.run(for: .milliseconds(100))
      var rest = DNSMessage(isResponse: false)
      rest.answers = knows ? [DNSRecord(type, .ptr("mine._x._tcp.local"), timeToLive: 4500)] : []
      engine.hear(rest)
      engine.run(for: .seconds(1))
      #expect(engine.responses.map { $0.destination == .multicast } == (knows ? [] : [false]))
    }
  }
}
