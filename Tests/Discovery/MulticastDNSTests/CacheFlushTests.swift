import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What the cache-flush bit does to records that are known or not (RFC 6762 §10.1, §10.2).
@Suite struct CacheFlushTests {
  private let host = DNSRecord("peer.local", .address(.ipv4(0x0A00_0002)), timeToLive: 120, cacheFlush: true)
  private let second = DNSRecord("peer.local", .address(.ipv4(9)), timeToLive: 120, cacheFlush: true)

  private func askingEngine() -> LoneEngine {
    let engine = LoneEngine()
    engine.do(.ask(.init(1), "peer.local", .a))
    return engine
  }

  // §10.2
  @Test func `a known record that is sent alone replaces the others of its set`() {
    let engine = askingEngine()
    engine.hear(host, second)
    engine.run(for: .seconds(5))
    engine.hear(host)
    #expect(engine.answered(.leaving(second, engine.link)))
    #expect(!engine.answered(.leaving(host, engine.link)))
    engine.run(for: .milliseconds(1001))
    #expect(engine.answered(.removed(second, engine.link)))
    #expect(!engine.answered(.removed(host, engine.link)))
  }

  // §10.2: whoever believes the newest record alone would not notice an old one that stays.
  @Test(arguments: [DNSType.a, .srv, .txt]) func `the old record is gone after a second and nothing else is`(type: DNSType) {
    let name: DNSName = "s._x._tcp.local"
    func records(_ number: UInt8) -> [DNSRecord] {
      let service = DNSService(target: "peer.local", port: UInt16(number))
      return [DNSData.address(.ipv4(UInt32(number))), .srv(service), .txt([1, number])]
        .map { DNSRecord(name, $0, timeToLive: 120, cacheFlush: true) }
    }
    let (old, new) = (records(1), records(2).first { $0.type == type }!)
    let others = old.filter { $0.type != type } + [DNSRecord("_x._tcp.local", .ptr(name), timeToLive: 4500), host]
    let gone = old.first { $0.type == type }!
    let engine = LoneEngine()
    let id: UInt64 = type == .a ? 0 : type == .srv ? 1 : 2
    let asked: [(DNSName, DNSType)] = [(name, .a), (name, .srv), (name, .txt), ("_x._tcp.local", .ptr), ("peer.local", .a)]
    for (number, question) in asked.enumerated() { engine.do(.ask(.init(UInt64(number)), question.0, question.1)) }
    for record in others + [gone] { engine.hear(record) }
    engine.run(for: .seconds(20))
    engine.clear()
    engine.hear(new)
    engine.run(for: .milliseconds(999))
    #expect(engine.answered(.leaving(gone, engine.link), to: id) && !engine.answered(.removed(gone, engine.link), to: id))
    engine.run(for: .milliseconds(2))
    var removed: [DNSRecord] = []
    for case .answer(_, .removed(let record, _)) in engine.effects { removed.append(record) }
    #expect(removed == [gone])
    // Nor is it told to who asks only now.
    engine.clear()
    engine.do(.ask(.init(9), name, .any))
    var told: [DNSRecord] = []
    for case .answer(_, .added(let record, _)) in engine.effects { told.append(record) }
    #expect(Set(told) == Set(old.filter { $0.type != type } + [new]))
  }

  // §10.2: a set may come in several datagrams.
  @Test(arguments: [(900, false), (1100, true)]) func `what came within a second before stays`(milliseconds: Int, isGone: Bool)
  {
    let engine = askingEngine()
    engine.hear(host)
    engine.run(for: .milliseconds(milliseconds))
    engine.hear(second)
    engine.run(for: .seconds(3))
    #expect(engine.answered(.removed(host, engine.link)) == isGone)
    #expect(engine.answered(.added(second, engine.link)) && !engine.answered(.removed(second, engine.link)))
  }

  // §10.1, §10.2
  @Test func `a goodbye with the cache-flush bit for an unknown record replaces its set`() {
    let engine = askingEngine()
    engine.hear(host)
    engine.run(for: .seconds(5))
    engine.hear(DNSRecord("peer.local", second.data, timeToLive: 0, cacheFlush: true))
    #expect(engine.answered(.leaving(host, engine.link)))
    engine.run(for: .milliseconds(1001))
    #expect(engine.answered(.removed(host, engine.link)))
    #expect(!engine.answered(.added(second, engine.link)))
  }

  // §10.1
  @Test func `a goodbye without the cache-flush bit for an unknown record changes nothing`() {
    let engine = askingEngine()
    engine.hear(host)
    engine.run(for: .seconds(5))
    engine.clear()
    engine.hear(DNSRecord("peer.local", second.data, timeToLive: 0))
    engine.run(for: .seconds(2))
    #expect(engine.effects.isEmpty)
  }

  // §5.2
  @Test func `a known answer that becomes unique ends the series of questions`() {
    let engine = askingEngine()
    engine.run(for: .milliseconds(200))
    engine.hear(DNSRecord("peer.local", host.data, timeToLive: 120))
    engine.run(for: .milliseconds(300))
    engine.clear()
    engine.hear(host)
    engine.run(for: .seconds(60))
    #expect(engine.sent.isEmpty)
  }

  // §9: what another host may have too was not kept beside ours, and is asked for when ours is withdrawn without a goodbye.
  @Test func `a shared record that is withdrawn in a conflict is asked for again`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    engine.do(.ask(.init(1), "_services._dns-sd._udp.local", .ptr))
    engine.run(for: .seconds(20))
    engine.clear()
    let rival = DNSRecord(
      "mine._x._tcp.local", .srv(DNSService(target: "peer.local", port: 9)), timeToLive: 120, cacheFlush: true)
    engine.hear(rival)
    engine.run(for: .milliseconds(200))
    #expect(engine.questions("_services._dns-sd._udp.local", .ptr).count == 1)
  }

  // §6.6, §10.1: a goodbye makes a host that has the same record announce it.
  @Test func `a shared record that is withdrawn with a goodbye is not asked for again`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    engine.do(.ask(.init(1), "_services._dns-sd._udp.local", .ptr))
    engine.run(for: .seconds(20))
    engine.clear()
    engine.do(.withdraw(.init(1)))
    engine.run(for: .milliseconds(200))
    #expect(engine.questions("_services._dns-sd._udp.local", .ptr).isEmpty)
    #expect(!engine.responses.isEmpty)
  }

  // §10.2: our announcement flushes the caches of all other hosts, and ours does not hear it.
  @Test func `what is published here replaces what others said`() {
    let engine = LoneEngine()
    let name: DNSName = "mine._x._tcp.local"
    engine.do(.ask(.init(1), name, .txt))
    let theirs = DNSRecord(name, .txt([1, 0x61]), timeToLive: 4500, cacheFlush: true)
    engine.hear(theirs)
    engine.run(for: .seconds(10))
    engine.do(.publish(.init(2), [PublishedRecord(name, .data(.txt([1, 0x62])), .unique)]))
    engine.run(for: .seconds(5))
    #expect(engine.answered(.removed(theirs, engine.link)))
  }
}
