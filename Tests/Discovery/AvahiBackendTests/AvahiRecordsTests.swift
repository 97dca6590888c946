#if Avahi
import CBonjourishAvahi.Common
import _BonjourishDiscovery
import Testing

@testable import _BonjourishAvahiBackend

struct AvahiRecordsTests {
  private let link = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)

  private func record(_ name: String, _ type: RecordType, _ bytes: [UInt8]) throws -> ResourceRecord {
    try #require(ResourceRecord(name: name, type: type, bytes: bytes, on: link))
  }

  private func pointer(_ labels: String...) throws -> ResourceRecord {
    let bytes: [UInt8] = labels.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    return try record("_http._tcp.local", .ptr, bytes)
  }

  @Test func `a name has no more escapes than it needs`() throws {
    #expect(try record(#"Ada\039s\032page\.1._http._tcp.local"#, .txt, []).name.text == #"Ada's page\.1._http._tcp.local"#)
    #expect(try record(#"caf\195\169.local"#, .a, [10, 0, 0, 1]).name == "caf\u{E9}.local")
    #expect(ResourceRecord(name: #"\255.local"#, type: .a, bytes: [10, 0, 0, 1], on: link) == nil, "not UTF-8")
  }

  @Test func `what Avahi does not tell is nil`() throws {
    let record = try record("x.local", .https, [1, 2])
    #expect(record.timeToLive == nil && record.isUnique == nil && record.bytes == [1, 2] && record.data == .other)
  }

  @Test func `the compressed name of a denial is the record's own`() throws {
    let record = try record("x.local", .nsec, [0xC0, 12, 0, 1, 0x40])
    #expect(record.data == .types([.a]))
    #expect(record.bytes == [1, 0x78, 5] + Array("local".utf8) + [0, 0, 1, 0x40])
    #expect(try self.record("x.local", .nsec, [0xC0, 12]).data == .other)
  }

  @Test func `types that avahi-daemon does not answer for are refused`() {
    for type in [RecordType.any, .cname] { #expect(type.reasonToRefuse?.contains("built-in engine") == true) }
    for type in [RecordType.a, .ptr, .https, .nsec] { #expect(type.reasonToRefuse == nil) }
  }

  @Test func `names in reverse mapping are looked up by multicast`() {
    #expect(RecordQuestion.Name.domain("1.0.77.10.IN-ADDR.ARPA").avahiFlags == AVAHI_LOOKUP_USE_MULTICAST)
    #expect(RecordQuestion.Name.domain("x.local").avahiFlags == AvahiLookupFlags(0))
  }

  // MARK: - Browsing

  private let query = BrowseQuery("_http._tcp", domain: .local)

  @Test func `instances are the targets of pointers`() throws {
    let ada = ServiceInstance("Ada. \u{1F3B2}", type: "_http._tcp")
    #expect(query.event(.added(try pointer("Ada. \u{1F3B2}", "_http", "_tcp", "local"))) == .appeared(ada, link))
    #expect(query.event(.removed(try pointer("ada. \u{1F3B2}", "_HTTP", "_tcp", "LOCAL"))) == .vanished(ada, link))
    #expect(query.event(.added(try pointer("x", "_ipp", "_tcp", "local"))) == nil, "another type")
    #expect(query.event(.added(try pointer("_http", "_tcp", "local"))) == nil, "no instance")
    #expect(query.event(.settled) == .settled && query.event(.restarted) == .restored && query.event(.cacheExhausted) == nil)
  }

  @Test func `any type and subtype is asked for`() throws {
    #expect(try query.question() == RecordQuestion(.domain("_http._tcp.local"), .ptr, for: query))
    for type in ["_z._tcp", "_nvstream_dbd._tcp", #"_a\.b._tcp"#] as [ServiceType] {
      let question = try BrowseQuery(type, subtype: "_x", domain: .local).question()
      #expect(question.name.dnsText == "_x._sub.\(type.dnsText).local")
    }
    let long = try DomainName(Array(repeating: String(repeating: "d", count: 61), count: 4).joined(separator: "."))
    #expect(throws: DiscoveryError.self) { try BrowseQuery("_http._tcp", domain: long).question() }
  }
}
#endif
