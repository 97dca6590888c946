/// How a character looks. Where there are no colours, weight and inversion remain, so nothing may be told by colour alone.
package struct Style: Hashable, Sendable {
  package enum Color: Int, Sendable, CaseIterable {
    case red = 1
    case green, yellow, blue, magenta, cyan
  }

  package static let plain = Style()
  package static let bold = Style(isBold: true)
  package static let dim = Style(isDim: true)
  package static let reversed = Style(isReversed: true)

  package var color: Color?
  package var isBold: Bool
  package var isDim: Bool
  package var isReversed: Bool

  package init(color: Color? = nil, isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false) {
    self.color = color
    self.isBold = isBold
    self.isDim = isDim
    self.isReversed = isReversed
  }

  /// The same in a colour.
  package func colored(_ color: Color) -> Style {
    var style = self
    style.color = color
    return style
  }

  /// The control sequence (ECMA-48 section 8.3.117, SGR) that sets this look, whatever was set before.
  func sequence(hasColor: Bool) -> String {
    var parameters = ["0"]
    if isBold { parameters.append("1") }
    if isDim { parameters.append("2") }
    if isReversed { parameters.append("7") }
    if hasColor, let color { parameters.append(String(30 + color.rawValue)) }
    return "\u{1B}[\(parameters.joined(separator: ";"))m"
  }
}
