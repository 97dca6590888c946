import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What becomes of records: goodbyes, newer sets, doubt, denials, and links that go.
extension AskingTests {
  @Test func `known answers of others are not believed`() {
    let engine = LoneEngine()
    ask(engine, type, .ptr)
    engine.hear(question: type, .ptr, knowing: [pointer])
    #expect(!engine.answered(.added(pointer, engine.link)))
  }

  // §10.1
  @Test func `a goodbye takes a second and can be taken back`() {
    let engine = LoneEngine()
    ask(engine, type, .ptr)
    engine.hear(pointer)
    let goodbye = DNSRecord(type, pointer.data, timeToLive: 0)
    engine.hear(goodbye)
    #expect(engine.answered(.leaving(pointer, engine.link)))
    engine.run(for: .milliseconds(900))
    #expect(!engine.answered(.removed(pointer, engine.link)))
    engine.hear(pointer, from: 3)
    #expect(engine.answered(.confirmed(pointer, engine.link)))
    engine.run(for: .seconds(10))
    #expect(!engine.answered(.removed(pointer, engine.link)))
    engine.hear(goodbye)
    engine.run(for: .milliseconds(1001))
    #expect(engine.answered(.removed(pointer, engine.link)))
    engine.clear()
    engine.hear(goodbye)
    #expect(engine.effects.isEmpty)
  }

  // §10.1
  @Test func `a record that is leaving when it is asked for is added once it is announced again`() {
    let goodbye = DNSRecord(type, pointer.data, timeToLive: 0)
    for wasAsked in [false, true] {
      let engine = LoneEngine(hostName: "me.local")
      if wasAsked { ask(engine, type, .ptr) }
      engine.hear(pointer)
      engine.hear(goodbye)
      engine.run(for: .milliseconds(300))
      engine.clear()
      ask(engine, type, .ptr, as: 2)
      ask(engine, type, .any, as: 3)
      #expect(!engine.answered(.added(pointer, engine.link), to: 2))
      engine.run(for: .milliseconds(300))
      engine.hear(pointer)
      for latecomer in [2, 3] as [UInt64] {
        #expect(engine.answered(.added(pointer, engine.link), to: latecomer))
        #expect(!engine.answered(.confirmed(pointer, engine.link), to: latecomer))
      }
      if wasAsked {
        #expect(engine.answered(.confirmed(pointer, engine.link)) && !engine.answered(.added(pointer, engine.link)))
      }
      engine.clear()
      engine.hear(goodbye)
      #expect(engine.answered(.leaving(pointer, engine.link), to: 2))
      engine.hear(pointer)
      #expect(engine.answered(.confirmed(pointer, engine.link), to: 2))
    }
  }

  // §10.1
  @Test func `a record that is leaving when it is asked for and goes is told neither as added nor as removed`() {
    let engine = LoneEngine()
    engine.hear(pointer)
    engine.hear(DNSRecord(type, pointer.data, timeToLive: 0))
    engine.run(for: .milliseconds(300))
    ask(engine, type, .ptr)
    engine.run(for: .milliseconds(800))
    #expect(engine.effects == [.cacheExhausted(.init(1))])
  }

  // §10.2
  @Test func `a new set replaces what is older than a second`() {
    let engine = LoneEngine()
    ask(engine, "peer.local", .a)
    engine.hear(host)
    engine.run(for: .milliseconds(900))
    let second = DNSRecord("peer.local", .address(.ipv4(9)), timeToLive: 120, cacheFlush: true)
    engine.hear(second)
    engine.run(for: .milliseconds(1500))
    #expect(!engine.answered(.leaving(host, engine.link)))
    let third = DNSRecord("peer.local", .address(.ipv4(10)), timeToLive: 120, cacheFlush: true)
    engine.hear(third)
    #expect(engine.answered(.leaving(host, engine.link)) && engine.answered(.leaving(second, engine.link)))
    engine.run(for: .milliseconds(999))
    #expect(!engine.answered(.removed(host, engine.link)))
    engine.run(for: .milliseconds(2))
    #expect(engine.answered(.removed(host, engine.link)) && engine.answered(.removed(second, engine.link)))
    #expect(!engine.answered(.removed(third, engine.link)))
  }

  // §10.2
  @Test func `the cache flush bit of a shared pointer is ignored`() {
    let engine = LoneEngine()
    ask(engine, type, .ptr)
    let other = DNSRecord(type, .ptr("b._x._tcp.local"), timeToLive: 4500, cacheFlush: true)
    engine.hear(DNSRecord(type, pointer.data, timeToLive: 4500, cacheFlush: true))
    #expect(engine.answered(.added(pointer, engine.link)))
    engine.run(for: .seconds(5))
    // The series goes on, and tells what is known.
    #expect(engine.questions(type, .ptr).last?.message.answers.map(\.data) == [pointer.data])
    engine.hear(other, from: 3)
    engine.hear(DNSRecord(type, .ptr("c._x._tcp.local"), timeToLive: 0, cacheFlush: true), from: 3)
    engine.run(for: .seconds(2))
    #expect(!engine.answered(.leaving(pointer, engine.link)) && !engine.answered(.removed(pointer, engine.link)))
    engine.hear(DNSRecord(type, pointer.data, timeToLive: 0, cacheFlush: true))
    engine.run(for: .milliseconds(1001))
    #expect(engine.answered(.removed(pointer, engine.link)))
  }

  // §10.2
  @Test func `the cache flush bit of a reverse pointer replaces the set`() {
    let engine = LoneEngine()
    let reverse: DNSName = "2.0.0.10.in-addr.ARPA"
    let former = DNSRecord(reverse, .ptr("peer.local"), timeToLive: 120, cacheFlush: true)
    ask(engine, reverse, .ptr)
    engine.hear(former)
    engine.run(for: .seconds(5))
    engine.hear(DNSRecord(reverse, .ptr("peer-2.local"), timeToLive: 120, cacheFlush: true))
    #expect(engine.answered(.leaving(former, engine.link)))
  }

  // §10.4
  @Test func `doubt is cleared up in ten seconds`() {
    let engine = LoneEngine()
    ask(engine, "peer.local", .a)
    engine.hear(host)
    engine.run(for: .seconds(5))
    engine.clear()
    engine.do(.reconfirm("peer.local", .a, host.data))
    #expect(engine.answered(.suspect(host, engine.link)))
    engine.run(for: .seconds(9.9))
    #expect(engine.questions("peer.local", .a).count == 3)
    #expect(!engine.answered(.removed(host, engine.link)))
    engine.hear(host)
    #expect(engine.answered(.confirmed(host, engine.link)))
    engine.run(for: .seconds(10))
    #expect(!engine.answered(.removed(host, engine.link)))
    engine.do(.reconfirm("peer.local", .a, nil))
    engine.run(for: .seconds(10.1))
    #expect(engine.answered(.removed(host, engine.link)))
  }

  // §10.4: even what nobody asks for.
  @Test func `doubt about records without a question is cleared up too`() {
    let engine = LoneEngine()
    engine.hear(pointer)
    engine.do(.reconfirm(type, .ptr, nil))
    engine.run(for: .seconds(9))
    #expect(engine.questions(type, .ptr).count == 3)
    #expect(engine.questions(type, .ptr).allSatisfy { $0.message.answers.isEmpty })
    engine.run(for: .seconds(2))
    ask(engine, type, .ptr)
    #expect(!engine.answered(.added(pointer, engine.link)))
  }

  // §6.1
  @Test func `a denial is an answer`() {
    let engine = LoneEngine()
    ask(engine, "peer.local", .aaaa)
    engine.run(for: .milliseconds(200))
    engine.clear()
    engine.hear(
      DNSRecord("peer.local", .nsec(next: "peer.local", types: DNSTypeSet([.a])!), timeToLive: 120, cacheFlush: true))
    #expect(engine.effects == [.settled(.init(1))])
    engine.run(for: .seconds(90))
    #expect(engine.sent.isEmpty)
    engine.run(for: .seconds(31))
    #expect(!engine.questions("peer.local", .aaaa).isEmpty)
  }

  // §6, §11
  @Test func `responses from elsewhere are dropped`() {
    let engine = LoneEngine()
    ask(engine, "peer.local", .a)
    var message = DNSMessage(isResponse: true)
    message.answers = [host]
    engine.hear(message, port: 5354)
    engine.hear(message, to: .unicast)
    #expect(!engine.answered(.added(host, engine.link)))
    // §11: by multicast any address will do; §18.1: any ID too.
    message.id = 99
    engine.hear(message, address: .ipv4(0xC0A8_0001))
    #expect(engine.answered(.added(host, engine.link)))
  }

  // §10.3
  @Test func `what was known of a link goes with it`() {
    let engine = LoneEngine()
    ask(engine, type, .ptr)
    engine.hear(pointer)
    engine.do(.linkDown(engine.link))
    #expect(engine.answered(.removed(pointer, engine.link)))
    #expect(engine.effects.last == .settled(.init(1)))
    engine.clear()
    engine.do(.linkUp(engine.link, addresses: []))
    engine.run(for: .milliseconds(200))
    #expect(engine.questions(type, .ptr).count == 1)
  }

  @Test func `a question for one interface stays there`() {
    let engine = LoneEngine()
    let other = MulticastLink(interface: 2, family: .ipv4)
    engine.do(.linkUp(other, addresses: []))
    engine.do(.setScope(.init(1), [other]))
    engine.do(.ask(.init(1), type, .ptr, in: .init(1)))
    engine.hear(pointer)
    engine.run(for: .milliseconds(200))
    #expect(engine.sent.map(\.link) == [other])
    #expect(!engine.answered(.added(pointer, engine.link)))
  }

  @Test func `our own records answer without a datagram`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    ask(engine, type, .ptr)
    ask(engine, "mine._x._tcp.local", .srv, as: 2)
    #expect(engine.answered(.added(DNSRecord(type, .ptr("mine._x._tcp.local"), timeToLive: 4500), engine.link)))
    #expect(engine.effects.contains(.settled(.init(2))))
    engine.run(for: .seconds(10))
    #expect(engine.questions("mine._x._tcp.local", .srv).isEmpty)
    // Not told as known answers: nobody else has them.
    #expect(engine.questions(type, .ptr).allSatisfy { $0.message.answers.isEmpty })
    engine.do(.withdraw(.init(1)))
    #expect(engine.answered(.removed(DNSRecord(type, .ptr("mine._x._tcp.local"), timeToLive: 4500), engine.link)))
  }

  @Test func `our own datagrams are dropped once`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    ask(engine, type, .ptr)
    engine.run(for: .milliseconds(130))
    let query = engine.sent[0].bytes
    let source = MulticastSource(LoneEngine.address, port: 5353, link: engine.link)
    engine.clear()
    engine.do(.received(query, from: source, to: .multicast))
    engine.run(for: .milliseconds(200))
    #expect(engine.responses.isEmpty)
    // The same from another process of this host is a question like any other.
    engine.do(.received(query, from: source, to: .multicast))
    engine.run(for: .milliseconds(200))
    #expect(engine.responses.count == 1)
  }
}
