/// Turns canvases into terminal output: of each canvas, only the differences from the one before.
///
/// It uses the ECMA-48 sequences that all terminals know (cursor position, erase, select graphic rendition), and DEC's
/// sequence that hides the cursor; for links, OSC 8, if the terminal knows it.
package struct Painter: Sendable {
  private let appearance: Appearance
  private var shown: Canvas?

  package init(_ appearance: Appearance) {
    self.appearance = appearance
  }

  /// Makes the next call paint everything, because the terminal's contents are no longer known.
  mutating func forget() {
    shown = nil
  }

  /// The output that makes the terminal show the canvas; empty if the terminal already shows it.
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
    let hasSameLinks = former.links == canvas.links
    for row in 0..<canvas.size.rows {
      var column = 0
      while column < canvas.size.columns {
        let width = canvas.width(row, column)
        let cell = canvas[row, column]
        // The same number may stand for another link.
        let hasChanged =
          (column..<column + width).contains { canvas[row, $0] != former[row, $0] } || (cell.link != 0 && !hasSameLinks)
        if hasChanged {
          let link = cell.link == 0 ? nil : canvas.links[Int(cell.link) - 1]
          stroke.draw(cell, link: link, width: width, row, column)
        }
        column += width
      }
    }
    if stroke.isEmpty, shown != nil, shown?.cursor == canvas.cursor { return "" }
    return stroke.finished(cursor: canvas.cursor)
  }
}

/// The output for one canvas.
private struct Stroke {
  private let appearance: Appearance
  private var output = ""
  private var style = Style.plain
  private var link: String?
  /// The position of the terminal's cursor; nil when that is not certain.
  private var place: Canvas.Position?

  init(appearance: Appearance) {
    self.appearance = appearance
  }

  var isEmpty: Bool { output.isEmpty }

  mutating func eraseAll() {
    output += "\u{1B}[0m\u{1B}[2J"
  }

  mutating func draw(_ cell: Canvas.Cell, link: String?, width: Int, _ row: Int, _ column: Int) {
    guard let character = cell.character else { return }
    move(to: Canvas.Position(row: row, column: column))
    if link != self.link, appearance.knowsCommands {
      output += Self.linking(link)
      self.link = link
    }
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
      // Terminals disagree about its width: clear its columns first, and position the cursor again afterwards.
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
    return "\u{1B}[?25l" + output + (link == nil ? "" : Self.linking(nil)) + end + shown
  }

  /// The command that begins a link, or ends it (OSC 8).
  private static func linking(_ link: String?) -> String { "\u{1B}]8;;\(link ?? "")\u{1B}\\" }

  private mutating func move(to position: Canvas.Position) {
    guard position != place else { return }
    output += Self.sequence(position.row, position.column)
  }

  private static func sequence(_ row: Int, _ column: Int) -> String { "\u{1B}[\(row + 1);\(column + 1)H" }
}
