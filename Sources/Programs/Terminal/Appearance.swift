import CBonjourishLinux

/// What a terminal can show, and what its user wants to see.
public struct Appearance: Hashable, Sendable {
  /// Whether to use colours.
  public var hasColor: Bool
  /// Whether more than ASCII can be shown.
  public var isUnicode: Bool
  /// Whether it knows operating system commands (ECMA-48 section 8.3.89), with which links (OSC 8) and the clipboard (OSC 52) are set.
  /// Terminals that do not may print them.
  public var knowsCommands: Bool

  /// Makes an appearance; by default, of a terminal that can show everything.
  public init(hasColor: Bool = true, isUnicode: Bool = true, knowsCommands: Bool = true) {
    self.hasColor = hasColor
    self.isUnicode = isUnicode
    self.knowsCommands = knowsCommands
  }

  /// Reads the environment. A `NO_COLOR` that is not empty turns colours off (no-color.org). The first of `LC_ALL`, `LC_CTYPE`
  /// and `LANG` that is not empty gives the terminal's encoding (POSIX, 8.2 Internationalization Variables).
  ///
  /// `TERM` tells whether the terminal is of a family that knows operating system commands, or at least skips them.
  init(environment: (String) -> String?) {
    let type = environment("TERM") ?? ""
    knowsCommands = Self.modernTypes.contains { type.hasPrefix($0) }
    hasColor = (environment("NO_COLOR") ?? "").isEmpty
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
    let encoding = locale.split(separator: ".").dropFirst().first?.prefix { $0 != "@" }.lowercased() ?? ""
    isUnicode = encoding == "utf-8" || encoding == "utf8"
  }

  private static let modernTypes = [
    "xterm", "tmux", "screen", "alacritty", "contour", "foot", "ghostty", "gnome", "iterm", "kitty", "konsole", "vte",
    "wezterm",
  ]

  /// The appearance according to the process's environment.
  public static var current: Appearance { Appearance { name in getenv(name).map { String(cString: $0) } } }

  /// Whether a terminal of this type (`TERM`) can do more than print lines.
  static func canBeDrawnOn(type: String?) -> Bool {
    guard let type, !type.isEmpty else { return false }
    return type != "dumb" && type != "unknown"
  }

  /// The characters to draw with.
  public var glyphs: Glyphs { isUnicode ? .unicode : .ascii }
}

/// The characters that drawings consist of.
public struct Glyphs: Hashable, Sendable {
  /// A cell of a bar that is filled, or part of a large digit.
  public let full: Character
  /// A cell of a bar that is not filled.
  public let empty: Character
  /// A piece of a horizontal line.
  public let horizontal: Character
  /// A piece of a vertical line.
  public let vertical: Character
  /// Marks the selected line.
  public let pointer: Character
  /// Marks a group whose items are shown below it; one that is folded has ``pointer``.
  public let opened: Character
  /// Begins an item of a list.
  public let bullet: Character
  /// Separates two remarks on one line; includes its spaces.
  public let separator: String
  /// Replaces text that was cut off.
  public let ellipsis: String
  /// The names of the keys up and down.
  public let arrows: String

  /// The glyphs of a UTF-8 terminal.
  public static let unicode = Glyphs(
    full: "█", empty: "░", horizontal: "─", vertical: "│", pointer: "▸", opened: "▾", bullet: "•", separator: " · ",
    ellipsis: "…",
    arrows: "↑↓")
  /// The glyphs of any other terminal.
  public static let ascii = Glyphs(
    full: "#", empty: ".", horizontal: "-", vertical: "|", pointer: ">", opened: "v", bullet: "*", separator: " | ",
    ellipsis: "..",
    arrows: "Up/Down")
}
