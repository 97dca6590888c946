import _BonjourishBase
import _BonjourishTerminal

/// A table for a terminal: columns as wide as their widest cell, with a line of headings.
struct TextTable {
  /// A column and its cells.
  struct Column {
    let heading: String
    /// The texts from the top, as they came.
    let cells: [String]
    /// Whether the cells are numbers, which stand at the right.
    var isNumeric = false
  }

  private static let gap = "  "

  private let columns: [Column]
  private let isUnicode: Bool

  /// - Parameter isUnicode: Whether the terminal shows more than ASCII.
  init(_ columns: [Column], isUnicode: Bool = Appearance.current.isUnicode) {
    self.columns = columns
    self.isUnicode = isUnicode
  }

  /// The lines, escaped for display and without spaces at their ends.
  var lines: [String] {
    let texts = columns.map { column in ([column.heading] + column.cells).map(shown) }
    let widths = texts.map { $0.map(\.columns).max() ?? 0 }
    return (0..<(texts.map(\.count).max() ?? 0)).map { row in
      let cells = columns.indices.map { place in
        let (text, width) = (texts[place][row], widths[place])
        return columns[place].isNumeric ? text.leftPadded(to: width) : text.padded(to: width)
      }
      return String(cells.joined(separator: Self.gap).reversed().drop { $0 == " " }.reversed())
    }
  }

  private func shown(_ text: String) -> String {
    let text = text.escapedForDisplay
    return isUnicode ? text : text.escapedForASCII
  }
}
