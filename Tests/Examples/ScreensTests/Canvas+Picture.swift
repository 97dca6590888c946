@testable import _BonjourishTerminal

extension Canvas {
  /// The picture with its styles: how the first character of a row looks, `!` reversed, `b` bold, `d` dim, and the colour.
  var picture: String {
    let rows = lines.enumerated().map { row, line in
      let column = (0..<size.columns).first { self[row, $0].character != " " } ?? 0
      let style = self[row, column].style
      let marks = (style.isReversed ? "!" : "") + (style.isBold ? "b" : "") + (style.isDim ? "d" : "")
      return (marks + (style.color.map { "\($0)" } ?? "")).padded(to: 7) + "|" + line
    }
    let place = cursor.map { "the cursor is at row \($0.row), column \($0.column)\n" } ?? ""
    return rows.joined(separator: "\n") + "\n" + place
  }

  /// A letter for the style of each character: that of the colour, else `!` reversed, `b` bold, `d` dim, `.` plain.
  var styles: String {
    (0..<size.rows).map { row in
      let letters = (0..<size.columns).map { column in
        let style = self[row, column].style
        if let color = style.color { return style.isBold ? "\(color)".prefix(1).uppercased() : String("\(color)".prefix(1)) }
        return style.isReversed ? "!" : style.isBold ? "b" : style.isDim ? "d" : "."
      }
      return letters.joined()
    }.joined(separator: "\n")
  }

  /// The character with which each row begins.
  var firstCharacters: String { String(lines.map { $0.first { $0 != " " } ?? " " }) }
}
