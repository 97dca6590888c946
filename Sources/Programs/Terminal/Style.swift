/// The look of a character. A terminal may have no colours, so colour must not be the only sign of anything.
public struct Style: Hashable, Sendable {
  /// The colours that all terminals with colours have.
  public enum Color: Int, Sendable, CaseIterable {
    case red = 1
    case green, yellow, blue, magenta, cyan
  }

  /// The terminal's default style.
  public static let plain = Style()
  /// Bold, otherwise plain.
  public static let bold = Style(isBold: true)
  /// Dim, otherwise plain.
  public static let dim = Style(isDim: true)
  /// With foreground and background exchanged, otherwise plain.
  public static let reversed = Style(isReversed: true)

  /// Black on white whatever the colours of the terminal are, for what a camera has to read. Without colours, foreground and background are
  /// exchanged, as most terminals are dark.
  public static let blackOnWhite = Style(isBlackOnWhite: true)

  var color: Color?
  var isBold: Bool
  var isDim: Bool
  var isReversed: Bool
  private var isBlackOnWhite = false

  /// Makes a style.
  ///
  /// - Parameters:
  ///   - color: The colour of the character; nil for the terminal's own.
  ///   - isBold: Whether it is bold.
  ///   - isDim: Whether it is dim.
  ///   - isReversed: Whether foreground and background are exchanged.
  public init(color: Color? = nil, isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false) {
    self.color = color
    self.isBold = isBold
    self.isDim = isDim
    self.isReversed = isReversed
  }

  private init(isBlackOnWhite: Bool) {
    self.init()
    self.isBlackOnWhite = isBlackOnWhite
  }

  /// The same style in a colour.
  public func colored(_ color: Color) -> Style {
    var style = self
    style.color = color
    return style
  }

  /// The control sequence that sets this style, whatever was set before (SGR, ECMA-48 section 8.3.117).
  package func sequence(hasColor: Bool) -> String {
    var parameters = ["0"]
    if isBold { parameters.append("1") }
    if isDim { parameters.append("2") }
    if isReversed { parameters.append("7") }
    // Of the 256 colours, those after the first 16 are the same everywhere.
    if isBlackOnWhite { parameters.append(hasColor ? "38;5;16;48;5;231" : "7") }
    if hasColor, let color { parameters.append(String(30 + color.rawValue)) }
    return "\u{1B}[\(parameters.joined(separator: ";"))m"
  }
}
