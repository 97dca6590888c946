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

  @Test(arguments: [1, 16, 40, 42, 127, 256, 65_535] as [UInt16]) func `types of data can be published`(type: UInt16) throws {
    #expect(try CustomRecord("x.local", type: RecordType(rawValue: type), data: [], isUnique: false).type.rawValue == type)
  }

  @Test func `a name that is taken is told with what was to be published`() throws {
    let alias = try #require(Registration(records: [.alias("w.local", for: "ada.local")]))
    #expect(alias.action == "publishing records of \"w.local\"" && alias.nameTaken.message.hasPrefix(alias.action))
    let host = try #require(Registration(host: "wiki.local", addresses: [v4(10, 0, 0, 1)], onConflict: .fail))
    #expect(host.action == "publishing the host name \"wiki.local\"" && host.nameTaken.message.hasPrefix(host.action))
    #expect(host.replacing(txt: ["v": "1"]) == host, "only services have a text")
  }

  @Test func `runs of one publisher have their identity in common`() {
    let (one, other) = (Succession(identity: 0xA1B2_C3D4), Succession(identity: 0xA1B2_C3D4, after: 7))
    #expect(one.publisher >> 32 == 0xA1B2_C3D4 && one.publisher != other.publisher)
    #expect(one.predecessor == nil && other.predecessor == 7)
    #expect(one.isRun(one.publisher) && one.isRun(other.publisher) && !one.isRun(0xA1B2_C3D5_0000_0000))
    let single = Succession(publisher: 0xA1B2_C3D4_0000_0001, after: 9)
    #expect(single.identity == nil && single.predecessor == 9 && !single.isRun(single.publisher))
  }

  @Test func `the steps to further names grow after four conflicts`() {
    struct Always: RandomNumberGenerator {
      let bits: UInt64
      func next() -> UInt64 { bits }
    }
    func steps(_ bits: UInt64) -> [Int] {
      var (numbers, random) = (AlternativeNumbers(), Always(bits: bits))
      return (1...9).map { _ in numbers.nextStep(using: &random) }
    }
    #expect(steps(.max) == [1, 1, 1, 1, 16, 64, 256, 1_024, 1_024])
    #expect(steps(0) == [Int](repeating: 1, count: 9))
  }
}
