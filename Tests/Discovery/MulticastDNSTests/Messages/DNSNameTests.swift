import Testing

@testable import _BonjourishMulticastDNS

@Suite struct DNSNameTests {
  private func name(_ text: String) throws(DNSNameError) -> DNSName { try DNSName(text) }

  @Test func `text round trips`() throws {
    for text in ["host.local", "A\\.B\\\\C._http._tcp.local", "caf\u{E9} ☕️._x._udp.local", "\\000\\031\\127.local", "."] {
      #expect(try name(text).description == text)
    }
    #expect(try name("host.local.").description == "host.local")
    #expect(try DNSName(labels: [[0xFF, 0x41]]).description == "\\255A")
    #expect(try name("\\255A").labels == [[0xFF, 0x41]])
  }

  // RFC 6762 §16
  @Test func `only the case of ASCII letters is ignored`() throws {
    #expect(try name("HoSt.LOCAL") == name("host.local"))
    #expect(try name("HoSt.LOCAL").hashValue == name("host.local").hashValue)
    #expect(try name("É.local") != name("é.local"))
    #expect(try name("[.local") != name("{.local"))
    #expect(try name("@.local") != name("`.local"))
    #expect(try name("ab.local") != DNSName(labels: ["a", "b", "local"].map { Array($0.utf8) }))
  }

  /// avahi-daemon 0.8 has 255 characters for a name that it has escaped: two for a dot or a backslash, four for a space.
  @Test(arguments: [(".", 63, 63, 1), ("\\", 63, 63, 1), (" ", 31, 31, 5), ("-", 63, 63, 63)])
  func `a name that Avahi cannot hold is known`(character: String, first: Int, second: Int, rest: Int) throws {
    func name(_ rest: Int) throws -> DNSName {
      let labels = [first, second].map { Array(String(repeating: character, count: $0).utf8) }
      return try DNSName(labels: labels + [Array(String(repeating: "x", count: rest).utf8)])
    }
    #expect(try !name(rest).isTooLongForAvahi)
    if character != "-" { #expect(try name(rest + 1).isTooLongForAvahi) }
  }

  // RFC 1035 §2.3.4
  @Test func `lengths are checked`() throws {
    let label = String(repeating: "a", count: 63)
    #expect(try name("\(label).\(label).\(label).\(String(repeating: "b", count: 61))").labels.count == 4)
    #expect(throws: DNSNameError.tooLong(bytes: 256)) {
      try name("\(label).\(label).\(label).\(String(repeating: "b", count: 62))")
    }
    #expect(throws: DNSNameError.labelTooLong(bytes: 64)) { try name("\(label)a.local") }
    #expect(throws: DNSNameError.emptyLabel) { try name("a..local") }
    #expect(throws: DNSNameError.emptyLabel) { try name(".local") }
    for text in ["a\\", "a\\2", "a\\25", "a\\256", "a\\2x5"] {
      #expect(throws: DNSNameError.badEscape) { try name(text) }
    }
  }

  // Else a table of many names would be a list.
  @Test func `names, sets and records that differ hash differently`() throws {
    let (one, other) = (try name("a.local"), try name("b.local"))
    #expect(one.hashValue != other.hashValue)
    let sets = [SetKey(name: one, type: .a), SetKey(name: other, type: .a), SetKey(name: one, type: .txt)]
    #expect(Set(sets.map(\.hashValue)).count == 3)
    let data = [DNSData.txt([0]), .txt([1]), .ptr(one), .ptr(other)]
    let records = data.map { RecordKey(name: one, data: $0) } + [RecordKey(name: other, data: data[0])]
    #expect(Set(records.map(\.hashValue)).count == 5)
    #expect(Set(data.map { RecordKey.digest(one, $0) }).count == 4)
    let folded = HashedKey(name: try name("A.local"), type: .a)
    #expect(HashedKey(name: one, type: .a) == folded && HashedKey(name: one, type: .txt) != folded)
  }

  @Test func `parts of a name`() throws {
    let name = try self.name("local").adding(label: "A.B")
    #expect(name.description == "A\\.B.local")
    #expect(name.labels[0] == Array("A.B".utf8))
    #expect(name.parent?.description == "local")
    #expect(DNSName.root.parent == nil)
  }
}
