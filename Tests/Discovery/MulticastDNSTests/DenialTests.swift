import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Denials of types, which are NSEC records of the restricted form: they name types up to 255 (RFC 6762 §6.1).
@Suite struct DenialTests {
  private let caa = DNSType(rawValue: 257)
  private let instance: DNSName = "mine._x._tcp.local"
  private let plain = VirtualHost.service("mine")
  private var rich: [PublishedRecord] { plain + [PublishedRecord(instance, .data(.other(caa, [1])), .unique)] }

  private func engine(_ records: [PublishedRecord]) -> LoneEngine {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(records)
    return engine
  }

  private func denials(_ engine: LoneEngine) -> [DNSRecord] {
    engine.responses.flatMap { $0.message.answers + $0.message.additionals }.filter { $0.type == .nsec && $0.name == instance }
  }

  @Test func `types above 255 are denied`() {
    let engine = engine(plain)
    engine.hear(question: instance, caa)
    #expect(denials(engine).map(\.data) == [.nsec(next: instance, types: DNSTypeSet([.srv, .txt])!)])
    engine.clear()
    engine.hear(question: instance, .any)
    #expect(denials(engine).isEmpty)
  }

  @Test func `a name with a type above 255 has no denial because it would deny that type too`() {
    let engine = engine(rich)
    engine.hear(question: instance, .a)
    engine.hear(question: instance, caa)
    engine.run(for: .seconds(1))
    #expect(denials(engine).isEmpty)
    #expect(engine.responses.flatMap(\.message.answers).map(\.data) == [.other(caa, [1])])
  }

  @Test func `a denial ends when a type above 255 is added and comes back when it goes`() {
    let engine = engine(plain)
    var question = DNSMessage(isResponse: false)
    question.questions = [DNSQuestion(instance, .a), DNSQuestion("other.local", .a)]
    // A denial that waits is not sent either.
    engine.hear(question)
    engine.do(.update(.init(1), rich))
    engine.run(for: .seconds(10))
    engine.hear(question: instance, .a)
    engine.run(for: .seconds(1))
    #expect(denials(engine).isEmpty)
    engine.do(.update(.init(1), plain))
    engine.run(for: .seconds(10))
    engine.clear()
    engine.hear(question: instance, .a)
    #expect(denials(engine).map(\.data) == [.nsec(next: instance, types: DNSTypeSet([.srv, .txt])!)])
    engine.do(.withdraw(.init(1)))
    engine.run(for: .seconds(10))
  }

  @Test func `a denial is an answer to questions of every type but ANY`() {
    for (type, isAnswered) in [(caa, true), (DNSType(rawValue: 65), true), (.any, false), (.a, false)] {
      let engine = LoneEngine()
      engine.do(.ask(.init(1), "peer.local", type))
      engine.run(for: .milliseconds(200))
      engine.clear()
      engine.hear(
        DNSRecord("peer.local", .nsec(next: "peer.local", types: DNSTypeSet([.a])!), timeToLive: 120, cacheFlush: true))
      #expect(engine.effects.contains(.settled(.init(1))) == isAnswered)
      engine.run(for: .seconds(90))
      #expect(engine.sent.isEmpty == isAnswered, "type \(type.rawValue)")
      engine.run(for: .seconds(32))
      #expect(!engine.sent.isEmpty, "the denial has expired")
    }
  }
}
