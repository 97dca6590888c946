import TestSupport
import Testing
import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Random messages and random bytes; a failure tells the seed.
@Suite struct DNSMessagePropertyTests {
  private struct Maker {
    var random: SeededGenerator

    mutating func name() -> DNSName {
      let stems = ["local", "_tcp.local", "_x._tcp.local", "a.b.c.d.local", "caf\u{E9}.local", "LOCAL"]
      var name = DNSName(literal: stems.randomElement(using: &random)!)
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let length = Int.random(in: 1...12, using: &random)
        let label = String(
          String.UnicodeScalarView((0..<length).map { _ in Unicode.Scalar(UInt8.random(in: 0..<128, using: &random)) }))
        name = (try? name.adding(label: label)) ?? name
      }
      return name
    }

    mutating func bytes(upTo count: Int) -> [UInt8] {
      (0..<Int.random(in: 0...count, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    mutating func data() -> DNSData {
      switch Int.random(in: 0..<9, using: &random) {
      case 0: .address(.ipv4(.random(in: 0 ... .max, using: &random)))
      case 1: .address(.ipv6(high: random.next(), low: random.next()))
      case 2: .ptr(name())
      case 3: .srv(DNSService(target: name(), port: .random(in: 0 ... .max, using: &random), priority: 3, weight: 4))
      case 4: .txt(bytes(upTo: 40))
      case 5: .nsec(next: name(), types: DNSTypeSet([DNSType(rawValue: .random(in: 0...255, using: &random))])!)
      case 6: .cname(name())
      case 7: .hinfo(cpu: bytes(upTo: 9), system: bytes(upTo: 9))
      default: .other(DNSType(rawValue: .random(in: 300...400, using: &random)), bytes(upTo: 30))
      }
    }

    mutating func records() -> [DNSRecord] {
      (0..<Int.random(in: 0...6, using: &random)).map { _ in
        DNSRecord(name(), data(), timeToLive: .random(in: 0...100_000, using: &random), cacheFlush: .random(using: &random))
      }
    }

    mutating func message() -> DNSMessage {
      var message = DNSMessage(isResponse: .random(using: &random))
      message.id = .random(in: 0 ... .max, using: &random)
      message.isTruncated = .random(using: &random)
      message.questions = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        DNSQuestion(name(), DNSType(rawValue: .random(in: 0...300, using: &random)), wantsUnicast: .random(using: &random))
      }
      (message.answers, message.authorities, message.additionals) = (records(), records(), records())
      return message
    }
  }

  @Test func `what is written is read the same`() throws {
    for seed in seeds(1000, of: 3000) {
      var maker = Maker(random: SeededGenerator(seed: seed))
      let message = maker.message()
      let read = try DNSMessage(parsing: message.written())
      #expect(read == message, "seed \(seed)")
      #expect(read.written() == message.written(), "seed \(seed)")
    }
  }

  @Test func `no bytes trap the reader`() {
    var maker = Maker(random: SeededGenerator(seed: 1))
    var read = 0
    var corpus: [UInt8] = maker.message().written()
    for round in 0..<(1_000 * seeds(15, of: 50).upperBound) {
      var bytes: [UInt8]
      if round % 4 == 0 {
        bytes = [0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1] + maker.bytes(upTo: 60)
      } else {
        if round % 40 == 1 { corpus = maker.message().written() }
        bytes = corpus
        for _ in 0..<Int.random(in: 1...3, using: &maker.random) {
          bytes[Int.random(in: 4..<bytes.count, using: &maker.random)] = UInt8.random(in: 0...255, using: &maker.random)
        }
        bytes.removeLast(Int.random(in: 0...min(3, bytes.count), using: &maker.random))
      }
      if (try? DNSMessage(parsing: bytes)) != nil { read += 1 }
    }
    #expect(read > 750)
  }

  @Test func `no bytes trap the engine`() {
    var maker = Maker(random: SeededGenerator(seed: 2))
    var engine = MulticastEngine(seed: 1)
    let link = MulticastLink(interface: 1, family: .ipv4)
    _ = engine.handle(.linkUp(link, addresses: [InterfaceAddress(.ipv4(1), prefixLength: 8)]), at: .zero)
    _ = engine.handle(.setHostName("local"), at: .zero)
    let records = VirtualHost.service("a", "_tcp.local")
    _ = engine.handle(.publish(.init(1), records), at: .zero)
    for (id, type) in [DNSType.any, .ptr, .srv, .a].enumerated() {
      _ = engine.handle(.ask(.init(UInt64(id)), "_x._tcp.local", type), at: .zero)
    }
    var effects = 0
    for round in 0..<3000 {
      let source = MulticastSource(
        .ipv4(.random(in: 0...5, using: &maker.random)), port: round % 9 == 0 ? 4000 : 5353, link: link)
      let bytes = maker.message().written()
      let reception: MulticastEngine.Reception = round % 7 == 0 ? .unicast : .multicast
      effects += engine.handle(.received(bytes, from: source, to: reception), at: .milliseconds(7 * round)).count
    }
    #expect(effects > 300)
  }
}
