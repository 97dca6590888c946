import TestSupport
import Testing
import _BonjourishBase

@testable import _BonjourishDiscovery

/// RFC 6763 §4.1.1.
struct InstanceNameTests {
  @Test(arguments: [
    "a", " ", ".", "\\", "Ada's game", "Büro 4. Stock", "名前", "a\u{202E}b", "\u{80}", String(repeating: "a", count: 63),
    String(repeating: "é", count: 31) + "a", String(repeating: "名", count: 21), "~", "#",
  ]) func `a valid name is accepted`(_ text: String) throws {
    #expect(try InstanceName(text).text == text)
  }

  @Test(arguments: [
    ("", "empty"), (String(repeating: "a", count: 64), "64 bytes"), (String(repeating: "é", count: 32), "64 bytes"),
    (String(repeating: "名", count: 21) + "a", "64 bytes"),
  ]) func `an invalid name is refused with a reason`(_ text: String, _ reason: String) throws {
    let error = try #require(throws: DiscoveryError.self) { try InstanceName(text) }
    #expect(error.code == .invalidInstanceName)
    #expect(error.message.contains(reason), "\(error)")
  }

  @Test func `every ASCII control character is refused, and no other ASCII character`() {
    for byte in UInt8.min...0x7F {
      let text = "a" + String(Unicode.Scalar(byte)) + "b"
      let value = try? InstanceName(text)
      #expect((value == nil) == (byte < 0x20 || byte == 0x7F), "\(byte)")
    }
  }

  @Test func `only the case of ASCII letters is ignored`() {
    let (small, large): (InstanceName, InstanceName) = ("ada@[`{", "ADA@[`{")
    #expect(small == large)
    #expect(small.hashValue == large.hashValue)
    #expect(large.text == "ADA@[`{")
    let (smallUmlaut, largeUmlaut): (InstanceName, InstanceName) = ("büro", "BÜRO")
    #expect(smallUmlaut != largeUmlaut)
    let (at, backquote): (InstanceName, InstanceName) = ("@", "`")
    #expect(at != backquote)
    let (kelvin, letter) = (InstanceName(received: "\u{212A}"), InstanceName(received: "K"))
    #expect(kelvin != letter)
  }

  @Test func `names from the network are compared by code points, not by their look`() throws {
    let composed = try #require(InstanceName(received: "caf\u{E9}"))
    let decomposed = try #require(InstanceName(received: "cafe\u{301}"))
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
    #expect(ServiceInstance(composed, type: game) != ServiceInstance(decomposed, type: game))
  }

  /// What Avahi's `avahi_alternative_service_name` answers.
  @Test(arguments: [
    ("Printer", "Printer #2"), ("Printer #2", "Printer #3"), ("Printer #9", "Printer #10"), ("Printer #1", "Printer #2"),
    ("Printer #0", "Printer #0 #2"), ("Printer #02", "Printer #02 #2"), ("Printer #", "Printer # #2"), ("#5", "#5 #2"),
    (" #5", " #6"), (" # 4", " # 4 #2"), ("x #2 #9", "x #2 #10"), ("x #+3", "x #+3 #2"), ("Printer #2 ", "Printer #2  #2"),
    ("x#2", "x#2 #2"), (String(repeating: "a", count: 63), String(repeating: "a", count: 60) + " #2"),
    (String(repeating: "a", count: 60) + " #9", String(repeating: "a", count: 59) + " #10"),
    (String(repeating: "é", count: 31), String(repeating: "é", count: 30) + " #2"),
  ]) func `the alternative name is that of Avahi`(_ text: String, _ next: String) throws {
    #expect(try InstanceName(text).alternative().text == next)
  }

  @Test func `the alternative of too large a number begins again at 2`() {
    let large: InstanceName = "x #2147483647"
    #expect(large.alternative().text == "x #2147483647 #2")
    let huge: InstanceName = "x #99999999999999999999999999"
    #expect(huge.alternative().text == "x #99999999999999999999999999 #2")
  }

  @Test func `the alternative of one long character is valid`() throws {
    let text = "e" + String(repeating: "\u{301}", count: 31)
    #expect(try InstanceName(text).alternative().text == " #2")
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `alternatives are valid and all different`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "é", "名", "#", " ", "2", "0", "\u{301}", "\u{600}", "👩🏽‍🚀", "\u{200D}"]
    for _ in 1...50 {
      var text = letters[random.number(in: 0..<letters.count)]
      for _ in 0..<random.number(in: 0..<40) {
        let more = text + letters[random.number(in: 0..<letters.count)]
        if more.utf8.count <= 63 { text = more }
      }
      var name = try InstanceName(text)
      var seen: Set<InstanceName> = [name]
      for _ in 1...12 {
        name = name.alternative()
        #expect(try InstanceName(name.text) == name)
        #expect(seen.insert(name).inserted, "\(text) → \(name)")
      }
    }
  }

  // RFC 6762 §16, RFC 6763 §4.1.1
  @Test(arguments: [
    ("Cafe\u{301}", "Caf\u{E9}"), ("e\u{323}\u{302}", "\u{1EC7}"), ("\u{E9}\u{323}", "\u{1EB9}\u{301}"),
    ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), ("\u{212B}", "\u{C5}"), ("\u{958}", "\u{915}\u{93C}"),
    ("#1 \u{1F98A}", "#1 \u{1F98A}"),
  ])
  func `a name is published and looked for in its composed form`(given: String, composed: String) throws {
    let name = try InstanceName(given)
    #expect(name.text.unicodeScalars.elementsEqual(composed.unicodeScalars))
    let same = try InstanceName(composed)
    #expect(name == same && name.alternative().text.hasPrefix(composed))
  }

  @Test func `a name from the network stays as it is`() throws {
    let decomposed = try #require(InstanceName(received: "Cafe\u{301}"))
    #expect(decomposed.text.utf8.count == 6)
    let composed: InstanceName = "Cafe\u{301}"
    #expect(decomposed != composed, "for DNS they are two names")
  }

  @Test func `the length is that of the composed form`() throws {
    #expect(try InstanceName(String(repeating: "e\u{301}", count: 31)).text.utf8.count == 62)
    #expect(throws: DiscoveryError.self) { try InstanceName(String(repeating: "e\u{301}", count: 32)) }
  }
}
