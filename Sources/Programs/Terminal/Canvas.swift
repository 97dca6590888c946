/// A picture made of characters, as a value.
///
/// Drawing never fails. Characters outside the canvas are dropped. A character that is invisible or controls the terminal is
/// drawn as a replacement character.
public struct Canvas: Hashable, Sendable {
  struct Cell: Hashable, Sendable {
    static let blank = Cell(character: " ", style: .plain)

    /// Nil in a column that a wide character on the left covers.
    var character: Character?
    var style: Style
    /// The number of its link among ``Canvas/links``, from 1; 0 for none.
    var link: UInt16 = 0
  }

  /// A place on a canvas.
  public struct Position: Hashable, Sendable {
    /// The row, from 0.
    public let row: Int
    /// The column, from 0.
    public let column: Int

    /// Makes a position.
    public init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  /// The canvas's size, at most 1,000 columns and 500 rows.
  public let size: TerminalSize
  private(set) var cells: [Cell]
  /// The addresses that texts lead to where the terminal can open links.
  private(set) var links: [String] = []
  /// Where to show the cursor; nil to hide it.
  public var cursor: Position?

  /// Makes an empty canvas; a larger size is reduced to 1,000 columns and 500 rows.
  public init(_ size: TerminalSize) {
    self.size = size.bounded
    cells = Array(repeating: .blank, count: self.size.columns * self.size.rows)
  }

  /// The lines as text, without trailing spaces.
  public var lines: [String] {
    (0..<size.rows).map { row in
      var line = String(cells[row * size.columns..<(row + 1) * size.columns].compactMap(\.character))
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Writes a text from a position to the right, up to the edge.
  ///
  /// - Parameters:
  ///   - text: One line of text.
  ///   - row: The row, from 0.
  ///   - column: The column of the first character, from 0; it may lie outside.
  ///   - style: How the text looks.
  ///   - link: The URL that the text leads to, in printable ASCII; any other is left out.
  /// - Returns: The column after the text.
  @discardableResult
  public mutating func write(
    _ text: String, row: Int, column: Int, style: Style = .plain, link: String? = nil
  ) -> Int {
    var column = column
    let link = link.map { number(of: $0) } ?? 0
    for character in text {
      let width = character.columns
      // A wide character is not drawn if only half of it would be visible.
      if column >= 0, column + width <= size.columns { put(character.drawn, width: width, style, link, row, column) }
      column += width
      if column >= size.columns { break }
    }
    return column
  }

  /// Copies another canvas to a position, with its cursor if it has one.
  public mutating func draw(_ other: Canvas, row: Int, column: Int) {
    for otherRow in 0..<other.size.rows {
      for otherColumn in 0..<other.size.columns {
        let cell = other[otherRow, otherColumn]
        guard let character = cell.character else { continue }
        let width = other.width(otherRow, otherColumn)
        let left = column + otherColumn
        guard left >= 0, left + width <= size.columns else { continue }
        let link = cell.link == 0 ? 0 : number(of: other.links[Int(cell.link) - 1])
        put(character, width: width, cell.style, link, row + otherRow, left)
      }
    }
    if let cursor = other.cursor { self.cursor = Position(row: row + cursor.row, column: column + cursor.column) }
  }

  /// Sets the style of a whole row.
  public mutating func restyle(row: Int, _ style: Style) {
    guard 0..<size.rows ~= row else { return }
    for column in 0..<size.columns { cells[row * size.columns + column].style = style }
  }

  /// Exchanges foreground and background in a part of a row, up to the edges, and leaves colours and weights.
  public mutating func reverse(row: Int, columns: Range<Int>) {
    guard 0..<size.rows ~= row else { return }
    for column in columns.clamped(to: 0..<size.columns) { cells[row * size.columns + column].style.isReversed = true }
  }

  subscript(row: Int, column: Int) -> Cell { cells[row * size.columns + column] }

  /// The number of columns of the character at a position.
  func width(_ row: Int, _ column: Int) -> Int {
    var width = 1
    while column + width < size.columns, self[row, column + width].character == nil { width += 1 }
    return width
  }

  /// The longest link that terminals keep (OSC 8 recommends 2,083 bytes).
  private static let longestLink = 2_000

  /// The number of a link, which is added if it is new; 0 for one that could end the command that sets it.
  private mutating func number(of link: String) -> UInt16 {
    guard link.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), (1...Self.longestLink).contains(link.utf8.count) else {
      return 0
    }
    if let place = links.firstIndex(of: link) { return UInt16(place + 1) }
    guard links.count < Int(UInt16.max) else { return 0 }
    links.append(link)
    return UInt16(links.count)
  }

  private mutating func put(_ character: Character, width: Int, _ style: Style, _ link: UInt16, _ row: Int, _ column: Int) {
    guard 0..<size.rows ~= row else { return }
    let start = row * size.columns
    clear(row, column..<column + width)
    cells[start + column] = Cell(character: character, style: style, link: link)
    for follower in 1..<max(1, width) { cells[start + column + follower] = Cell(character: nil, style: style, link: link) }
  }

  /// Clears the other half of each wide character that these columns cover in part.
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
