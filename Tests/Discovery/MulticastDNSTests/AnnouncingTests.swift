import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What goes along with announcements and updates, and how often (RFC 6762 §6, §6.1, §8.3, §8.4).
@Suite struct AnnouncingTests {
  private let four = InterfaceAddress(LoneEngine.address, prefixLength: 24)
  private let six = InterfaceAddress(.ipv6(high: 0xFE80 << 48, low: 1), prefixLength: 64)

  /// The times at which records went out by multicast.
  private func times(in engine: LoneEngine, _ isCounted: (DNSRecord) -> Bool) -> [Duration] {
    engine.responses.flatMap { sent in
      (sent.message.answers + sent.message.additionals).filter(isCounted).map { _ in sent.time }
    }
  }

  // §6
  @Test func `announcements carry the addresses of the host once a second`() {
    let engine = LoneEngine(hostName: "me.local")
    for number in 0..<4 as Range<UInt64> {
      engine.do(.publish(.init(number), VirtualHost.service("s\(number)")))
      engine.run(for: .milliseconds(300))
    }
    engine.run(for: .seconds(10))
    let times = times(in: engine) { $0.name == "me.local" && $0.type == .a }
    #expect(times.count >= 3)
    for (later, earlier) in zip(times.dropFirst(), times) { #expect(later - earlier >= .seconds(1)) }
  }

  // §8.3, §8.4
  @Test func `an update does not end the announcing of unchanged records`() {
    let engine = LoneEngine()
    let name: DNSName = "mine._x._tcp.local"
    let rest = [
      PublishedRecord(name, .data(.srv(DNSService(target: "me.local", port: 5))), .unique),
      PublishedRecord("_x._tcp.local", .data(.ptr(name)), .shared),
    ]
    func text(_ byte: UInt8) -> PublishedRecord { PublishedRecord(name, .data(.txt([1, byte])), .unique) }
    engine.do(.publish(.init(1), [text(1)] + rest))
    while engine.responses.isEmpty { engine.run(for: .milliseconds(10)) }
    engine.clear()
    engine.do(.update(.init(1), [text(2)] + rest))
    engine.run(for: .seconds(10))
    for type in [.ptr, .srv] as [DNSType] {
      #expect(engine.responses.flatMap(\.message.answers).count { $0.type == type } >= 2, "\(type)")
    }
  }

  // §6, §9: probing for a name again takes less than a second.
  @Test func `records of a disputed name still go out once a second`() {
    let name: DNSName = "mine._x._tcp.local"
    for seed in 0..<20 as Range<UInt64> {
      let engine = LoneEngine(seed: seed)
      engine.establish([
        PublishedRecord(name, .data(.txt([1, 0x62])), .unique),
        PublishedRecord("_x._tcp.local", .data(.ptr(name)), .shared),
      ])
      engine.hear(question: "_x._tcp.local", .ptr)
      engine.run(for: .milliseconds(120))
      engine.hear(DNSRecord(name, .txt([1, 0x63]), timeToLive: 4500, cacheFlush: true))
      engine.run(for: .seconds(10))
      for type in [.ptr, .txt] as [DNSType] {
        let times = times(in: engine) { $0.type == type }
        let intervals = zip(times.dropFirst(), times).map(-)
        #expect(intervals.count >= 2 && intervals.allSatisfy { $0 >= .seconds(1) }, "\(type), seed \(seed)")
      }
    }
  }

  // §6.1
  @Test func `a denial names the types that are left`() {
    let engine = LoneEngine(addresses: [four, six], hostName: "me.local")
    engine.do(.linkChanged(engine.link, addresses: [four]))
    engine.run(for: .seconds(10))
    engine.clear()
    engine.hear(question: "me.local", .aaaa)
    #expect(engine.responses.first?.message.answers.map(\.data) == [.nsec(next: "me.local", types: DNSTypeSet([.a])!)])
  }

  // §6, §6.1
  @Test func `a denial that changes goes out once a second`() {
    let engine = LoneEngine(addresses: [four, six], hostName: "me.local")
    engine.hear(question: "me.local", .txt)
    engine.run(for: .milliseconds(100))
    engine.do(.linkChanged(engine.link, addresses: [four]))
    engine.hear(question: "me.local", .txt)
    engine.run(for: .seconds(3))
    let times = times(in: engine) { $0.type == .nsec }
    #expect(times.count >= 2)
    for (later, earlier) in zip(times.dropFirst(), times) { #expect(later - earlier >= .seconds(1)) }
  }
}
