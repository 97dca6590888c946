import Testing

@testable import _BonjourishDiscovery

struct RegistrationTests {
  @Test func `a host is its first label in the rest`() throws {
    let address = try #require(IPAddress("192.0.2.7"))
    let host = try #require(
      Registration(host: "a\\.b\\032c.sub.local", addresses: [address], onConflict: .rename))
    #expect(host.name.text == "a.b c" && host.domain == "sub.local")
    #expect(host.hostName?.text == "a\\.b c.sub.local")
    #expect(host.renamed(to: host.alternativeName(step: 1)).hostName?.text == "a\\.b c-2.sub.local")
    #expect(host.service == nil && !host.needsThisHost)
    #expect(host.nameTaken.message.contains("host name"))
    #expect(Registration(host: "local", addresses: [address], onConflict: .fail) == nil)
  }

  @Test(arguments: [
    ("wiki", "wiki-2"), ("wiki-2", "wiki-3"), ("a-b", "a-b-2"), ("a-09", "a-09-2"), ("9", "9-2"), ("a-", "a--2"),
  ])
  func `hosts get the next number after a hyphen`(name: String, next: String) throws {
    #expect(try InstanceName(name).alternative(style: .host).text == next)
  }

  @Test func `only services of this host need its name`() throws {
    let own = Registration("Ada", type: "_x._tcp", domain: .local, port: 1, txt: [:])
    let other = Registration("Ada", type: "_x._tcp", domain: .local, port: 1, txt: [:], host: "b.local")
    let record = try CustomRecord("x.local", type: .hinfo, data: [1, 65, 1, 66], isUnique: false)
    let records = try #require(Registration(records: [record]))
    #expect(own.needsThisHost && !other.needsThisHost && !records.needsThisHost)
    #expect(records.conflictPolicy == .fail && records.name == "x")
    #expect(Registration(records: []) == nil)
  }

  @Test func `an alias points to its target`() {
    #expect(CustomRecord.alias("wiki.local", for: "ada.local").data == Array("\u{3}ada\u{5}local\u{0}".utf8))
  }

  @Test(arguments: [0, 41, 47, 128, 255] as [UInt16]) func `types that are no data are refused`(type: UInt16) {
    let error = #expect(throws: DiscoveryError.self) {
      try CustomRecord("x.local", type: RecordType(rawValue: type), data: [], isUnique: false)
    }
    #expect(error?.code == .invalidRecord)
  }

  @Test func `a record has at most 8,192 bytes`() throws {
    _ = try CustomRecord("x.local", type: .txt, data: [UInt8](repeating: 0, count: 8_192), isUnique: true)
    let error = #expect(throws: DiscoveryError.self) {
      try CustomRecord("x.local", type: .txt, data: [UInt8](repeating: 0, count: 8_193), isUnique: true)
    }
    #expect(error?.code == .invalidRecord)
  }

  @Test func `labels are unescaped and escaped again`() {
    let name: DomainName = "a\\.b\\\\.c\\195\\169.local"
    #expect(name.labels == [Array("a.b\\".utf8), Array("cé".utf8), Array("local".utf8)])
    #expect(DomainName(wire: name.wire[...]) == "a\\.b\\\\.cé.local")
    #expect(name.firstLabelAndRest?.rest == "cé.local")
    #expect(DomainName(label: String(repeating: "x", count: 64), in: .local) == nil)
  }
}
