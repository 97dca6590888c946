import Names
import Testing
import TwentyFour

struct LikenessTests {
  @Test(
    arguments: [
      ("Ada", "Аdа"),  // Cyrillic А and а
      ("Ada", "ADA"), ("Ada", "Ａｄａ"), ("Bill", "BiII"), ("Bill", "Bi11"), ("corn", "com"), ("Zoe", "Z0e"),
      ("Ada", "A\u{200D}da"),
      ("Ada B", "Ada\u{A0}B"), ("Ada B", "Ada\u{3000} B"), ("Ada B", "Ada\u{2800}B"), ("Ada", "A\u{FE0F}da"),
      ("café", "cafe\u{301}"),
      ("file", "ﬁle"), ("scope", "ѕсоре"),
    ])
  func `what looks alike is told`(one: String, other: String) {
    #expect(one != other || one.unicodeScalars.count != other.unicodeScalars.count)
    #expect(Likeness(of: one).isConfusable(with: Likeness(of: other)))
    #expect(Likeness.lookalikes(in: [one, "Somebody", other]) == [true, false, true])
  }

  @Test(arguments: [("Ada", "Bob"), ("Bob", "Bob 2"), ("Zoë", "Zoe"), ("李雷", "李蕾"), ("Ada", "Adam"), ("👩", "👨")])
  func `different names are different`(one: String, other: String) {
    #expect(!Likeness(of: one).isConfusable(with: Likeness(of: other)))
  }

  @Test(arguments: ["", " ", "\u{2800}", "\u{3164}", "\u{115F}\u{1160}", "\u{200B}", "\u{FE0F}", "\u{3000}", "\u{AD}", "\u{7}"])
  func `what is not seen is blank`(text: String) {
    #expect(Likeness(of: text).isBlank)
    #expect(!Likeness(of: text + "x").isBlank)
  }

  @Test func `only the first 256 characters count, and no space around them`() {
    let long = String(repeating: "a", count: 255)
    #expect(Likeness(of: long + "xb").isConfusable(with: Likeness(of: long + "xc")))
    #expect(!Likeness(of: long + "b").isConfusable(with: Likeness(of: long + "c")))
    for text in [" Ada", "Ada ", "\u{2800}Ada \u{3000}"] { #expect(Likeness(of: text) == Likeness(of: "Ada")) }
    #expect(Likeness(of: "A da") != Likeness(of: "Ada") && Likeness(of: "A  da") == Likeness(of: "A da"))
  }

  @Test func `a part of a text is found in it`() {
    let whole = Likeness(of: "Ada (hоst)")
    #expect(whole.contains(Likeness(of: "(host)")) && !whole.contains(Likeness(of: "(you)")))
    #expect(!Likeness(of: "(host)").contains(whole))
  }

  @Test func `a typed name has one form`() throws {
    #expect(try PlayerName(typed: "Ａｄａ\u{3000}\u{A0} Ｂ").text == "Ada B")
    #expect(try PlayerName(typed: "cafe\u{301}") == PlayerName(typed: "café"))
    #expect(try PlayerName(typed: "ﬁle").text == "file")
    #expect(throws: PlayerName.Invalid.tooLong) { try PlayerName(typed: String(repeating: "x", count: 100_000)) }
    // One character becomes 18.
    #expect(throws: PlayerName.Invalid.tooLong) { try PlayerName(typed: "\u{FDFA}\u{FDFA}") }
  }

  @Test(arguments: [
    "Ada (host)", "(HOST) Ada", "Ada (you)", "Ada （ｙｏｕ）", "Ada (уоu)", "Ada (hоst)", "Ada (y\u{200D}ou)", "Ada ⟮you⟯ (y0u)",
  ])
  func `nobody has the marks of the game in the name`(text: String) {
    let error = #expect(throws: PlayerName.Invalid.self) { try PlayerName(typed: text) }
    guard case .reserved? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a lookalike is found among others, and the same name is none`() throws {
    let taken = try ["Bob", "Ada"].map { try PlayerName(typed: $0) }
    #expect(try PlayerName(typed: "Аda").lookalike(in: taken) == taken[1])
    #expect(try PlayerName(typed: "ada").lookalike(in: taken) == nil)
    #expect(try PlayerName(typed: "Cleo").lookalike(in: taken) == nil)
  }
}
