import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// How long a record of another host is believed, whatever time to live it comes with.
@Suite struct RecordLifetimeTests {
  private func address(timeToLive: UInt32) -> DNSRecord {
    DNSRecord("peer.local", .address(.ipv4(2)), timeToLive: timeToLive, cacheFlush: true)
  }

  @Test func `a record is kept for a day at most`() {
    for (wait, isKnown) in [(86_399, true), (86_401, false)] {
      let engine = LoneEngine()
      engine.hear(address(timeToLive: 1_000_000))
      engine.run(for: .seconds(wait))
      engine.do(.ask(.init(1), "peer.local", .a))
      #expect(engine.answered(.added(address(timeToLive: 86_400), engine.link)) == isKnown, "after \(wait) s")
    }
  }

  @Test func `the time left shrinks, and begins anew with each answer`() {
    let engine = LoneEngine()
    func left(_ name: DNSName) -> [Duration] { engine.engine.remainingLifetimes(of: name, at: engine.now).map(\.left) }
    engine.hear(address(timeToLive: 120))
    engine.run(for: .seconds(50))
    #expect(left("PEER.local") == [.seconds(70)] && left("other.local") == [])
    engine.hear(address(timeToLive: 120))
    #expect(left("peer.local") == [.seconds(120)])
    func left(after milliseconds: Int) -> [Duration] {
      engine.engine.remainingLifetimes(of: "peer.local", at: engine.now + .milliseconds(milliseconds)).map(\.left)
    }
    #expect(left(after: 119_999) == [.milliseconds(1)] && left(after: 120_000) == [])
    // A goodbye leaves nothing that is believed.
    engine.hear(address(timeToLive: 0))
    #expect(left("peer.local") == [])
  }

  // RFC 2181 §8
  @Test(arguments: [(0x7FFF_FFFF, 0x7FFF_FFFF), (0x8000_0000, 0), (0xFFFF_FFFF, 0)] as [(UInt32, UInt32)])
  func `a time to live with its top bit set is zero`(sent: UInt32, read: UInt32) throws {
    var message = DNSMessage(isResponse: true)
    message.answers = [address(timeToLive: sent)]
    #expect(try DNSMessage(parsing: message.written()).answers.map(\.timeToLive) == [read])
  }

  // RFC 6762 §7.1, §10.4
  @Test func `records of a single owner are not listed as known`() {
    let engine = LoneEngine()
    let other = DNSRecord("peer.local", .address(.ipv4(3)), timeToLive: 120, cacheFlush: true)
    engine.do(.ask(.init(1), "peer.local", .a))
    engine.hear(address(timeToLive: 120), other)
    engine.run(for: .seconds(5))
    engine.clear()
    engine.do(.reconfirm("peer.local", .a, other.data))
    engine.run(for: .milliseconds(200))
    #expect(engine.sent.map(\.message.answers) == [[]])
  }

  // RFC 6762 §7.2
  @Test func `a question after a chain of known answers is in a datagram of its own`() {
    let engine = LoneEngine()
    for number in 0..<200 {
      engine.hear(
        DNSRecord("_x._tcp.local", .ptr(DNSName(literal: "service number \(number)._x._tcp.local")), timeToLive: 4500))
    }
    engine.do(.ask(.init(1), "_x._tcp.local", .ptr))
    engine.do(.ask(.init(2), "_y._tcp.local", .ptr))
    engine.run(for: .milliseconds(200))
    let messages = engine.sent.map(\.message)
    #expect(messages.contains { $0.isTruncated })
    for (former, latter) in zip(messages, messages.dropFirst()) where former.isTruncated { #expect(latter.questions.isEmpty) }
    #expect(messages.flatMap(\.questions).count == 2)
  }
}
