import CBonjourishLinux
import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// How fast the engine is and how much room it takes. Run in release: `ENGINE_FIGURES=1 swift test -c release --filter EngineFigures`.
@Suite(.serialized, .enabled(if: getenv("ENGINE_FIGURES") != nil)) struct EngineFigures {
  private let link = MulticastLink(interface: 1, family: .ipv4)

  private func engine() -> MulticastEngine {
    var engine = MulticastEngine(seed: 1)
    _ = engine.handle(.linkUp(link, addresses: [InterfaceAddress(.ipv4(0x0A00_0001), prefixLength: 8)]), at: .zero)
    _ = engine.handle(.setHostName("me.local"), at: .zero)
    _ = engine.handle(.ask(.init(1), "_x._tcp.local", .ptr), at: .zero)
    return engine
  }

  private func announcement(_ number: Int) -> [UInt8] {
    var message = DNSMessage(isResponse: true)
    let name = DNSName(literal: "service number \(number)._x._tcp.local")
    let host = DNSName(literal: "host-\(number % 500).local")
    message.answers = [DNSRecord("_x._tcp.local", .ptr(name), timeToLive: 4500)]
    message.additionals = [
      DNSRecord(name, .srv(DNSService(target: host, port: 1)), timeToLive: 120, cacheFlush: true),
      DNSRecord(name, .txt([0]), timeToLive: 4500, cacheFlush: true),
      DNSRecord(host, .address(.ipv4(UInt32(number % 500))), timeToLive: 120, cacheFlush: true),
    ]
    return message.written()
  }

  /// The memory of this process that is in use, as the kernel counts it.
  private func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    fgets(&line, 128, file)
    let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * 4096 : 0
  }

  private func measure(_ label: String, _ datagrams: [[UInt8]], _ engine: inout MulticastEngine, sources: UInt32 = 200) {
    var effects = 0
    var now = Duration.seconds(10)
    let time = ContinuousClock().measure {
      for (index, bytes) in datagrams.enumerated() {
        let source = MulticastSource(.ipv4(0x0A00_0100 + UInt32(index) % sources), port: 5353, link: link)
        now += .microseconds(5)
        effects += engine.handle(.received(bytes, from: source, to: .multicast), at: now).count
        if let deadline = engine.nextDeadline, deadline <= now { effects += engine.handle(.timePassed, at: now).count }
      }
    }
    let rate = Double(datagrams.count) / (Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18)
    print("\(label): \(Int(rate)) datagrams/s, \(effects) effects")
  }

  @Test func `datagrams per second`() {
    var engine = engine()
    let few = (0..<100_000).map { announcement($0 % 2000) }
    measure("2,000 services repeated", few, &engine)
    measure("2,000 services repeated", few, &engine)
    var flooded = self.engine()
    measure("new services without end", (0..<100_000).map { announcement($0) }, &flooded)
    var query = DNSMessage(isResponse: false)
    query.questions = [DNSQuestion("_other._tcp.local", .ptr)]
    query.answers = (0..<10).map {
      DNSRecord("_other._tcp.local", .ptr(DNSName(literal: "o\($0)._other._tcp.local")), timeToLive: 4000)
    }
    measure("queries of others", Array(repeating: query.written(), count: 100_000), &engine)
  }

  @Test func `memory per record`() {
    let count = 4000
    let datagrams = (0..<count).map { announcement($0) }
    var engine = engine()
    let before = residentBytes()
    for bytes in datagrams {
      let source = MulticastSource(.ipv4(0x0A00_0200), port: 5353, link: link)
      _ = engine.handle(.received(bytes, from: source, to: .multicast), at: .seconds(20))
    }
    let records = 3 * count + 500
    let after = residentBytes()
    print("bytes per cached record: \((after - before) / records), \(records) records, deadline \(engine.nextDeadline as Any)")
  }

  @Test func `publishing, answering and ending many services`() {
    var engine = engine()
    var now = Duration.zero
    var sent = 0
    var bytes = 0
    func count(_ effects: [MulticastEngine.Effect]) {
      for case .send(let packet, _, _) in effects {
        sent += 1
        bytes += packet.count
      }
    }
    let time = ContinuousClock().measure {
      for number in 0..<2000 {
        count(engine.handle(.publish(.init(UInt64(number)), VirtualHost.service("service \(number)")), at: now))
      }
      while let deadline = engine.nextDeadline, deadline < .seconds(20) {
        now = deadline
        count(engine.handle(.timePassed, at: now))
      }
    }
    print("2,000 services published in \(time): \(sent) datagrams, \(bytes) bytes")
    (sent, bytes) = (0, 0)
    var query = DNSMessage(isResponse: false)
    query.questions = [DNSQuestion("_x._tcp.local", .ptr)]
    let source = MulticastSource(.ipv4(0x0A00_0200), port: 5353, link: link)
    let answering = ContinuousClock().measure {
      count(engine.handle(.received(query.written(), from: source, to: .multicast), at: .seconds(20)))
      count(engine.handle(.timePassed, at: .seconds(21)))
    }
    print("2,000 services told in \(answering): \(sent) datagrams, \(bytes) bytes")
    (sent, bytes) = (0, 0)
    let ending = ContinuousClock().measure { count(engine.handle(.shutDown, at: .seconds(30))) }
    print("2,000 goodbyes in \(ending): \(sent) datagrams, \(bytes) bytes")
  }
}
