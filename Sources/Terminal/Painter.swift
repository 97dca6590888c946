/// Turns pictures into what a terminal must be told to show them: of each only what differs from the one before.
///
/// The sequences are those of ECMA-48 that all terminals know: cursor position, erase, select graphic rendition; and DEC's for
/// hiding the cursor.
package struct Painter: Sendable {
  private let appearance: Appearance
  private var shown: Canvas?

  package init(_ appearance: Appearance) {
    self.appearance = appearance
  }

  /// Lets the next picture be painted as a whole, because what the terminal shows is not known any more.
  package mutating func forget() {
    shown = nil
  }

  /// What to write so that the terminal shows the picture; nothing if it does already.
  package mutating func paint(_ canvas: Canvas) -> String {
    defer { shown = canvas }
    var stroke = Stroke(appearance: appearance)
    let former: Canvas
    if let shown, shown.size == canvas.size {
      former = shown
    } else {
      former = Canvas(canvas.size)
      stroke.eraseAll()
    }
    for row in 0..<canvas.size.rows {
      var column = 0
      while column < canvas.size.columns {
        let width = canvas.width(row, column)
        let hasChanged = (column..<column + width).contains { canvas[row, $0] != former[row, $0] }
        if hasChanged { stroke.draw(canvas[row, column], width: width, row, column) }
        column += width
      }
    }
    if stroke.isEmpty, shown != nil, shown?.cursor == canvas.cursor { return "" }
    return stroke.finished(cursor: canvas.cursor)
  }
}

/// One picture's worth of output.
private struct Stroke {
  private let appearance: Appearance
  private var output = ""
  private var style = Style.plain
  /// Where the terminal's cursor is; nil when that is not certain.
  private var place: Canvas.Position?

  init(appearance: Appearance) {
    self.appearance = appearance
  }

  var isEmpty: Bool { output.isEmpty }

  mutating func eraseAll() {
    output += "\u{1B}[0m\u{1B}[2J"
  }

  mutating func draw(_ cell: Canvas.Cell, width: Int, _ row: Int, _ column: Int) {
    guard let character = cell.character else { return }
    move(to: Canvas.Position(row: row, column: column))
    if cell.style != style {
      output += cell.style.sequence(hasColor: appearance.hasColor)
      style = cell.style
    }
    if character.isASCII {
      output.append(character)
    } else if !appearance.isUnicode {
      output += String(repeating: "?", count: width)
    } else if character.hasCertainWidth {
      output.append(character)
    } else {
      // Terminals take different widths for it: its columns are emptied before, and the place is set anew after it.
      output += String(repeating: " ", count: width) + Self.sequence(row, column)
      output.append(character)
      place = nil
      return
    }
    place = Canvas.Position(row: row, column: column + width)
  }

  func finished(cursor: Canvas.Position?) -> String {
    let end = style == .plain ? "" : Style.plain.sequence(hasColor: false)
    let shown = cursor.map { Self.sequence($0.row, $0.column) + "\u{1B}[?25h" } ?? ""
    return "\u{1B}[?25l" + output + end + shown
  }

  private mutating func move(to position: Canvas.Position) {
    guard position != place else { return }
    output += Self.sequence(position.row, position.column)
  }

  private static func sequence(_ row: Int, _ column: Int) -> String { "\u{1B}[\(row + 1);\(column + 1)H" }
}
