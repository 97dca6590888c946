import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Random times, so that not all hosts speak at once: from the whole range that the RFC names, and from nothing else.
@Suite struct RandomDelayTests {
  private static let type: DNSName = "_x._tcp.local"
  private static let pointer = DNSRecord("_x._tcp.local", .ptr("mine._x._tcp.local"), timeToLive: 4500)

  enum Cause: CaseIterable {
    case question, answer, truncatedQuery, continuedQuery, legacyQuery, correction, probe, silentHolder

    /// In milliseconds.
    var range: ClosedRange<Int64> {
      switch self {
      // RFC 6762 §5.2, §6, §6.6
      case .question, .answer, .legacyQuery, .correction: 20...120
      // RFC 6762 §7.2
      case .truncatedQuery, .continuedQuery: 400...500
      // RFC 6762 §8.1
      case .probe: 0...250
      case .silentHolder: 80_000...90_000
      }
    }

    func happen(in engine: LoneEngine) {
      switch self {
      case .question:
        engine.do(.endAsking(.init(1)))
        engine.do(.ask(.init(1), "other.local", .a))
      case .answer:
        engine.hear(question: RandomDelayTests.type, .ptr)
      case .truncatedQuery, .continuedQuery:
        engine.hear(question: RandomDelayTests.type, .ptr, truncated: true)
        guard self == .continuedQuery else { return }
        engine.run(for: .milliseconds(300))
        var more = DNSMessage(isResponse: false)
        more.isTruncated = true
        more.answers = [DNSRecord(RandomDelayTests.type, .ptr("other._x._tcp.local"), timeToLive: 4500)]
        engine.hear(more)
      case .legacyQuery:
        var message = DNSMessage(isResponse: false)
        message.questions = [DNSQuestion(RandomDelayTests.type, .ptr)]
        engine.hear(message, port: 4000)
      case .correction:
        engine.hear(DNSRecord(RandomDelayTests.type, RandomDelayTests.pointer.data, timeToLive: 0))
      case .probe:
        engine.do(.withdraw(.init(2)))
        engine.run(for: .seconds(1))
        engine.clear()
        engine.do(.publish(.init(2), [PublishedRecord("probed.local", .data(.txt([0])), .unique)]))
      case .silentHolder:
        engine.hear(DNSRecord("me.local", .address(LoneEngine.address), timeToLive: 120, cacheFlush: true), from: 1)
      }
    }
  }

  private func engine(for cause: Cause) -> LoneEngine {
    guard cause == .silentHolder else {
      let engine = LoneEngine(hostName: "me.local")
      engine.establish(VirtualHost.service("mine"))
      return engine
    }
    let engine = LoneEngine()
    engine.do(.setHostName("me.local"))
    while engine.sent.isEmpty { engine.run(for: .milliseconds(1)) }
    return engine
  }

  @Test(arguments: Cause.allCases) func `a random time is anywhere in its range`(_ cause: Cause) {
    let engine = engine(for: cause)
    let delays = (0..<500).compactMap { _ -> Int64? in
      engine.clear()
      cause.happen(in: engine)
      let start = engine.now
      while engine.sent.isEmpty, let next = engine.engine.nextDeadline { engine.run(for: max(next - engine.now, .zero)) }
      let delay = engine.sent.first.map { ($0.time - start).microseconds }
      if cause != .silentHolder { engine.run(for: .milliseconds(2_000)) }
      return delay
    }
    let (first, last) = (cause.range.lowerBound * 1000, cause.range.upperBound * 1000)
    // Of five hundred, some are in each hundredth of the range.
    let margin = (last - first) / 100
    #expect(delays.count == 500 && delays.allSatisfy { (first...last).contains($0) })
    #expect(delays.contains { $0 < first + margin } && delays.contains { $0 > last - margin })
  }
}
