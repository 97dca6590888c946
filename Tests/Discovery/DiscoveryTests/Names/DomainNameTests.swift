import TestSupport
import Testing
import _BonjourishBase

@testable import _BonjourishDiscovery

/// RFC 1035 §2.3.
struct DomainNameTests {
  static let label63 = String(repeating: "a", count: 63)
  /// 3 × 64 + 62 + the root = 255 bytes.
  static let longest = [label63, label63, label63, String(repeating: "b", count: 61)].joined(separator: ".")

  @Test(arguments: [
    "local", "printer.local", "Büro.local", "a b.local", #"a\.b.local"#, #"a\\b.local"#, #"a\032b.local"#, #"\000\255"#,
    label63,
    label63 + ".local", longest, #"a\."#, "\u{600}a", #"\"# + "é",
  ]) func `a valid name is accepted`(_ text: String) throws {
    #expect(try DomainName(text).text == text)
    #expect(try DomainName(text + ".").text == text)
    #expect(try DomainName(text + ".") == DomainName(text))
  }

  @Test(arguments: [
    ("", "empty label"), (".", "empty label"), ("a..b", "empty label"), (".local", "empty label"), ("local..", "empty label"),
    (label63 + "a", "64 bytes"), (label63 + "a.local", "64 bytes"), (String(repeating: "é", count: 32), "64 bytes"),
    (longest + "b", "256 bytes"), ("a." + longest, "257 bytes"), ("a\\", "ends with a backslash"), (#"a\1"#, "three digits"),
    (#"a\12"#, "three digits"), (#"a\12x"#, "three digits"), (#"a\256"#, "three digits"), (#"a\999"#, "three digits"),
  ]) func `an invalid name is refused with a reason`(_ text: String, _ reason: String) throws {
    let error = try #require(throws: DiscoveryError.self) { try DomainName(text) }
    #expect(error.code == .invalidDomain)
    #expect(error.message.contains(reason), "\(error)")
  }

  @Test func `ASCII control characters are refused, also after a backslash`() {
    // A digit behind a backslash has two more behind it.
    for byte in UInt8.min...0x7F where !byte.isASCIIDigit {
      let scalar = String(Unicode.Scalar(byte))
      let isControl = byte < 0x20 || byte == 0x7F
      for text in ["a\(scalar)b", "a\\\(scalar)b"] { #expect(((try? DomainName(text)) == nil) == isControl, "\(byte)") }
    }
  }

  @Test func `an escape is one byte`() throws {
    #expect(try DomainName(String(repeating: #"\255"#, count: 63)).text.utf8.count == 252)
    #expect(try DomainName(String(repeating: #"\."#, count: 63)).text.utf8.count == 126)
    #expect(throws: DiscoveryError.self) { try DomainName(String(repeating: #"\."#, count: 64)) }
  }

  @Test func `a dot is a dot even as part of a longer character`() throws {
    let text = "a\u{600}."
    #expect(text.count == 2, "the premise: the sign and the dot are one character")
    #expect(try DomainName(text).text == "a\u{600}")
  }

  @Test func `only the case of ASCII letters is ignored`() {
    let (small, large): (DomainName, DomainName) = ("ada.local", "ADA.Local.")
    #expect(small == large)
    #expect(small.hashValue == large.hashValue)
    #expect(large.description == "ADA.Local")
    let (composed, decomposed): (DomainName, DomainName) = ("\u{E9}.local", "e\u{301}.local")
    #expect(composed != decomposed)
    let (smallUmlaut, largeUmlaut): (DomainName, DomainName) = ("ü.local", "Ü.local")
    #expect(smallUmlaut != largeUmlaut)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `the text of an accepted name is accepted again`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let pieces = ["a", "Z", ".", "\\", "0", "1", "2", "9", "-", "é", "\u{600}", "\u{1}", "\u{7F}", " "]
    var taken = 0
    for _ in 1...500 {
      let text = (0..<random.number(in: 0..<20)).map { _ in pieces[random.number(in: 0..<pieces.count)] }.joined()
      guard let name = try? DomainName(text) else { continue }
      #expect(try DomainName(name.text).text == name.text)
      #expect(!name.text.utf8.contains { $0 < 0x20 || $0 == 0x7F })
      taken += 1
    }
    #expect(taken > 0, "seed \(seed)")
  }
}
