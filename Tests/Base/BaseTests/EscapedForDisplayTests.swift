import Testing
import _BonjourishBase

struct EscapedForDisplayTests {
  @Test(arguments: [
    ("", ""),
    ("Ada's game – Zoë, 日本語, עברית", "Ada's game – Zoë, 日本語, עברית"),
    ("back\\slash", "back\\slash"),
    ("a\nb\r\tc", "a\\nb\\r\\tc"),
    ("\u{1B}[2J\u{07}\u{7F}\u{9B}", "\\u{1B}[2J\\u{7}\\u{7F}\\u{9B}"),
    ("\u{202E}gnp.exe\u{2066}\u{2069}\u{200F}", "\\u{202E}gnp.exe\\u{2066}\\u{2069}\\u{200F}"),
    ("a\u{200B}b\u{FEFF}c\u{AD}d\u{2060}e\u{180E}", "a\\u{200B}b\\u{FEFF}c\\u{AD}d\\u{2060}e\\u{180E}"),
    ("a\u{2028}b\u{2029}c\u{85}", "a\\u{2028}b\\u{2029}c\\u{85}"),
    ("\u{3164}\u{115F}\u{34F}\u{E0041}\u{E0100}", "\\u{3164}\\u{115F}\\u{34F}\\u{E0041}\\u{E0100}"),
    ("\u{E000}\u{FFFE}\u{10FFFF}", "\\u{E000}\\u{FFFE}\\u{10FFFF}"),
    ("e\u{301}", "e\u{301}"),
    ("a\u{2800}b", "a\\u{2800}b"),
    (
      "a\u{300}\u{301}\u{302}\u{303}\u{304}\u{20DD}b\u{300}",
      "a\u{300}\u{301}\u{302}\u{303}\\u{304}\\u{20DD}b\u{300}"
    ),
    ("❤\u{FE0F} 👩\u{200D}🚀 🏳\u{FE0F}\u{200D}🌈 👍🏽", "❤\u{FE0F} 👩\u{200D}🚀 🏳\u{FE0F}\u{200D}🌈 👍🏽"),
    ("a\u{FE0F}1\u{FE0F}b\u{200D}c", "a\\u{FE0F}1\\u{FE0F}b\\u{200D}c"),
    ("👩\u{200D}", "👩\\u{200D}"),
    ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}\\u{FE0F}"),
    ("❤\u{FE0E}", "❤\u{FE0E}"),
    ("❤\u{FE0D}", "❤\\u{FE0D}"),
    ("\u{1F} ~", "\\u{1F} ~"),
    ("a\u{300}\u{301}\u{302}\u{303}\u{FE20}", "a\u{300}\u{301}\u{302}\u{303}\\u{FE20}"),
  ])
  func `what would act on a terminal is shown`(text: String, shown: String) {
    #expect(text.escapedForDisplay.unicodeScalars.elementsEqual(shown.unicodeScalars), "\(text.escapedForDisplay)")
  }

  @Test func `no scalar below the surrogates reaches the terminal as a control`() {
    for value in UInt32(0)..<0xD800 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let categories = String(Character(scalar)).escapedForDisplay.unicodeScalars.map(\.properties.generalCategory)
      #expect(!categories.contains(.control) && !categories.contains(.format), "\(value)")
    }
  }

  @Test(
    arguments: [
      ([0x41, 0xFF, 0x42], "A\\xFFB"),
      ([0xC3, 0xA9], "é"),
      ([0xC3], "\\xC3"),
      ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"),
      ([0xE2, 0x82, 0x0A], "\\xE2\\x82\\n"),
      ([0x01, 0x0A], "\\u{1}\\n"),
      ([], ""),
    ] as [([UInt8], String)])
  func `bytes that are not text are shown`(bytes: [UInt8], shown: String) {
    #expect(bytes.escapedForDisplay == shown)
  }
}
