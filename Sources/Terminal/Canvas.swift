/// A picture made of characters: what a screen is to show, as a value.
///
/// Drawing never fails: what lies outside is left out, and what would not be seen, or do something else to a terminal than to be
/// seen, is drawn as a replacement character.
package struct Canvas: Hashable, Sendable {
  struct Cell: Hashable, Sendable {
    static let blank = Cell(character: " ", style: .plain)

    /// Nil where the wide character before it lies.
    var character: Character?
    var style: Style
  }

  /// A place on it; row and column are counted from 0.
  package struct Position: Hashable, Sendable {
    package let row: Int
    package let column: Int

    package init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  package let size: TerminalSize
  private(set) var cells: [Cell]
  /// Where the person writes; nil where he does not.
  package var cursor: Position?

  /// Makes an empty one.
  package init(_ size: TerminalSize) {
    self.size = size.bounded
    cells = Array(repeating: .blank, count: self.size.columns * self.size.rows)
  }

  /// Its lines as text, without spaces at their ends.
  package var lines: [String] {
    (0..<size.rows).map { row in
      var line = String(cells[row * size.columns..<(row + 1) * size.columns].compactMap(\.character))
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Writes a text from a place to the right, as far as there is room.
  ///
  /// - Returns: The column after the text.
  @discardableResult
  package mutating func write(_ text: String, row: Int, column: Int, style: Style = .plain) -> Int {
    var column = column
    for character in text {
      let width = character.columns
      // A wide character of which only a half would be seen is not drawn.
      if column >= 0, column + width <= size.columns { put(character.drawn, width: width, style, row, column) }
      column += width
      if column >= size.columns { break }
    }
    return column
  }

  /// Copies another picture to a place; its cursor comes with it.
  package mutating func draw(_ other: Canvas, row: Int, column: Int) {
    for otherRow in 0..<other.size.rows {
      for otherColumn in 0..<other.size.columns {
        let cell = other[otherRow, otherColumn]
        guard let character = cell.character else { continue }
        let width = other.width(otherRow, otherColumn)
        let left = column + otherColumn
        if left >= 0, left + width <= size.columns { put(character, width: width, cell.style, row + otherRow, left) }
      }
    }
    if let cursor = other.cursor { self.cursor = Position(row: row + cursor.row, column: column + cursor.column) }
  }

  /// Gives a whole row a style.
  package mutating func restyle(row: Int, _ style: Style) {
    guard 0..<size.rows ~= row else { return }
    for column in 0..<size.columns { cells[row * size.columns + column].style = style }
  }

  subscript(row: Int, column: Int) -> Cell { cells[row * size.columns + column] }

  /// How many columns the character at a place has.
  func width(_ row: Int, _ column: Int) -> Int {
    var width = 1
    while column + width < size.columns, self[row, column + width].character == nil { width += 1 }
    return width
  }

  private mutating func put(_ character: Character, width: Int, _ style: Style, _ row: Int, _ column: Int) {
    guard 0..<size.rows ~= row else { return }
    let start = row * size.columns
    clear(row, column..<column + width)
    cells[start + column] = Cell(character: character, style: style)
    for follower in 1..<max(1, width) { cells[start + column + follower] = Cell(character: nil, style: style) }
  }

  /// Makes room: of a wide character that is partly covered the rest goes too.
  private mutating func clear(_ row: Int, _ columns: Range<Int>) {
    let start = row * size.columns
    var first = columns.lowerBound
    while first > 0, cells[start + first].character == nil { first -= 1 }
    var end = columns.upperBound
    while end < size.columns, cells[start + end].character == nil { end += 1 }
    for column in first..<end where !columns.contains(column) {
      cells[start + column] = Cell(character: " ", style: cells[start + column].style)
    }
  }
}
