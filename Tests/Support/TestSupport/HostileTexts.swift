import _BonjourishBase

/// A thousand texts of people who want to be taken for others, or to take over a terminal.
package enum HostileTexts {
  /// What is done to names.
  private static let pieces = [
    "\u{1B}[2J", "\u{1B}]0;x\u{7}", "\u{7}", "\u{8}\u{8}", "\r", "\n", "\u{9B}31m", "\u{90}", "\u{85}", "\u{0}", "\u{7F}",
    "\u{202E}", "\u{2066}", "\u{200F}", "\u{61C}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{FEFF}", "\u{AD}",
    "\u{34F}",
    "\u{2028}", "\u{2029}", "\u{2800}", "\u{3164}", "\u{115F}", "\u{FFA0}", "\u{1D159}", "\u{A0}", "\u{2003}", "\u{3000}",
    "\u{301}", "\u{489}", String(repeating: "\u{35C}\u{361}", count: 10), "\u{FE0F}", "\u{E0061}", "\u{E000}", "\u{FFFF}",
    " (host)", " (you)", "（ｈｏｓｔ）", String(repeating: "x", count: 70), String(repeating: "👩\u{200D}", count: 20),
  ]
  /// Letters that look like others.
  private static let lookalikes: [Character: [String]] = [
    "a": ["а", "ａ", "ɑ", "𝐚"], "A": ["А", "Α", "Ａ", "𝖠"], "b": ["Ь", "ｂ"], "B": ["В", "Β", "Ｂ"], "o": ["о", "ο", "0", "ⲟ"],
    "e": ["е", "ｅ", "℮"], "l": ["1", "I", "ⅼ"], "i": ["і", "ⅰ"], "d": ["ԁ", "ⅾ"], "C": ["С", "Ⅽ"],
    " ": ["\u{A0}", "  ", "\u{2003}"],
  ]

  /// Made of the given names.
  ///
  /// - Parameters:
  ///   - count: The number of texts.
  ///   - names: The names of honest people.
  package static func make(_ count: Int, from names: [String]) -> [String] {
    var random = SeededGenerator(seed: 1)
    return (0..<count).map { number in
      let name = names[number % names.count]
      var text = ""
      for character in name {
        if let others = lookalikes[character], Bool.random(using: &random), let other = others.randomElement(using: &random) {
          text += other
        } else {
          text.append(character)
        }
      }
      guard !number.isMultiple(of: 3), let piece = pieces.randomElement(using: &random) else { return text }
      let place = text.indices.randomElement(using: &random) ?? text.startIndex
      text.insert(contentsOf: piece, at: Bool.random(using: &random) ? place : text.endIndex)
      return text
    }
  }

  /// The characters of a text that a terminal would obey, or that nobody sees.
  ///
  /// Joiners and variation selectors between emoji are none.
  package static func dangers(in text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return true
      case .format: return scalar.value != 0x200D
      default: return scalar.value == 0x2800 || (scalar.properties.isDefaultIgnorableCodePoint && scalar.value != 0xFE0F)
      }
    }
  }

  /// The most marks in a row.
  package static func longestHeapOfMarks(in text: String) -> Int {
    var (longest, current) = (0, 0)
    for scalar in text.unicodeScalars {
      let category = scalar.properties.generalCategory
      current = category == .nonspacingMark || category == .enclosingMark ? current + 1 : 0
      longest = max(longest, current)
    }
    return longest
  }
}
