import Testing
import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishMulticastBackend

struct RegistrationRecordsTests {
  @Test func `a service of another host points to it`() throws {
    let registration = Registration(
      "Ada", type: "_x._tcp", domain: .local, port: 4242, txt: [:], host: "printer.local")
    try registration.check()
    let service = DNSService(target: try DNSName("printer.local"), port: 4242)
    #expect(
      try registration.records().contains(PublishedRecord(try DNSName("Ada._x._tcp.local"), .data(.srv(service)), .unique)))
  }

  @Test func `the records of a service with a random suffix are shared`() throws {
    let registration = Registration("Ada", type: "_x._tcp", domain: .local, port: 4242, txt: [:])
    #expect(try registration.records().count { $0.ownership == .unique } == 2)
    let assured = try registration.assured(by: "k7f3x2q9").records()
    #expect(assured.count == 4 && assured.allSatisfy { $0.ownership == .shared })
    let name = try DNSName("Ada #k7f3x2q9._x._tcp.local")
    #expect(assured.contains(PublishedRecord(name, .serviceOfThisHost(port: 4242), .shared)))
  }

  @Test func `a host is its addresses without zones`() throws {
    let addresses = try ["192.0.2.7", "fe80::7%eth0", "2001:db8::7"].map { try #require(IPAddress($0)) }
    let host = try #require(Registration(host: "a\\.b.local", addresses: addresses, onConflict: .fail))
    try host.check()
    let name = try DNSName(labels: [Array("a.b".utf8), Array("local".utf8)])
    let expected = try ["192.0.2.7", "fe80::7", "2001:db8::7"].map { text in
      PublishedRecord(name, .data(.address(try #require(IPAddress(text)))), .unique)
    }
    #expect(try host.records() == expected)
  }

  @Test func `records are published as they are`() throws {
    let name = try DNSName("x.local")
    let records = [
      CustomRecord.alias("x.local", for: "y.local"),
      try CustomRecord("x.local", type: .hinfo, data: [1, 65, 1, 66], isUnique: false),
      try CustomRecord("x.local", type: .https, data: [0, 1, 0], isUnique: true),
    ]
    let registration = try #require(Registration(records: records))
    try registration.check()
    #expect(
      try registration.records() == [
        PublishedRecord(name, .data(.cname(try DNSName("y.local"))), .unique),
        PublishedRecord(name, .data(.hinfo(cpu: [65], system: [66])), .shared),
        PublishedRecord(name, .data(.other(DNSType(rawValue: 65), [0, 1, 0])), .unique),
      ])
  }

  @Test(arguments: [(.a, 3), (.aaaa, 4), (.ptr, 0), (.srv, 6), (.hinfo, 1)] as [(RecordType, Int)])
  func `data that do not fit their type are refused`(type: RecordType, count: Int) throws {
    let record = try CustomRecord("x.local", type: type, data: [UInt8](repeating: 9, count: count), isUnique: false)
    let registration = try #require(Registration(records: [record]))
    let error = #expect(throws: DiscoveryError.self) { try registration.check() }
    #expect(error?.code == .invalidRecord)
  }

  @Test func `compressed names are refused`() throws {
    let record = try CustomRecord("x.local", type: .ptr, data: [1, 65, 0xC0, 12], isUnique: false)
    #expect(throws: DiscoveryError.self) { try #require(Registration(records: [record])).check() }
  }

  @Test func `names outside local are refused`() throws {
    let address = try #require(IPAddress("192.0.2.7"))
    let host = try #require(Registration(host: "x.example.com", addresses: [address], onConflict: .fail))
    let error = #expect(throws: DiscoveryError.self) { try host.check() }
    #expect(error?.code == .invalidDomain)
    // But a service may be on any host.
    try Registration("A", type: "_x._tcp", domain: .local, port: 1, txt: [:], host: "x.example.com").check()
  }

  /// 20,000 records in all.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `any text survives a message byte for byte`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (name, eth0) = (try DNSName("Ada._x._tcp.local"), NetworkInterface(index: 2, name: "eth0"))
    for _ in 1...1_000 {
      let txt = try TXTRecord(strings: randomStrings(using: &random))
      let wish = Registration("Ada", type: "_x._tcp", domain: .local, port: 1, txt: txt)
      guard case .data(let data)? = try wish.records().first(where: { $0.content == .data(.txt(txt.data)) })?.content else {
        Issue.record("no text")
        return
      }
      var message = DNSMessage(isResponse: true)
      message.answers = [DNSRecord(name, data, timeToLive: 4500, cacheFlush: true)]
      let received = try #require(try DNSMessage(parsing: message.written()).answers.first)
      guard case .text(let read)? = ResourceRecord(received, on: Link(eth0, .ipv4))?.data else {
        Issue.record("not a text: \(received)")
        return
      }
      guard read == txt, read.strings == txt.strings, read.data == txt.data else {
        Issue.record("\(txt.strings) became \(read.strings)")
        return
      }
    }
  }

  /// Strings of all kinds: pairs, keys without a value, empty ones, repeated keys, and any bytes.
  private func randomStrings(using random: inout SeededGenerator) -> [[UInt8]] {
    let strings = (0..<Int.random(in: 0...6, using: &random)).map { _ -> [UInt8] in
      let key = Array(["a", "B", "b", "key with space", "", "\u{7F}"].randomElement(using: &random)!.utf8)
      let value = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      switch Int.random(in: 0...4, using: &random) {
      case 0: return key
      case 1: return key + [UInt8(ascii: "=")]
      case 2: return value
      case 3: return (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      default: return key + [UInt8(ascii: "=")] + value
      }
    }
    // A single empty string is how an empty record is written.
    return strings == [[]] ? [] : strings
  }
}
