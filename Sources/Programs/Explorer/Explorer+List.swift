import _BonjourishDiscovery
import _BonjourishTerminal

/// The list of groups and services.
extension Explorer {
  mutating func drawList(on canvas: inout Canvas, _ area: Layout.Area, _ glyphs: Glyphs, at now: Duration) {
    let count = tree.rowCount
    guard count > 0 else {
      let text =
        tree.filter != nil || tree.listsMarkedOnly
        ? "Nothing here matches; Esc shows all."
        : isSettled ? "Nothing here yet; what comes is shown." : "Looking \(glyphs.ellipsis)"
      canvas.write(text.truncated(to: area.columns - 4, ellipsis: glyphs.ellipsis), row: area.row, column: 3, style: .dim)
      return
    }
    // If not all rows fit, the last line counts the others.
    let hasHeading = area.rows >= 5
    let space = max(1, area.rows - (hasHeading ? 1 : 0))
    let page = count <= space ? space : max(1, space - 1)
    if keepsCursorInSight {
      if cursorIndex < scroll {
        scroll = cursorIndex
        // A group comes into sight above its first service.
        if page > 2, scroll > 0, case .group? = tree.rows(from: scroll - 1, count: 1).first { scroll -= 1 }
      }
      scroll = max(scroll, cursorIndex - page + 1)
    }
    scroll = max(0, min(scroll, count - page))
    let top = area.row + (hasHeading ? 1 : 0)
    layout.list = Layout.Area(row: top, column: area.column, rows: page, columns: area.columns)

    let indent = tree.grouping == .flat ? 0 : 2
    let left = area.column + 4 + indent
    let widths = ColumnWidths(
      natural, within: area.columns - 5 - indent, usesDirectory: settings.region != nil, sparse: sparse
    ).shown
    if hasHeading {
      var column = left
      for (shown, width) in widths {
        let text = shown.heading.truncated(to: width, ellipsis: glyphs.ellipsis)
        canvas.write(text, row: area.row, column: column, style: Style(isBold: true))
        column += width + ColumnWidths.gap
      }
    }
    for (place, row) in tree.rows(from: scroll, count: page).enumerated() {
      switch row {
      case .group(let group): draw(tree.groups[group], on: &canvas, row: top + place, area, glyphs)
      case .service(_, let slot): draw(tree[slot], on: &canvas, row: top + place, area.column, left, widths, glyphs, at: now)
      }
      if scroll + place == cursorIndex, focus == .list {
        canvas.reverse(row: top + place, columns: area.column..<area.column + area.columns)
      } else if scroll + place == cursorIndex {
        canvas.write(String(glyphs.pointer), row: top + place, column: area.column, style: .bold)
      }
    }
    if page < min(count, space) {
      canvas.write(Self.around(scroll, count - scroll - page), row: top + page, column: area.column + 3, style: .dim)
    }
  }

  private func draw(
    _ group: ServiceTree.Group, on canvas: inout Canvas, row: Int, _ area: Layout.Area, _ glyphs: Glyphs
  ) {
    let count = "\(group.presentCount)"
    let mark = tree.folded.contains(group.key) ? glyphs.pointer : glyphs.opened
    var text = group.title
    if tree.grouping == .type, let first = group.members.first,
      let title = settings.title(tree[first].service.instance.type)
    {
      text += "  \(title)"
    }
    if !settings.isUnicode { text = text.escapedForASCII }
    canvas.write(String(mark), row: row, column: area.column + 1, style: .bold)
    let space = area.columns - 5 - count.columns
    let end = canvas.write(
      text.truncated(to: space, ellipsis: glyphs.ellipsis), row: row, column: area.column + 3, style: .bold)
    canvas.write(count, row: row, column: end + 1, style: .dim)
  }

  private func draw(
    _ entry: Entry, on canvas: inout Canvas, row: Int, _ start: Int, _ left: Int,
    _ widths: [(column: Column, width: Int)], _ glyphs: Glyphs, at now: Duration
  ) {
    let mark = frozen == nil && entry.end <= now ? nil : entry.mark
    let style = Self.style(of: entry, mark)
    canvas.write(mark?.rawValue ?? (entry.remarks.flapsUntil > now ? "!" : " "), row: row, column: start + 1, style: style)
    if entry.remarks.isMarked { canvas.write("*", row: row, column: start + 2, style: .bold) }
    var column = left
    for (shown, width) in widths {
      let text = entry.cells[shown.rawValue]
      let fits = entry.widths[shown.rawValue] <= width
      canvas.write(fits ? text : text.truncated(to: width, ellipsis: glyphs.ellipsis), row: row, column: column, style: style)
      column += width + ColumnWidths.gap
    }
  }

  private static func style(of entry: Entry, _ mark: Entry.Mark?) -> Style {
    switch mark {
    case .found: .bold.colored(.green)
    case .changed: .bold
    case .lost: .dim.colored(.red)
    case nil: entry.service.presence == .present ? .plain : .dim
    }
  }

  private func isSorted(by column: Column) -> Bool {
    (tree.order == .host && column == .host) || (tree.order == .address && column == .addresses)
  }

  /// The columns that only services have which were selected, while most were not.
  private var sparse: Set<Column> {
    let columns = Column.allCases.filter { $0.needsEndpoint && !isSorted(by: $0) }
    return Set(columns.filter { tree.filledCounts[$0.rawValue] * 2 < tree.listedCount })
  }

  /// The columns with something to show, and the widths that they need.
  private var natural: [(column: Column, width: Int)] {
    Column.inOrder(usesDirectory: settings.region != nil).compactMap { column in
      guard column.isUseful(in: tree.grouping) else { return nil }
      // What only the selected service has is in its details, and leaves the space to names.
      if layout.hasDetails, !resolvesAll, column.needsEndpoint, !isSorted(by: column) { return nil }
      // Services of one type have its name in the first line.
      if settings.sought?.count == 1, column == .type || column == .title { return nil }
      let widest = tree.widest[column.rawValue]
      return widest == 0 ? nil : (column, max(widest, column.heading.columns))
    }
  }
}
