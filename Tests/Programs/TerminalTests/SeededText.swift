import TestSupport
import _BonjourishBase

/// Makes texts that are hard to draw.
struct SeededText {
  var random: SeededGenerator

  private static let parts = [
    "a", "Z", "7", " ", "é", "e\u{301}", "李", "ア", "한", "🦊", "👩\u{200D}🚀", "🇫🇷", "❤\u{FE0F}", "\u{1B}", "\n", "\u{202E}",
    "\u{301}",
    "\u{200D}", "█",
  ]

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  mutating func text(upTo length: Int = 12) -> String {
    (0..<random.number(in: 0..<length)).map { _ in Self.parts[random.number(in: 0..<Self.parts.count)] }.joined()
  }
}
