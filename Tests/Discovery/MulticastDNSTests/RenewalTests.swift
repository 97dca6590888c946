import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// How many datagrams it takes to keep known what is known (RFC 6762 §5.2, §5.3, §7.3).
@Suite struct RenewalTests {
  private let type: DNSName = "_x._tcp.local"

  private func host(_ number: Int) -> DNSRecord {
    DNSRecord(DNSName(literal: "host-\(number).local"), .address(.ipv4(UInt32(number))), timeToLive: 120, cacheFlush: true)
  }

  /// What is sent in an hour, from the tenth minute, between a host with services and one that browses or resolves them, over IPv4 and
  /// IPv6.
  private func hour(services: Int, asks: Bool, resolves: Bool, seed: UInt64) -> [DNSMessage] {
    let network = VirtualNetwork(seed: seed)
    let hosts = (1...2).map { number in
      let addresses = [InterfaceAddress.ipv4(number, on: 0), .linkLocal(number)]
      return network.addHost([VirtualInterface(1, on: 0, addresses: addresses)])
    }
    hosts[0].do(.setHostName("h1.local"))
    for number in 0..<services { _ = hosts[0].publish("Life \(number)") }
    network.run(for: .seconds(10))
    if asks { _ = hosts[1].ask("_x._tcp.local", .ptr) }
    network.run(for: .seconds(2))
    if resolves {
      for number in 0..<services {
        for type in [DNSType.srv, .txt] { _ = hosts[1].ask("Life \(number)._x._tcp.local", type) }
      }
      for type in [DNSType.a, .aaaa] { _ = hosts[1].ask("h1.local", type) }
    }
    network.run(for: .seconds(588))
    let before = network.wire.count
    network.run(for: .seconds(3600))
    for (id, records) in hosts[1].answers { #expect(!records.isEmpty, "\(id) is lost") }
    return network.wire[before...].map { $0.message }
  }

  /// The datagrams that avahi-daemon 0.8 takes for the same.
  @Test(arguments: [(1, 149), (10, 149), (100, 596)])
  func `an hour of a browser that resolves takes no more datagrams than with Avahi`(services: Int, ofAvahi: Int) {
    let seeds = UInt64(1)...(services < 100 ? 8 : 2)
    let hours = seeds.map { hour(services: services, asks: true, resolves: true, seed: $0).count }
    #expect(hours.reduce(0, +) <= ofAvahi * hours.count, "\(hours)")
    #expect(hours.allSatisfy { $0 <= ofAvahi + 6 }, "\(hours)")
  }

  @Test func `an hour in which nobody resolves takes hardly any datagrams`() {
    #expect(hour(services: 10, asks: false, resolves: false, seed: 1).isEmpty)
    let browsing = hour(services: 10, asks: true, resolves: false, seed: 1)
    #expect(browsing.count <= 12, "\(browsing.count)")
  }

  // §5.2, §5.3: within half a second here.
  @Test func `records that came within a second are asked for together`() {
    var together = 0
    for seed in UInt64(0)..<40 {
      let engine = LoneEngine(seed: seed)
      for number in 0..<20 { engine.do(.ask(.init(UInt64(number)), host(number).name, .a)) }
      for number in 0..<20 {
        engine.hear(host(number), from: UInt32(2 + number))
        engine.run(for: .milliseconds(25))
      }
      engine.clear()
      let heard = engine.now
      engine.run(for: .seconds(98.6))
      // None before 80 % of its life or after 82 % of it, but for the time that questions wait for each other.
      for sent in engine.sent {
        for question in sent.message.questions {
          let number = (0..<20).first { host($0).name == question.name }!
          let age = sent.time - heard + .milliseconds(25 * (20 - number))
          #expect((.seconds(96) ... .seconds(98.52)).contains(age), "seed \(seed), host \(number)")
        }
      }
      #expect(engine.sent.reduce(0) { $0 + $1.message.questions.count } == 20)
      if engine.sent.count == 1 { together += 1 }
      #expect(engine.sent.count <= 6)
    }
    #expect(together >= 25, "\(together)")
  }

  // §5.2: two hosts that heard the same answer do not ask at the same moment.
  @Test func `each host has a jitter of its own and another one each time`() {
    let moments = (UInt64(0)..<100).map { seed -> (Duration, Duration) in
      let engine = LoneEngine(seed: seed)
      engine.do(.ask(.init(1), host(1).name, .a))
      engine.hear(host(1))
      engine.run(for: .seconds(1))
      engine.clear()
      engine.run(for: .seconds(98))
      let first = engine.sent[0].time
      engine.hear(host(1))
      let heard = engine.now
      engine.clear()
      engine.run(for: .seconds(99))
      return (first - .seconds(196), engine.sent[0].time - heard - .seconds(96))
    }
    for moments in [moments.map { $0.0 }, moments.map { $0.1 }] {
      #expect(moments.allSatisfy { .zero <= $0 && $0 <= .seconds(2.52) })
      #expect(moments.count { $0 < .seconds(1.2) } > 30 && moments.count { $0 > .seconds(1.3) } > 30)
    }
    #expect(moments.count { abs(($0.0 - $0.1).microseconds) > 300_000 } > 60)
  }

  // §7.3: a question that waits for others is not asked when somebody else's was answered meanwhile.
  @Test func `what another host has had repeated is not asked for`() {
    for seed in UInt64(0)..<20 {
      let engine = LoneEngine(seed: seed)
      let long = DNSRecord("s._x._tcp.local", .txt([0]), timeToLive: 4500, cacheFlush: true)
      engine.do(.ask(.init(1), long.name, .txt))
      engine.hear(long)
      engine.run(for: .seconds(3601))
      engine.hear(long)
      engine.run(for: .seconds(3599))
      #expect(engine.sent.isEmpty, "seed \(seed)")
    }
  }

  // §5.2: a series that is put off goes on with intervals at least twice as long as the one before.
  @Test func `the intervals of a series that waits for a renewal still double`() {
    let engine = LoneEngine()
    let pointer = DNSRecord(type, .ptr("s._x._tcp.local"), timeToLive: 4500)
    engine.do(.ask(.init(1), type, .ptr))
    engine.do(.ask(.init(2), host(1).name, .a))
    engine.hear(pointer, host(1))
    while engine.now < .seconds(9 * 3600) {
      let sent = engine.sent.count
      engine.run(for: .seconds(1))
      let asked = engine.sent[sent...].flatMap(\.message.questions)
      if asked.contains(where: { $0.name == host(1).name }) { engine.hear(pointer, host(1)) }
    }
    let series = engine.questions(type, .ptr)
    let gaps = zip(series.dropFirst(), series).map { $0.time - $1.time }
    for (next, former) in zip(gaps.dropFirst(), gaps) { #expect(next >= min(former * 2, .seconds(3600)), "\(gaps)") }
    #expect(gaps.count > 12 && gaps.allSatisfy { $0 < .seconds(3600 + 450) })
    // In the end each goes with a renewal.
    #expect(series.suffix(5).allSatisfy { $0.message.questions.count == 2 })
  }
}
