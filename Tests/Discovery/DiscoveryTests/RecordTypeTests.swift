import Testing

@testable import _BonjourishDiscovery

struct RecordTypeTests {
  @Test func `a type has IANA's name or its number`() throws {
    for (type, name) in [
      (RecordType.a, "A"), (.aaaa, "AAAA"), (.ptr, "PTR"), (.txt, "TXT"), (.srv, "SRV"), (.cname, "CNAME"), (.hinfo, "HINFO"),
      (.nsec, "NSEC"), (.https, "HTTPS"), (.any, "ANY"), (RecordType(rawValue: 65280), "TYPE65280"),
      (RecordType(rawValue: 0), "TYPE0"),
    ] {
      #expect(type.description == name)
      #expect(try RecordType(name) == type)
      #expect(try RecordType(name.lowercased()) == type)
      #expect(try RecordType("TYPE\(type.rawValue)") == type)
    }
    #expect(try RecordType("*") == .any)
  }

  /// IANA's registry of DNS parameters, as of 2026.
  @Test(arguments: [
    ("NS", 2), ("SOA", 6), ("MX", 15), ("RP", 17), ("AFSDB", 18), ("SIG", 24), ("KEY", 25), ("LOC", 29), ("NAPTR", 35),
    ("KX", 36), ("CERT", 37), ("DNAME", 39), ("OPT", 41), ("APL", 42), ("DS", 43), ("SSHFP", 44), ("IPSECKEY", 45),
    ("RRSIG", 46), ("DNSKEY", 48), ("DHCID", 49), ("NSEC3", 50), ("NSEC3PARAM", 51), ("TLSA", 52), ("SMIMEA", 53), ("HIP", 55),
    ("CDS", 59), ("CDNSKEY", 60), ("OPENPGPKEY", 61), ("CSYNC", 62), ("ZONEMD", 63), ("SVCB", 64), ("SPF", 99), ("EUI48", 108),
    ("EUI64", 109), ("TKEY", 249), ("TSIG", 250), ("IXFR", 251), ("AXFR", 252), ("URI", 256), ("CAA", 257),
  ]) func `a name has the number that it is registered with`(name: String, number: UInt16) throws {
    #expect(try RecordType(name).rawValue == number)
  }

  @Test func `every number is read as it is written`() throws {
    for number in UInt16.min ... .max {
      let type = RecordType(rawValue: number)
      #expect(try RecordType(type.description) == type)
    }
  }

  @Test(arguments: ["", "TYPE", "TYPE65536", "TYPE-1", "TYPE+1", "TYPE1x", "B", "A ", "ＡＡＡＡ", "\u{212A}X"])
  func `other text is refused`(_ text: String) {
    let error = #expect(throws: DiscoveryError.self) { try RecordType(text) }
    #expect(error?.code == .invalidRecordType && error?.message.contains("TYPE65") == true)
  }
}

/// RFC 1035 §3.3, RFC 2782, RFC 3596, RFC 4034 §4.1.
struct RecordDataTests {
  private func data(_ type: RecordType, _ bytes: [UInt8]) -> RecordData {
    ResourceRecord(name: "x.local", type: type, bytes: bytes, on: Link(eth0, .ipv4)).data
  }

  private let name: [UInt8] = [1, 0x78, 5] + Array("local".utf8) + [0]

  @Test func `data are parsed`() {
    #expect(data(.a, [10, 0, 0, 1]) == .address(v4(10, 0, 0, 1)))
    #expect(data(.aaaa, linkLocal(1, on: eth0).bytes) == .address(linkLocal(1, on: eth0)), "with its zone")
    for type in [RecordType.ptr, .cname, .ns, .dname] { #expect(data(type, name) == .pointer("x.local")) }
    #expect(data(.srv, [0, 1, 0, 2, 0x10, 0x92] + name) == .server(host: "x.local", port: 4242, priority: 1, weight: 2))
    #expect(data(.txt, [3, 0x61, 0x3D, 0x31]) == .text(["a": "1"]))
    #expect(data(.hinfo, [3, 0x41, 0x52, 0x4D, 0]) == .host(processor: "ARM", system: ""))
    #expect(data(.nsec, name + [0, 1, 0x40, 1, 1, 0x40]) == .types([.a, RecordType(rawValue: 257)]))
    #expect(data(.https, [1]) == .other)
    // The longest label and the longest bit map.
    let long = [63] + [UInt8](repeating: 0x61, count: 63) + [0]
    let last = long + [0, 32] + [UInt8](repeating: 0, count: 31) + [1]
    #expect(data(.nsec, last) == .types([.any]))
    #expect(data(.nsec, long) == .types([]))
  }

  @Test(arguments: [
    (RecordType.a, [10, 0, 0]), (.a, [UInt8](repeating: 0, count: 16)), (.aaaa, [10, 0, 0, 1]), (.ptr, []), (.ptr, [1, 0x78]),
    (.ptr, [0]), (.ptr, [0xC0, 12]), (.ptr, [1, 0xFF, 0]), (.srv, [0, 0, 0, 0, 0, 1]), (.srv, [0, 0, 0, 0, 0, 1, 2, 0]),
    (.hinfo, [1]), (.hinfo, [1, 65]), (.hinfo, [0, 0, 0]), (.nsec, []), (.nsec, [0, 0]), (.nsec, [0, 0, 0]),
    (.nsec, [0, 0, 33] + [UInt8](repeating: 1, count: 33)), (.nsec, [0xC0, 12, 0, 1, 1]), (.nsec, [5, 1]),
    (.nsec, [64] + [UInt8](repeating: 0x61, count: 64) + [0]),
  ]) func `data that break their form are not parsed`(_ type: RecordType, _ bytes: [UInt8]) {
    #expect(data(type, bytes) == .other)
  }

  @Test func `the case of names is no part of a record's identity`() {
    func record(_ type: RecordType, _ bytes: [UInt8]) -> ResourceRecord {
      ResourceRecord(name: "x.local", type: type, bytes: bytes, on: Link(eth0, .ipv4))
    }
    let upper = name.map { $0 == 0x78 ? 0x58 : $0 }
    #expect(record(.ptr, name).id == record(.ptr, upper).id)
    let server: [UInt8] = [0, 0, 0, 0, 0x58, 0x58]
    #expect(record(.srv, server + name).id == record(.srv, server + upper).id)
    #expect(record(.srv, server + name).id != record(.srv, [0, 0, 0, 0, 0x78, 0x78] + name).id, "a port has no case")
    #expect(record(.txt, [1, 0x58]).id != record(.txt, [1, 0x78]).id)
  }
}

struct FullNameTests {
  @Test(arguments: ["Ada's game", "a.b\\c", "caf\u{E9}", "x"]) func `an instance is read from its full name`(_ name: String)
    throws
  {
    let instance = ServiceInstance(try InstanceName(name), type: #"_a\.b._tcp"#, domain: "b.example")
    #expect(ServiceInstance(fullName: try instance.fullName) == instance)
  }

  @Test func `a full name has one label for the instance`() throws {
    let instance = ServiceInstance("Dr. Ada", type: "_http._tcp")
    #expect(try instance.fullName.text == #"Dr\. Ada._http._tcp.local"#)
    #expect(try instance.fullName.labels.count == 4)
    let long = ServiceInstance(
      try InstanceName(String(repeating: "a", count: 63)), type: "_http._tcp",
      domain: try DomainName([63, 63, 63].map { String(repeating: "d", count: $0) }.joined(separator: ".")))
    #expect(throws: DiscoveryError.self) { try long.fullName }
  }

  @Test(arguments: ["_http._tcp.local", "x._http._tcp", "x.http._tcp.local", "x.y._http._tcp.local", #"\255._http._tcp.local"#])
  func `another name is no instance`(_ name: String) throws {
    #expect(ServiceInstance(fullName: try DomainName(name)) == nil)
  }

  @Test func `an address has a name in reverse mapping`() throws {
    #expect(DomainName(reverseOf: v4(10, 77, 0, 1)).text == "1.0.77.10.in-addr.arpa")
    let address = try #require(IPAddress("4321:0:1:2:3:4:567:89ab"))
    #expect(DomainName(reverseOf: address).text == "b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa")
  }

  @Test(arguments: [
    (#"a\.b.local"#, #"a\.b.local"#), (#"a\032b.local"#, "a b.local"), (#"a\046b.local"#, #"a\.b.local"#),
    (#"\255.local"#, #"\255.local"#),
    (#"caf\195\169.local"#, "caf\u{E9}.local"), (#"\009\x"#, #"\009x"#), ("printer.local", "printer.local"),
  ]) func `a name has one form with as few escapes as possible`(_ text: String, _ canonical: String) throws {
    #expect(try DomainName(text).canonicalText == canonical)
    #expect(try DomainName(canonical).labels == DomainName(text).labels)
  }
}
