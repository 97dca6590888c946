import Testing

@testable import TwentyFour

struct PlayerNameTests {
  @Test(arguments: ["Bob", "Æsa", "Zoë 👩‍👩‍👧", "李雷", "O'Neill (2)", String(repeating: "x", count: 32), "❤️ Zoë"])
  func `takes names as people write them`(text: String) throws {
    #expect(try PlayerName(text).text == text)
    #expect(try PlayerName("  \(text)\t").text == text)
  }

  @Test(
    arguments: [
      ("", .empty), (" \n ", .empty), ("\u{200D}\u{200C}", .empty), ("\u{301}", .empty),
      ("\u{3164}", .forbiddenCharacter("\u{3164}")),
      (String(repeating: "x", count: 33), .tooLong), (String(repeating: "李", count: 22), .tooLong),
      (String(repeating: " ", count: 100_000), .tooLong), ("x" + String(repeating: "\u{301}", count: 40), .tooLong),
      ("a\u{7}b", .forbiddenCharacter("\u{7}")), ("a\u{1B}[2Jb", .forbiddenCharacter("\u{1B}")),
      ("a\nb", .forbiddenCharacter("\n")),
      ("a\u{202E}b", .forbiddenCharacter("\u{202E}")), ("a\u{2066}b", .forbiddenCharacter("\u{2066}")),
      ("a\u{200F}b", .forbiddenCharacter("\u{200F}")), ("a\u{61C}b", .forbiddenCharacter("\u{61C}")),
      ("a\u{2028}b", .forbiddenCharacter("\u{2028}")), ("a\u{9B}b", .forbiddenCharacter("\u{9B}")),
      ("a\u{2800}b", .forbiddenCharacter("\u{2800}")), ("a\u{3164}b", .forbiddenCharacter("\u{3164}")),
      ("a\u{AD}b", .forbiddenCharacter("\u{AD}")), ("a\u{E0061}b", .forbiddenCharacter("\u{E0061}")),
      ("a\u{300}\u{301}\u{302}\u{303}\u{304}", .tooManyMarks), ("a\u{301}\u{301}", .tooManyMarks),
      ("Ada (host)", .reserved("(host)")), ("(YOU)", .reserved("(you)")),
      ("a\u{E000}b", .forbiddenCharacter("\u{E000}")), ("a\0b", .forbiddenCharacter("\0")),
    ] as [(String, PlayerName.Invalid)])
  func `refuses what cannot be seen or disturbs what is seen`(text: String, reason: PlayerName.Invalid) {
    #expect(throws: reason) { try PlayerName(text) }
    #expect(reason.description.hasSuffix("."))
  }

  @Test(
    arguments: [
      ("Ada   B", "Ada B"), ("Ada\u{A0}\u{3000}B", "Ada B"), ("A\u{200D}d\u{200C}a", "Ada"), ("A\u{FE0F}da", "Ada"),
      ("می‌خواهم", "میخواهم"), ("a\u{300}\u{301}", "a\u{300}\u{301}"),
    ])
  func `collapses spaces, and drops joiners that hold no emoji together`(text: String, name: String) throws {
    #expect(try PlayerName(text).text == name)
  }

  @Test(
    arguments: [
      ("a" + String(repeating: " ", count: 251), true), ("a" + String(repeating: " ", count: 252), false),
      (String(repeating: "李", count: 21), true), (String(repeating: "李", count: 21) + "x", false),
      ("a\u{300}\u{301}\u{302}\u{303}", true), ("a\u{1D159}", false), ("a\u{FE10}", true), ("a\u{378}", false),
    ])
  func `a name has limits`(text: String, isGood: Bool) {
    #expect(((try? PlayerName(text)) != nil) == isGood)
  }

  @Test(
    arguments: [
      ("❤\u{FE0E}", true), ("❤\u{FE0F}", true), ("❤\u{FE01}", false), ("1\u{FE0F}", false), ("©\u{FE0F}", false),
      ("👩\u{200D}👩", true), ("👩\u{200D}a", false), ("a\u{200D}👩", false), ("❤\u{FE0F}\u{200D}🔥", true), ("👩\u{200D}", false),
    ])
  func `joiners and variation selectors stay where they make an emoji`(text: String, stays: Bool) throws {
    let joiners = Set("\u{200D}\u{FE01}\u{FE0E}\u{FE0F}".unicodeScalars)
    let without = String(String.UnicodeScalarView(text.unicodeScalars.filter { !joiners.contains($0) }))
    #expect(try PlayerName(text).text.unicodeScalars.elementsEqual((stays ? text : without).unicodeScalars))
  }

  @Test func `numbers a name that is taken`() throws {
    let bob = try PlayerName("Bob")
    #expect(bob.distinct(from: []).text == "Bob")
    #expect(bob.distinct(from: [bob]).text == "Bob 2")
    #expect(bob.distinct(from: [bob, try PlayerName("bob 2")]).text == "Bob 3")
    #expect(try PlayerName("bob").distinct(from: [bob]).text == "bob 2")
    #expect(bob.distinct(from: [try PlayerName("Bobby")]).text == "Bob")
  }

  @Test(arguments: [String(repeating: "x", count: 32), String(repeating: "李", count: 21), String(repeating: "👩‍👩‍👧", count: 3)])
  func `a numbered name is a name too`(text: String) throws {
    var taken = [try PlayerName(text)]
    for _ in 0..<20 {
      let next = taken[0].distinct(from: taken)
      #expect(try PlayerName(next.text) == next)
      #expect(!taken.contains(next))
      taken.append(next)
    }
  }
}
