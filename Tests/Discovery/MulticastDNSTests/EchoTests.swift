import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What the kernel loops back to us (RFC 6762 §15).
@Suite struct EchoTests {
  private let type: DNSName = "_x._tcp.local"

  private func comeBack(_ bytes: [UInt8], to engine: LoneEngine, from address: IPAddress = LoneEngine.address) {
    let source = MulticastSource(address, port: 5353, link: engine.link)
    engine.do(.received(bytes, from: source, to: .multicast))
  }

  private func echoes(of engine: LoneEngine) -> Int { engine.engine.metrics.messages.echoes }

  /// An engine that has sent a number of different questions, and their bytes in order.
  private func engineThatAsks(_ count: Int) -> (engine: LoneEngine, sent: [[UInt8]]) {
    let engine = LoneEngine()
    for number in 0..<count {
      engine.do(.ask(.init(UInt64(number)), DNSName(literal: "s\(number)._x._tcp.local"), .srv))
      engine.run(for: .milliseconds(121))
      engine.do(.endAsking(.init(UInt64(number))))
    }
    return (engine, engine.sent.map(\.bytes))
  }

  @Test func `an echo is known however late it comes and once only`() {
    let (engine, sent) = engineThatAsks(3)
    engine.stall(for: .seconds(3600))
    for bytes in sent { comeBack(bytes, to: engine) }
    #expect(sent.count == 3 && echoes(of: engine) == 3)
    for bytes in sent { comeBack(bytes, to: engine) }
    #expect(echoes(of: engine) == 3 && engine.engine.metrics.messages.queriesReceived == 3)
  }

  @Test func `the same bytes from another host are no echo`() {
    let (engine, sent) = engineThatAsks(1)
    comeBack(sent[0], to: engine, from: .ipv4(0x0A00_0002))
    #expect(echoes(of: engine) == 0 && engine.engine.metrics.messages.queriesReceived == 1)
  }

  // Nor is a lost echo waited for: another process may say the same much later.
  @Test(arguments: [(63, 64), (64, 64)]) func `what sixty-four later ones have overtaken is lost`(overtakers: Int, echoes: Int)
  {
    let (engine, sent) = engineThatAsks(65)
    for bytes in sent[1...overtakers] { comeBack(bytes, to: engine) }
    comeBack(sent[0], to: engine)
    #expect(self.echoes(of: engine) == echoes)
  }

  @Test func `echoes that never come are bounded`() {
    let (engine, sent) = engineThatAsks(4097)
    comeBack(sent[0], to: engine)
    #expect(echoes(of: engine) == 0)
    comeBack(sent[1], to: engine)
    #expect(echoes(of: engine) == 1)
  }

  @Test func `what was sent before a link began again is no other host's`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.do(.publish(.init(1), VirtualHost.service("mine")))
    engine.run(for: .seconds(10))
    let sent = engine.sent.map(\.bytes)
    engine.do(.linkDown(engine.link))
    engine.do(.setHostName("other.local"))
    engine.do(.linkUp(engine.link, addresses: [InterfaceAddress(LoneEngine.address, prefixLength: 24)]))
    engine.run(for: .seconds(1))
    engine.clear()
    for bytes in sent {
      comeBack(bytes, to: engine)
      engine.run(for: .milliseconds(100))
    }
    engine.run(for: .seconds(10))
    #expect(sent.count > 5 && echoes(of: engine) == sent.count)
    #expect(!engine.effects.contains(.registration(.init(1), .conflict("mine._x._tcp.local"))))
    #expect(engine.engine.metrics.messages.conflicts == 0)
  }

  // §9: what another host says of a name of ours is a conflict if it is another record, and none if it is the same.
  @Test func `a late echo hides no conflict`() {
    for isSame in [false, true] {
      let engine = LoneEngine(hostName: "me.local")
      engine.do(.publish(.init(1), VirtualHost.service("mine")))
      engine.run(for: .seconds(10))
      let sent = engine.sent.map(\.bytes)
      let target: DNSName = isSame ? "me.local" : "peer.local"
      engine.hear(
        DNSRecord("mine._x._tcp.local", .srv(DNSService(target: target, port: 1)), timeToLive: 120, cacheFlush: true))
      for bytes in sent { comeBack(bytes, to: engine) }
      #expect(engine.engine.metrics.messages.conflicts == (isSame ? 0 : 1))
    }
  }
}
