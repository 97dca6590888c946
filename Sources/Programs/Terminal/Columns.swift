import CBonjourishLinux

extension Character {
  /// The number of terminal columns of the character, at least 1.
  ///
  /// The widths come from the C library: East Asian wide characters and emoji have two columns, marks add none. A control
  /// character or a mark without a letter is drawn as a replacement character, which has one column.
  var columns: Int {
    if let value = asciiValue { return value >= 0x20 ? 1 : Self.replacement.columns }
    return max(1, ownColumns)
  }

  /// The character to draw: a replacement character if this one is invisible or controls the terminal, else itself.
  var drawn: Character {
    if let value = asciiValue { return 0x20...0x7E ~= value ? self : Self.replacement }
    return ownColumns > 0 ? self : Self.replacement
  }

  /// Whether all terminals agree about its width; they do not for joined emoji, flags and marks.
  var hasCertainWidth: Bool { unicodeScalars.count == 1 }

  private static let replacement: Character = "\u{FFFD}"

  private var ownColumns: Int {
    // A cluster with a joiner, a skin tone or a variation selector is drawn as one emoji.
    let isPicture = unicodeScalars.contains { scalar in
      scalar == "\u{200D}" || scalar == "\u{FE0F}" || scalar.properties.isEmojiModifier
    }
    let widths = unicodeScalars.map { Int(linux_column_width(Int32(bitPattern: $0.value), Self.widths)) }
    guard let first = unicodeScalars.first, let firstWidth = widths.first, firstWidth > 0 else { return 0 }
    if first.properties.isEmoji, !first.isASCII, isPicture { return 2 }
    return widths.reduce(0) { $0 + max(0, $1) }
  }

  /// A locale that every Linux system has: a width does not depend on the user's language.
  private nonisolated(unsafe) static let widths = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
}

extension StringProtocol {
  /// The number of terminal columns of the text.
  public var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The text if it fits into `columns`; otherwise the longest prefix that fits together with the ellipsis.
  public func truncated(to columns: Int, ellipsis: String = "…") -> String {
    guard self.columns > columns else { return String(self) }
    let end = ellipsis.columns
    guard columns >= end else { return String(repeating: ".", count: Swift.max(0, columns)) }
    return String(prefix(columns: columns - end)) + ellipsis
  }

  /// The text in exactly this number of columns: truncated, or padded with spaces on the right.
  public func padded(to columns: Int, ellipsis: String = "…") -> String {
    let text = truncated(to: columns, ellipsis: ellipsis)
    return text + String(repeating: " ", count: Swift.max(0, columns - text.columns))
  }

  /// The text in exactly this number of columns: truncated, or padded with spaces on the left.
  public func leftPadded(to columns: Int, ellipsis: String = "…") -> String {
    let text = truncated(to: columns, ellipsis: ellipsis)
    return String(repeating: " ", count: Swift.max(0, columns - text.columns)) + text
  }

  /// The longest prefix that fits into `columns`.
  func prefix(columns: Int) -> SubSequence {
    var left = columns
    return prefix { character in
      left -= character.columns
      return left >= 0
    }
  }

  /// The text in lines of at most `columns`, broken at spaces, or within a word that is longer than a line.
  public func wrapped(to columns: Int) -> [String] {
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
        // A character that is wider than the line is dropped.
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
