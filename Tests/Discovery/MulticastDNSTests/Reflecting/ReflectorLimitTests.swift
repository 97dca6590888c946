import TestSupport
import Testing
import _BonjourishBase
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// What strangers cannot make a reflector do.
@Suite struct ReflectorLimitTests {
  @Test func `a link gets a limited number of datagrams, which is counted`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2))
    for number in 0..<300 {
      var message = DNSMessage(isResponse: true)
      for part in 0..<40 {
        message.answers.append(
          DNSRecord(DNSName(literal: "host-\(number)-\(part).local"), .txt([UInt8](repeating: 1, count: 1300)), timeToLive: 120)
        )
      }
      for answer in message.answers {
        var one = DNSMessage(isResponse: true)
        one.answers = [answer]
        links.send(one.written(), on: 1, from: ReflectedLinks.address(ofHost: 9, on: 1))
      }
      links.run(for: .milliseconds(1))
    }
    links.run(for: .milliseconds(10))
    let counters = links.reflectors[0].counters
    #expect((8192...9000).contains(counters.sent[2]?.datagrams ?? 0))
    let kept = counters.passages[.init(from: 1, to: 2)]?.kept[.budget] ?? 0
    #expect(kept + (counters.sent[2]?.datagrams ?? 0) == 12_000)
    links.run(for: .seconds(20))
    links.clear()
    links.say([DNSRecord("host.local", .address(.ipv4(1)), timeToLive: 120)], on: 1)
    #expect(links.records(on: 2).count == 1)
  }

  private static func isAllowed(_ name: DNSName) -> Bool {
    switch ReflectedName(name) {
    case .type(let type), .subtype(_, of: let type), .instance(_, of: let type): type == "_ipp._tcp.local"
    case .types, .host: true
    case .other: false
    }
  }

  @Test func `random and broken datagrams neither trap nor carry what is not allowed`() throws {
    for seed in seeds(20, of: 1000) {
      var random = SeededGenerator(seed: seed)
      let links = ReflectedLinks()
      links.add(.among(1, 2, filter: ReflectionFilter("_ipp._tcp.local")))
      let service = ReflectedService("Label", "_ipp._tcp.local", on: "printer.local")
      var message = DNSMessage(isResponse: true)
      message.answers = service.records
      let whole = message.written()
      for _ in 0..<200 {
        var bytes = whole
        for _ in 0..<Int.random(in: 1...12, using: &random) {
          bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
        }
        if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
        links.send(
          bytes, on: .random(in: 1...2, using: &random), from: .ipv4(0x0A00_0102 + .random(in: 0...90, using: &random)),
          port: Bool.random(using: &random) ? 5353 : .random(in: 0 ... .max, using: &random))
        links.run(for: .milliseconds(Int64.random(in: 0...300, using: &random)))
      }
      let sent = links.datagrams.filter { $0.destination == nil && ($0.source.bytes.last ?? 0) == 200 }
      for datagram in sent {
        #expect(datagram.bytes.count <= 1440, "seed \(seed)")
        let message = try #require(datagram.message, "seed \(seed)")
        let records = message.answers + message.authorities + message.additionals
        for name in message.questions.map(\.name) + records.map(\.name) {
          #expect(Self.isAllowed(name), "seed \(seed): \(name)")
        }
      }
      #expect(links.reflectors[0].counters.malformed > 0, "seed \(seed)")
    }
  }

  @Test func `a table forgets the oldest, and keeps to its size`() {
    var table = Generations<Int, Int>(limit: 100)
    for number in 0..<1000 {
      table[number] = number
      #expect(table.count <= 200)
      #expect(table[max(0, number - 99)] != nil)
    }
    #expect(table[0] == nil && table[999] == 999)
    table[999] = nil
    #expect(table[999] == nil)
  }

  @Test func `what becomes of each question and record is told if somebody wants to know`() {
    let links = ReflectedLinks()
    links.add(.among(1, 2, filter: ReflectionFilter("_ipp._tcp.local")))
    let web = ReflectedService("Pages", "_http._tcp.local", on: "server.local")
    links.say([web.pointer], on: 1)
    links.ask([DNSQuestion("_ipp._tcp.local", .ptr)], on: 1)
    #expect(
      links.notes == [
        Reflector.Note(direction: .init(from: 1, to: 2), subject: .record(web.pointer), keptBy: .type),
        Reflector.Note(
          direction: .init(from: 2, to: 1), subject: .question(DNSQuestion("_ipp._tcp.local", .ptr)), keptBy: nil),
      ])
    var silent = Reflector(.among(1, 2))
    let link = MulticastLink(interface: 1, family: .ipv4)
    for interface in [UInt32(1), 2] {
      _ = silent.handle(
        .linkUp(MulticastLink(interface: interface, family: .ipv4), addresses: [], mtu: 1500), at: .zero)
    }
    var message = DNSMessage(isResponse: true)
    message.answers = [web.pointer]
    let effects = silent.handle(
      .heard(message.written(), from: MulticastSource(.ipv4(9), port: 5353, link: link)), at: .zero)
    #expect(effects.count == 1)
  }
}
