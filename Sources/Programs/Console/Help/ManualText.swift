/// Turns the texts of a ``Manual`` into the macros of man(7).
enum ManualText {
  /// Paragraphs as requests and text lines.
  ///
  /// - Parameter isContinued: Whether the text follows other text of its section or item.
  static func macros(_ text: String, isContinued: Bool = false) -> [String] {
    var result: [String] = []
    for paragraph in paragraphs(text) {
      let first = paragraph[0]
      if first.hasPrefix("## ") {
        result += [".SS \(inline(String(first.dropFirst(3))))"]
      } else if first.hasPrefix("    ") {
        result += [".PP", ".nf", ".RS 4"] + paragraph.map { guarded(escaped(String($0.dropFirst(4)))) } + [".RE", ".fi"]
      } else if paragraph.count > 1, paragraph[1].hasPrefix(": ") {
        result += definition(String(first), String(paragraph.dropFirst().joined(separator: " ").dropFirst(2)))
      } else {
        if isContinued || !result.isEmpty, result.last?.hasPrefix(".SS") != true { result.append(".PP") }
        result += lines(inline(paragraph.joined(separator: " ")))
      }
    }
    return result
  }

  /// A term and its definition.
  static func definition(_ term: String, _ meaning: String) -> [String] {
    [".TP", guarded(inline(term))] + lines(inline(meaning))
  }

  private static func paragraphs(_ text: String) -> [[Substring]] {
    text.split(separator: "\n", omittingEmptySubsequences: false).split(whereSeparator: \.isEmpty).map(Array.init)
  }

  /// A text with its literals in bold and its placeholders in italics.
  static func inline(_ text: String) -> String {
    var result = ""
    var open: Character?
    for character in text {
      switch (character, open) {
      case ("`", nil): (open, result) = ("`", result + "\\fB")
      case ("*", nil): (open, result) = ("*", result + "\\fI")
      case ("`", "`"), ("*", "*"): (open, result) = (nil, result + "\\fR")
      default: result += escaped(String(character), isLiteral: open == "`")
      }
    }
    return result
  }

  /// A text that roff shows as it is. In literals a hyphen is the ASCII character, so that it can be copied.
  static func escaped(_ text: String, isLiteral: Bool = true) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "\\": result += "\\e"
      case "-" where isLiteral: result += "\\-"
      case "'" where isLiteral: result += "\\(aq"
      case "\"" where isLiteral: result += "\\(dq"
      case "`": result += "\\`"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      default: result.append(character)
      }
    }
  }

  /// Text without markup, as text lines.
  static func plain(_ text: String) -> [String] { lines(escaped(text, isLiteral: false)) }

  /// Text lines of at most 80 characters, as far as there are spaces.
  private static func lines(_ text: String) -> [String] {
    text.split(separator: " ").reduce(into: [String]()) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= 80 {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }.map(guarded)
  }

  /// A text line that is no request, whatever it begins with.
  private static func guarded(_ text: String) -> String {
    text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }
}
