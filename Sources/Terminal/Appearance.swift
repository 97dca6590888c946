import Glibc

/// What a terminal can show, and what its user wants to see.
package struct Appearance: Hashable, Sendable {
  package var hasColor: Bool
  /// Whether more than ASCII can be shown.
  package var isUnicode: Bool

  package init(hasColor: Bool = true, isUnicode: Bool = true) {
    self.hasColor = hasColor
    self.isUnicode = isUnicode
  }

  /// Reads the environment: `NO_COLOR`, if it is not empty, turns colours off (no-color.org); the first of `LC_ALL`, `LC_CTYPE`
  /// and `LANG` that is not empty says how the terminal's bytes are meant (POSIX, 8.2 Internationalization Variables).
  package init(environment: (String) -> String?) {
    hasColor = (environment("NO_COLOR") ?? "").isEmpty
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
    let encoding = locale.split(separator: ".").dropFirst().first?.prefix { $0 != "@" }.lowercased() ?? ""
    isUnicode = encoding == "utf-8" || encoding == "utf8"
  }

  /// What the process's own environment says.
  package static var current: Appearance { Appearance { name in getenv(name).map { String(cString: $0) } } }

  /// Whether a terminal of this type (`TERM`) can be drawn on, rather than be written to line by line.
  static func canBeDrawnOn(type: String?) -> Bool {
    guard let type, !type.isEmpty else { return false }
    return type != "dumb" && type != "unknown"
  }

  package var glyphs: Glyphs { isUnicode ? .unicode : .ascii }
}

/// The signs that drawings are made of.
package struct Glyphs: Hashable, Sendable {
  package let full: Character
  package let empty: Character
  package let horizontal: Character
  package let vertical: Character
  package let pointer: Character
  package let bullet: Character
  package let separator: String
  package let ellipsis: String
  package let arrows: String

  package static let unicode = Glyphs(
    full: "█", empty: "░", horizontal: "─", vertical: "│", pointer: "▸", bullet: "•", separator: " · ", ellipsis: "…",
    arrows: "↑↓")
  package static let ascii = Glyphs(
    full: "#", empty: ".", horizontal: "-", vertical: "|", pointer: ">", bullet: "*", separator: " | ", ellipsis: "..",
    arrows: "Up/Down")
}
