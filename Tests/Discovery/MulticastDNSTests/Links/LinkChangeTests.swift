import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What the engine reports, and forgets, when links and publications change.
@Suite struct LinkChangeTests {
  private let other = MulticastLink(interface: 2, family: .ipv4)
  private let type: DNSName = "_y._tcp.local"

  private func begin(_ engine: LoneEngine) {
    engine.do(.setHostName("me.local"))
    engine.do(.publish(.init(1), VirtualHost.service("mine")))
    engine.do(.ask(.init(1), type, .ptr))
  }

  @Test func `what is established or settled is told once, however many links come and go`() {
    let engine = LoneEngine()
    engine.do(.linkUp(other, addresses: [InterfaceAddress(.ipv4(0x0A01_0001), prefixLength: 24)]))
    begin(engine)
    engine.run(for: .seconds(10))
    #expect(
      Set(engine.effects) == [
        .cacheExhausted(.init(1)), .settled(.init(1)), .hostName(.established("me.local")),
        .registration(.init(1), .established),
      ])
    #expect(engine.effects.count == 4)
    engine.clear()
    engine.do(.linkDown(other))
    engine.do(.linkUp(other, addresses: [InterfaceAddress(.ipv4(0x0A01_0001), prefixLength: 24)]))
    engine.run(for: .seconds(10))
    engine.do(.linkDown(engine.link))
    engine.do(.linkDown(other))
    #expect(engine.effects == [])
  }

  @Test func `without a link left all is established and settled`() {
    let engine = LoneEngine()
    begin(engine)
    engine.clear()
    engine.do(.linkDown(engine.link))
    #expect(
      engine.effects == [
        .settled(.init(1)), .registration(.init(1), .established), .hostName(.established("me.local")),
      ])
  }

  @Test func `a registration that takes the name of another ends with goodbyes, and the other stays`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("a"))
    engine.establish(VirtualHost.service("b"), as: 2)
    engine.do(.update(.init(2), VirtualHost.service("a")))
    #expect(engine.effects == [.registration(.init(2), .conflict("a._x._tcp.local"))])
    engine.do(.flush)
    let goodbyes = engine.sent.flatMap(\.message.answers)
    #expect(goodbyes.map(\.data).contains(.ptr("b._x._tcp.local")) && goodbyes.allSatisfy { $0.timeToLive == 0 })
    #expect(goodbyes.count == 3 && !goodbyes.contains { $0.name == "a._x._tcp.local" })
    engine.clear()
    engine.do(.publish(.init(3), VirtualHost.service("b")))
    engine.do(.publish(.init(4), VirtualHost.service("a")))
    engine.run(for: .seconds(10))
    #expect(
      engine.effects == [.registration(.init(4), .conflict("a._x._tcp.local")), .registration(.init(3), .established)])
  }

  @Test func `our own records are told from those of others, on each link`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.do(.linkUp(other, addresses: []))
    engine.establish([PublishedRecord("mine.local", .data(.txt([0])), .unique)])
    let (own, theirs) = (
      DNSRecord("mine.local", .txt([0]), timeToLive: 4500), DNSRecord("peer.local", .txt([0]), timeToLive: 4500)
    )
    engine.hear(theirs)
    #expect([own, theirs].map { engine.engine.isOwn($0, on: engine.link) } == [true, false])
    #expect(!engine.engine.isOwn(DNSRecord("mine.local", .txt([1]), timeToLive: 4500), on: engine.link))
    #expect(engine.engine.isOwn(own, on: other) && !engine.engine.isOwn(own, on: MulticastLink(interface: 3, family: .ipv4)))
  }

  @Test(arguments: [(63, 1), (64, 0)]) func `what was sent on sixty-four links that are gone is known when it comes back`(
    _ others: Int, _ echoes: Int
  ) {
    let engine = LoneEngine()
    engine.do(.ask(.init(1), type, .ptr))
    engine.run(for: .milliseconds(200))
    let bytes = engine.sent[0].bytes
    engine.do(.linkDown(engine.link))
    for number in 0..<others {
      let link = MulticastLink(interface: UInt32(number + 2), family: .ipv4)
      engine.do(.linkUp(link, addresses: []))
      engine.do(.linkDown(link))
    }
    engine.do(.linkUp(engine.link, addresses: [InterfaceAddress(LoneEngine.address, prefixLength: 24)]))
    let source = MulticastSource(LoneEngine.address, port: 5353, link: engine.link)
    engine.do(.received(bytes, from: source, to: .multicast))
    #expect(engine.engine.metrics.messages.echoes == echoes)
  }
}
