import MulticastDNS
import Testing

@Suite struct DNSNameTests {
  @Test func textRoundTrips() throws {
    for text in ["host.local", "A\\.B\\\\C._http._tcp.local", "caf\u{E9} ☕️._x._udp.local", "\\000\\031\\127.local", "."] {
      #expect(try DNSName(text).description == text)
    }
    #expect(try DNSName("host.local.").description == "host.local")
    #expect(try DNSName(labels: [[0xFF, 0x41]]).description == "\\255A")
    #expect(try DNSName("\\255A").labels == [[0xFF, 0x41]])
  }

  // RFC 6762 §16
  @Test func onlyTheCaseOfASCIILettersIsIgnored() throws {
    #expect(try DNSName("HoSt.LOCAL") == DNSName("host.local"))
    #expect(try DNSName("HoSt.LOCAL").hashValue == DNSName("host.local").hashValue)
    #expect(try DNSName("É.local") != DNSName("é.local"))
    #expect(try DNSName("[.local") != DNSName("{.local"))
    #expect(try DNSName("@.local") != DNSName("`.local"))
    #expect(try DNSName("ab.local") != DNSName(labels: ["a", "b", "local"].map { Array($0.utf8) }))
  }

  // RFC 1035 §2.3.4
  @Test func lengthsAreChecked() throws {
    let label = String(repeating: "a", count: 63)
    #expect(try DNSName("\(label).\(label).\(label).\(String(repeating: "b", count: 61))").labels.count == 4)
    #expect(throws: DNSNameError.tooLong(bytes: 256)) {
      try DNSName("\(label).\(label).\(label).\(String(repeating: "b", count: 62))")
    }
    #expect(throws: DNSNameError.labelTooLong(bytes: 64)) { try DNSName("\(label)a.local") }
    #expect(throws: DNSNameError.emptyLabel) { try DNSName("a..local") }
    #expect(throws: DNSNameError.emptyLabel) { try DNSName(".local") }
    for text in ["a\\", "a\\2", "a\\25", "a\\256", "a\\2x5"] {
      #expect(throws: DNSNameError.badEscape) { try DNSName(text) }
    }
  }

  @Test func partsOfAName() throws {
    let name = try DNSName("local").adding(label: "A.B")
    #expect(name.description == "A\\.B.local")
    #expect(name.firstLabel == "A.B")
    #expect(name.parent?.description == "local")
    #expect(DNSName.root.parent == nil)
    #expect(DNSName.root.firstLabel == nil)
    #expect(try DNSName(labels: [[0xFF]]).firstLabel == nil)
  }
}
