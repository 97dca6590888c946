import TestSupport
import Testing

@testable import Discovery

/// RFC 6763 §4.1.1.
@Suite("Instance name") struct InstanceNameTests {
  @Test(arguments: [
    "a", " ", ".", "\\", "Ada's game", "Büro 4. Stock", "名前", "a\u{202E}b", "\u{80}", String(repeating: "a", count: 63),
    String(repeating: "é", count: 31) + "a", String(repeating: "名", count: 21), "~", "#",
  ]) func isTaken(_ text: String) throws {
    #expect(try InstanceName(text).text == text)
  }

  @Test(arguments: [
    ("", "empty"), (String(repeating: "a", count: 64), "64 bytes"), (String(repeating: "é", count: 32), "64 bytes"),
    (String(repeating: "名", count: 21) + "a", "64 bytes"),
  ]) func isRefused(_ text: String, _ reason: String) throws {
    let error = try #require(throws: DiscoveryError.self) { try InstanceName(text) }
    #expect(error.code == .invalidInstanceName)
    #expect(error.message.contains(reason), "\(error)")
  }

  @Test func everyControlCharacterOfASCIIIsRefusedAndNoOther() {
    for byte in UInt8.min...0x7F {
      let text = "a" + String(Unicode.Scalar(byte)) + "b"
      let value = try? InstanceName(text)
      #expect((value == nil) == (byte < 0x20 || byte == 0x7F), "\(byte)")
    }
  }

  @Test func onlyTheCaseOfASCIIDoesNotMatter() {
    let (small, large): (InstanceName, InstanceName) = ("ada@[`{", "ADA@[`{")
    #expect(small == large)
    #expect(small.hashValue == large.hashValue)
    #expect(large.text == "ADA@[`{")
    let (smallUmlaut, largeUmlaut): (InstanceName, InstanceName) = ("büro", "BÜRO")
    #expect(smallUmlaut != largeUmlaut)
    let (at, backquote): (InstanceName, InstanceName) = ("@", "`")
    #expect(at != backquote)
    let (kelvin, letter): (InstanceName, InstanceName) = ("\u{212A}", "K")
    #expect(kelvin != letter)
  }

  @Test func codePointsMatterNotWhatTheyLookLike() {
    let (composed, decomposed): (InstanceName, InstanceName) = ("caf\u{E9}", "cafe\u{301}")
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
  ]) func alternative(_ text: String, _ next: String) throws {
    #expect(try InstanceName(text).alternative.text == next)
  }

  @Test func alternativeOfANumberThatIsTooLargeBeginsAgain() {
    let large: InstanceName = "x #2147483647"
    #expect(large.alternative.text == "x #2147483647 #2")
    let huge: InstanceName = "x #99999999999999999999999999"
    #expect(huge.alternative.text == "x #99999999999999999999999999 #2")
  }

  @Test func alternativeOfOneLongCharacterIsValid() throws {
    let text = "e" + String(repeating: "\u{301}", count: 31)
    #expect(try InstanceName(text).alternative.text == " #2")
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func alternativesAreValidAndAllDifferent(seed: UInt64) throws {
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
        name = name.alternative
        #expect(try InstanceName(name.text) == name)
        #expect(seen.insert(name).inserted, "\(text) → \(name)")
      }
    }
  }
}
