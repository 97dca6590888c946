import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// Hosts that mean ill, or do not know better.
@Suite struct FloodTests {
  private let type: DNSName = "_x._tcp.local"

  private func announcement(_ label: String, host: UInt32) -> DNSMessage {
    var message = DNSMessage(isResponse: true)
    let name = try! type.adding(label: label)
    message.answers = [DNSRecord(type, .ptr(name), timeToLive: 4500)]
    message.additionals = [
      DNSRecord(name, .srv(DNSService(target: "evil.local", port: 1)), timeToLive: 120, cacheFlush: true),
      DNSRecord(name, .txt([0]), timeToLive: 4500, cacheFlush: true),
      DNSRecord(DNSName(literal: "evil-\(host).local"), .address(.ipv4(host)), timeToLive: 120, cacheFlush: true),
    ]
    return message
  }

  /// Four thousand false services a second, for two seconds, do not drive out a real one, however few senders they
  /// claim to come from; and the cache keeps its bound.
  /// After CVE-2026-48045: the cache of python-zeroconf had no bound.
  @Test(arguments: [1, 100] as [UInt32])
  func `false services do not hide real ones`(senders: UInt32) {
    let engine = LoneEngine()
    engine.do(.ask(.init(1), type, .ptr))
    let before = announcement("real", host: 3)
    let during = announcement("late", host: 4)
    engine.hear(before, from: 3)
    for number in 0..<8000 {
      engine.hear(announcement("false \(number)", host: 5), from: 10 + UInt32(number) % senders)
      if number == 6000 { engine.hear(during, from: 4) }
      if number % 4 == 0 { engine.run(for: .milliseconds(1)) }
    }
    let cache = engine.engine.links[0].querier.cache
    #expect(cache.foreignCount == 16_384)
    for real in [before, during] {
      #expect(!engine.answered(.removed(real.answers[0], engine.link)))
      for record in real.answers + real.additionals { #expect(cache.find(record.name, record.data) != nil) }
    }
    // What was let go of is told of: nothing is hidden without a word.
    let added = engine.effects.count { if case .answer(_, .added) = $0 { true } else { false } }
    let removed = engine.effects.count { if case .answer(_, .removed) = $0 { true } else { false } }
    #expect(added - removed == cache.slots(of: HashedKey(name: type, type: .ptr)).count)
  }

  @Test func `a cached record takes no more than 96 bytes besides its names`() {
    #expect(MemoryLayout<DNSData>.size == 24)
    #expect(MemoryLayout<CachedRecord?>.stride <= 96)
  }

  /// After CVE-2023-38469: a TXT record of 65,000 bytes ended Avahi.
  @Test func `long records are bounded by their bytes`() {
    let engine = LoneEngine()
    for number in 0..<3000 {
      let name = DNSName(literal: "long\(number).local")
      engine.hear(DNSRecord(name, .txt(Array(repeating: 0, count: 8000)), timeToLive: 4500, cacheFlush: true))
    }
    let cache = engine.engine.links[0].querier.cache
    #expect(cache.foreignCount * 8000 < 8 << 20)
    #expect(cache.foreignCount * 9000 > 8 << 20)
  }

  @Test(arguments: [false, true]) func `the caches of all links together are bounded`(haveLongRecords: Bool) {
    let engine = LoneEngine()
    let links = [engine.link] + (2...5).map { MulticastLink(interface: $0, family: .ipv4) }
    for link in links.dropFirst() { engine.do(.linkUp(link, addresses: [])) }
    func hear(_ record: DNSRecord, on link: MulticastLink, parsed: Bool = true) {
      var message = DNSMessage(isResponse: true)
      message.answers = [record]
      let source = MulticastSource(.ipv4(9), port: 5353, link: link)
      engine.do(
        parsed ? .heard(message, from: source, to: .multicast) : .received(message.written(), from: source, to: .multicast))
    }
    let real = DNSRecord("real.local", .address(.ipv4(3)), timeToLive: 120, cacheFlush: true)
    hear(real, on: links[4])
    for number in 0..<(haveLongRecords ? 1500 : 6000) {
      let data = DNSData.txt(Array(repeating: 0, count: haveLongRecords ? 8000 : 1))
      for link in links.prefix(4) { hear(DNSRecord(DNSName(literal: "x\(number).local"), data, timeToLive: 4500), on: link) }
    }
    for number in 0..<4 {
      hear(DNSRecord(DNSName(literal: "last\(number).local"), .txt([0]), timeToLive: 4500), on: links[number], parsed: false)
    }
    let caches = engine.engine.links.map(\.querier.cache)
    let (records, bytes) = (caches.map(\.foreignCount).reduce(0, +), caches.map(\.foreignBytes).reduce(0, +))
    #expect(records <= 16_384 && bytes <= 8 << 20)
    #expect(haveLongRecords ? bytes > 8 << 20 - 10_000 : records == 16_384)
    #expect(caches[4].find(real.name, real.data) != nil, "no flood there")
    #expect(caches.prefix(4).allSatisfy { $0.foreignCount >= records / 4 - 1 })
  }

  /// A set with a single owner that has thousands of members, each heard again and again.
  @Test func `a huge set is kept whole and forgotten whole`() {
    let engine = LoneEngine()
    engine.do(.ask(.init(1), "many.local", .a))
    for round in 0..<2 {
      for part in 0..<40 {
        var message = DNSMessage(isResponse: true)
        message.answers = (0..<100).map {
          DNSRecord("many.local", .address(.ipv4(UInt32(100 * part + $0))), timeToLive: UInt32(120 + round), cacheFlush: true)
        }
        engine.hear(message)
      }
      engine.run(for: .seconds(2))
    }
    #expect(engine.engine.links[0].querier.cache.foreignCount == 4000)
    engine.run(for: .seconds(200))
    #expect(engine.engine.links[0].querier.cache.foreignCount == 0)
  }

  /// The chains and loops of aliases that bring other responders down.
  /// CVE-2026-24401 is one of them.
  @Test func `loops of aliases are records like any other`() {
    let engine = LoneEngine()
    engine.do(.ask(.init(1), "a.local", .a))
    engine.do(.ask(.init(2), "a.local", .cname))
    let loop = [("a.local", "b.local"), ("b.local", "a.local"), ("c.local", "c.local")].map {
      DNSRecord(DNSName(literal: $0), .cname(DNSName(literal: $1)), timeToLive: 60, cacheFlush: true)
    }
    for record in loop { engine.hear(record) }
    engine.run(for: .seconds(100))
    #expect(engine.answered(.added(loop[0], engine.link), to: 2))
    #expect(engine.answered(.removed(loop[0], engine.link), to: 2))
  }

  /// After CVE-2026-47184: python-zeroconf kept the truncated queries of as many senders as somebody forged.
  @Test func `deferred queries are bounded`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.establish(VirtualHost.service("mine"))
    for sender in 0..<10_000 as Range<UInt32> { engine.hear(question: type, .ptr, truncated: true, from: 2 + sender) }
    #expect(engine.engine.links[0].load.deferredQueries == 64)
    // Those that waited longest were answered, and no more than once a second.
    #expect(engine.responses.count == 1)
  }

  @Test func `sources are told apart as far as there is room`() {
    var table = SourceTable()
    for sender in 0..<1000 as Range<UInt32> { _ = table.append(Int(sender), from: .ipv4(sender), isWanted: true) }
    var places: [Int32] = []
    for extra in 0..<50 { places.append(table.append(1000 + extra, from: .ipv4(7), isWanted: true)) }
    #expect(Set(places).count == 1)
    #expect(table.victim == 7)
    for (index, place) in places.enumerated() { table.remove(1000 + index, from: place, isWanted: true) }
    #expect(table.count == 1000)
  }

  /// After CVE-2026-48045, too: who announces true services beside a million false names is one sender.
  @Test func `what a sender says of a new service stays beside its thousands of names`() {
    var table = SourceTable()
    for name in 0..<16_000 { _ = table.append(name, from: .ipv4(7), isWanted: true) }
    let detail = table.append(16_000, from: .ipv4(7), isWanted: false)
    #expect(table.victim == 0, "a name, the oldest")
    // Records that nobody asks for do not drive out those that somebody asks for.
    for noise in 16_001..<19_000 { _ = table.append(noise, from: .ipv4(7), isWanted: false) }
    #expect(table.victim == 16_000)
    while table.count > 16_000, let victim = table.victim {
      table.remove(victim, from: detail, isWanted: victim < 16_000)
    }
    #expect(table.victim == 2000, "an eighth is left to what nobody asks for")
  }

  /// After CVE-2026-48045, too: each record that comes and goes costs whoever asks for it far more than its reading.
  @Test func `a flood of one sender is read, but soon not stored any more`() {
    let engine = LoneEngine()
    engine.do(.ask(.init(1), "many.local", .txt))
    func text(_ number: Int) -> DNSRecord {
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + [UInt8](repeating: 0, count: 8000)
      return DNSRecord("many.local", .txt(bytes), timeToLive: 4500)
    }
    for number in 0..<7000 { engine.hear(text(number), from: 3) }
    let kept = engine.engine.links[0].querier.cache.foreignCount
    let told = engine.effects.count { if case .answer(_, .added) = $0 { true } else { false } }
    #expect(told == kept + 4096)
    // Others' records are stored, and the sender's again as soon as it is quiet.
    engine.hear(text(7000), from: 4)
    #expect(engine.answered(.added(text(7000), engine.link)))
    engine.hear(text(7001), from: 3)
    #expect(!engine.answered(.added(text(7001), engine.link)))
    engine.run(for: .seconds(2))
    engine.hear(text(7001), from: 3)
    #expect(engine.answered(.added(text(7001), engine.link)))
  }
}
