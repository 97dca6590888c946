package import _BonjourishTerminal

/// The picture, for a screen of any size.
extension Explorer {
  /// Draws what is to be seen.
  ///
  /// - Parameters:
  ///   - size: The size of the screen.
  ///   - appearance: What the terminal can show.
  ///   - now: The time since the beginning.
  /// - Returns: The picture.
  package mutating func draw(_ size: TerminalSize, _ appearance: Appearance, at now: Duration) -> Canvas {
    var canvas = Canvas(size)
    let (columns, rows) = (canvas.size.columns, canvas.size.rows)
    let glyphs = appearance.glyphs
    layout = Layout(size: canvas.size)
    guard rows >= 4, columns >= 16 else {
      canvas.write("too small".truncated(to: columns, ellipsis: glyphs.ellipsis), row: 0, column: 0)
      return canvas
    }
    let title = title(columns - 4, glyphs)
    write(title.left, title.right, on: &canvas, row: 0, .reversed, glyphs)
    let bottom = drawBottom(on: &canvas, appearance, at: now)
    let top = rows >= 12 ? 2 : 1
    // Messages have a third of the screen, and what the list does not need.
    let most = max(1, (rows - 3) / 3, bottom - top - tree.rowCount - 1)
    let told = messageLines(columns: columns - 2, most: min(most, bottom - top - 1), glyphs)
    for (place, message) in told.enumerated() {
      canvas.write(message.text, row: bottom - told.count + place, column: 1, style: message.style)
    }
    let area = Layout.Area(row: top, column: 0, rows: bottom - told.count - top, columns: columns)
    if case .reading(let pane) = mode {
      drawPane(pane, on: &canvas, area, glyphs)
    } else {
      drawMiddle(on: &canvas, area, appearance, at: now)
    }
    return canvas
  }

  /// Draws the list and the details, beside or below each other, or one of them.
  private mutating func drawMiddle(
    on canvas: inout Canvas, _ area: Layout.Area, _ appearance: Appearance, at now: Duration
  ) {
    let glyphs = appearance.glyphs
    var (list, details) = (area, area)
    if area.columns >= 100, area.rows >= 6 {
      list.columns = area.columns * 11 / 20
      details.column = list.columns + 2
      details.columns = area.columns - details.column
      for row in area.row..<area.row + area.rows {
        canvas.write(String(glyphs.vertical), row: row, column: list.columns, style: .dim)
      }
    } else if area.rows >= 24 {
      list.rows = area.rows * 11 / 20
      details.row = area.row + list.rows + 1
      details.rows = area.rows - list.rows - 1
      canvas.write(String(repeating: glyphs.horizontal, count: area.columns), row: details.row - 1, column: 0, style: .dim)
    } else if showsDetailsAlone, selectedEntry != nil {
      list.rows = 0
    } else {
      details.rows = 0
      focus = .list
    }
    layout.hasDetails = details.rows > 0
    if selectedEntry == nil { (focus, showsDetailsAlone) = (.list, false) }
    if list.rows > 0 { drawList(on: &canvas, list, glyphs, at: now) }
    if details.rows > 0 { drawDetails(on: &canvas, details, glyphs) }
  }

  private mutating func drawDetails(on canvas: inout Canvas, _ area: Layout.Area, _ glyphs: Glyphs) {
    layout.details = area
    let lines = detailLines
    guard !lines.isEmpty else { return }
    detailCursor = max(0, min(detailCursor, lines.count - 1))
    let labels = area.columns >= 40 ? min(10, (lines.map(\.label.columns).max() ?? 0) + 2) : 0
    let width = max(8, area.columns - labels - 2)
    // Each line in as many rows as it needs.
    var rows: [(line: Int, label: String, text: String)] = []
    for (number, line) in lines.enumerated() {
      let label = labels == 0 && !line.label.isEmpty ? "\(line.label): " : ""
      let text = settings.isUnicode ? line.text : line.text.escapedForASCII
      for (place, piece) in (label + text).brokenEverywhere(to: width).enumerated() {
        rows.append((number, place == 0 && labels > 0 ? line.label : "", piece))
      }
    }
    if let first = rows.firstIndex(where: { $0.line == detailCursor }),
      let last = rows.lastIndex(where: { $0.line == detailCursor })
    {
      if detailScroll > first { detailScroll = first }
      if last >= detailScroll + area.rows { detailScroll = min(first, last - area.rows + 1) }
    }
    detailScroll = max(0, min(detailScroll, rows.count - area.rows))
    for (place, row) in rows.dropFirst(detailScroll).prefix(area.rows).enumerated() {
      let line = lines[row.line]
      canvas.write(row.label, row: area.row + place, column: area.column + 1, style: .dim)
      canvas.write(row.text, row: area.row + place, column: area.column + 1 + labels, style: line.style, link: line.link)
      if focus == .details, row.line == detailCursor {
        canvas.reverse(row: area.row + place, columns: area.column..<area.column + area.columns)
      }
      layout.detailLines.append(row.line)
    }
    let below = rows.count - detailScroll - area.rows
    if below > 0 {
      let text = " \(below) below "
      canvas.write(text, row: area.row + area.rows - 1, column: area.column + area.columns - text.columns - 1, style: .dim)
    }
  }

  private mutating func drawPane(_ pane: Pane, on canvas: inout Canvas, _ area: Layout.Area, _ glyphs: Glyphs) {
    layout.list = area
    let lines: [(text: String, style: Style)]
    switch pane {
    case .help: lines = helpLines(columns: area.columns - 2)
    case .report:
      lines =
        isExamining
        ? [("Examining this machine, for up to five seconds \(glyphs.ellipsis)", .dim)]
        : report.flatMap { $0.brokenEverywhere(to: max(1, area.columns - 2)) }.map { ($0, .plain) }
    }
    let fits = lines.count <= area.rows
    let page = max(0, fits ? area.rows : area.rows - 1)
    let scroll = max(0, min(pane.scroll, lines.count - page))
    mode = .reading(pane.scrolled(to: scroll))
    for (place, line) in lines.dropFirst(scroll).prefix(page).enumerated() {
      let text = settings.isUnicode ? line.text : line.text.escapedForASCII
      canvas.write(text, row: area.row + place, column: area.column + 1, style: line.style)
    }
    guard !fits else { return }
    canvas.write(Self.around(scroll, lines.count - scroll - page), row: area.row + page, column: area.column + 1, style: .dim)
  }

  /// How much there is above and below.
  static func around(_ above: Int, _ below: Int) -> String {
    [above > 0 ? "\(above) above" : nil, below > 0 ? "\(below) below" : nil].compactMap(\.self).joined(separator: ", ")
  }

  /// Writes something on the left and on the right of a row.
  func write(_ left: String, _ right: String, on canvas: inout Canvas, row: Int, _ style: Style, _ glyphs: Glyphs) {
    let columns = canvas.size.columns
    canvas.write(right, row: row, column: columns - right.columns - 1)
    let space = columns - 2 - (right.isEmpty ? 0 : right.columns + 2)
    canvas.write(left.truncated(to: space, ellipsis: glyphs.ellipsis), row: row, column: 1)
    canvas.restyle(row: row, style)
  }
}

extension String {
  /// The text in pieces of at most this many columns, broken behind a space or, in a long word, wherever a line is full; at least one. No
  /// character is left out.
  func brokenEverywhere(to columns: Int) -> [String] {
    var (pieces, piece, width) = ([String](), "", 0)
    for character in self {
      let own = String(character).columns
      if width + own > columns, !piece.isEmpty {
        // Not too far in front of the end.
        let space = piece.lastIndex(of: " ").map { piece.index(after: $0) } ?? piece.endIndex
        let end = piece[..<space].columns * 2 > columns ? space : piece.endIndex
        pieces.append(String(piece[..<end]))
        piece = String(piece[end...])
        width = piece.columns
      }
      piece.append(character)
      width += own
    }
    return pieces + [piece]
  }
}
