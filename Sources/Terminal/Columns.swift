import CLinux
import Glibc

extension Character {
  /// How many columns of a terminal it takes: at least one.
  ///
  /// The C library knows the widths (East Asian wide characters and emoji have two columns, marks add none). What has none of
  /// its own, as a control character or a mark without a letter, is drawn as a replacement character, which has one.
  package var columns: Int {
    if let value = asciiValue { return value >= 0x20 ? 1 : Self.replacement.columns }
    return max(1, ownColumns)
  }

  /// What is drawn for it: itself, unless it would take no place or do something else than to be seen.
  package var drawn: Character {
    if let value = asciiValue { return 0x20...0x7E ~= value ? self : Self.replacement }
    return ownColumns > 0 ? self : Self.replacement
  }

  /// Whether all terminals agree about its width; about joined emoji, flags and marks they do not.
  var hasCertainWidth: Bool { unicodeScalars.count == 1 }

  private static let replacement: Character = "\u{FFFD}"

  private var ownColumns: Int {
    // Emoji that are joined, coloured, or asked for by a variation selector are one picture.
    let isPicture = unicodeScalars.contains { scalar in
      scalar == "\u{200D}" || scalar == "\u{FE0F}" || scalar.properties.isEmojiModifier
    }
    let widths = unicodeScalars.map { Int(linux_column_width(Int32(bitPattern: $0.value), Self.widths)) }
    guard let first = unicodeScalars.first, let firstWidth = widths.first, firstWidth > 0 else { return 0 }
    if first.properties.isEmoji, !first.isASCII, isPicture { return 2 }
    return widths.reduce(0) { $0 + max(0, $1) }
  }

  /// The locale that all Linux systems have, whichever the user's is: a name's width does not depend on the language.
  private nonisolated(unsafe) static let widths = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
}

extension StringProtocol {
  /// How many columns of a terminal the text takes.
  package var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The text, or as much of its beginning as fits with the ellipsis after it.
  package func truncated(to columns: Int, ellipsis: String = "…") -> String {
    guard self.columns > columns else { return String(self) }
    let end = ellipsis.columns
    guard columns >= end else { return String(repeating: ".", count: Swift.max(0, columns)) }
    return String(prefix(columns: columns - end)) + ellipsis
  }

  /// The text in exactly so many columns: truncated, or filled up with spaces on the right.
  package func padded(to columns: Int, ellipsis: String = "…") -> String {
    let text = truncated(to: columns, ellipsis: ellipsis)
    return text + String(repeating: " ", count: Swift.max(0, columns - text.columns))
  }

  /// The text in exactly so many columns, filled up with spaces on the left.
  package func leftPadded(to columns: Int, ellipsis: String = "…") -> String {
    let text = truncated(to: columns, ellipsis: ellipsis)
    return String(repeating: " ", count: Swift.max(0, columns - text.columns)) + text
  }

  /// As much of the beginning as fits into so many columns.
  package func prefix(columns: Int) -> SubSequence {
    var left = columns
    return prefix { character in
      left -= character.columns
      return left >= 0
    }
  }

  /// The text in lines of at most so many columns, broken at spaces, and within a word only if that is longer.
  package func wrapped(to columns: Int) -> [String] {
    guard columns > 0 else { return [] }
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ") {
      var rest = String(word)
      if !line.isEmpty, line.columns + 1 + rest.columns <= columns {
        line += " " + rest
        continue
      }
      if !line.isEmpty { lines.append(line) }
      while rest.columns > columns {
        let part = rest.prefix(columns: columns)
        // A character that is wider than the line has no place in it.
        guard !part.isEmpty else {
          rest.removeFirst()
          continue
        }
        lines.append(String(part))
        rest = String(rest.dropFirst(part.count))
      }
      line = rest
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
