import Bonjourish
import _BonjourishTerminal

/// The picture, for a screen of any size.
extension BrowseTable {
  /// Draws the table.
  ///
  /// - Parameters:
  ///   - now: The time since the beginning.
  mutating func draw(_ size: TerminalSize, _ appearance: Appearance, at now: Duration) -> Canvas {
    var canvas = Canvas(size)
    let (columns, rows) = (canvas.size.columns, canvas.size.rows)
    let glyphs = appearance.glyphs
    guard rows >= 4, columns >= 16 else {
      canvas.write("too small".truncated(to: columns, ellipsis: glyphs.ellipsis), row: 0, column: 0)
      return canvas
    }
    func line(_ left: String, _ right: String, row: Int, _ style: Style) {
      canvas.write(right, row: row, column: columns - right.columns - 1)
      let space = columns - 2 - (right.isEmpty ? 0 : right.columns + 2)
      canvas.write(left.truncated(to: space, ellipsis: glyphs.ellipsis), row: row, column: 1)
      canvas.restyle(row: row, style)
    }
    let title = title(columns - 4)
    line(title.left, title.right, row: 0, .reversed)
    let top = rows >= 10 ? 2 : 1
    // Messages have a third of the screen, and what the list does not need.
    let most = max(1, (rows - 3) / 3, rows - top - self.rows.count - 3)
    let told = messageLines(columns: columns - 2, most: most, glyphs)
    for (place, message) in told.enumerated() {
      canvas.write(message.text, row: rows - 1 - told.count + place, column: 1, style: message.style)
    }
    let space = TerminalSize(columns: columns, rows: rows - 1 - told.count - top)
    canvas.draw(list(space, glyphs, at: now), row: top, column: 0)
    let status = status(columns - 2, glyphs, at: now)
    line(status.left, status.right, row: rows - 1, .dim)
    return canvas
  }

  // MARK: - The first and the last line

  /// What is looked for, and how much of it is there; of that what fits.
  private func title(_ columns: Int) -> (left: String, right: String) {
    var subjects = [sought?.joined(separator: ", ") ?? "all services"]
    if let sought, sought.count == 1,
      let title = (try? SoughtType(parsing: sought[0])).flatMap({ KnownType.title(of: $0.type) })
    {
      subjects.insert("\(sought[0]) (\(title))", at: 0)
    }
    let noun = "\(isSelective ? "matching " : "")service\(count == 1 ? "" : "s")"
    let summaries = ["\(count) \(noun)\(isSettled ? "" : ", looking")", "\(count) \(noun)", "\(count)"]
    for summary in summaries {
      for subject in subjects where subject.columns + summary.columns <= columns { return (subject, summary) }
    }
    return (subjects[subjects.count - 1], summaries[2])
  }

  /// Where, through which backend and for how long; of that what fits, and the keys.
  private func status(_ columns: Int, _ glyphs: Glyphs, at now: Duration) -> (left: String, right: String) {
    // A directory alone has no backend of the local network, and no interfaces.
    let isLocal = backend != "directory"
    let backend = backend.map { $0 == "avahi" ? "avahi-daemon" : "built-in engine" }
    let parts = [
      isLocal ? reach.map(Self.places) : nil, region.map { "directory \(Line.word($0))" }, isLocal ? backend : nil,
      Self.text(now),
    ].compactMap(\.self)
    let left = parts.joined(separator: glyphs.separator)
    let keys = rows.count > page ? ["\(glyphs.arrows): move  q: quit", "q: quit"] : ["q: quit"]
    return (left, keys.first { left.columns + 2 + $0.columns <= columns } ?? "")
  }

  /// The interfaces on which the network is reached.
  private static func places(_ reach: Reach) -> String {
    let links = reach.items.filter { $0.state == .works || $0.state == .unproven }.map(\.link)
    let names = Set(links.map(\.source)).sorted().map { source in
      let families = Set(links.filter { $0.source == source }.map(\.family))
      return Line.word(source.name) + (families.count > 1 ? "" : families.contains(.ipv4) ? " (IPv4)" : " (IPv6)")
    }
    if names.isEmpty { return "on no interface" }
    let rest = names.count - 3
    return "on " + names.prefix(rest > 1 ? 3 : 4).joined(separator: ", ") + (rest > 1 ? " and \(rest) more" : "")
  }

  /// A duration in seconds, or in minutes and hours.
  private static func text(_ duration: Duration) -> String {
    let seconds = max(0, duration.components.seconds)
    if seconds < 60 { return "\(seconds) s" }
    let minutes = seconds / 60
    return minutes < 60 ? "\(minutes) min \(seconds % 60) s" : "\(minutes / 60) h \(minutes % 60) min"
  }

  // MARK: - Messages

  private func messageLines(columns: Int, most: Int, _ glyphs: Glyphs) -> [(text: String, style: Style)] {
    var texts: [(String, Style)] = []
    if let outage { texts.append((outage.message.escapedForDisplay, .bold.colored(.red))) }
    if let reach {
      // An outage tells the causes too.
      let causes = outage == nil ? reach.causes.map(\.description) : []
      texts += (causes + Self.failures(reach)).map { ($0, .bold.colored(.yellow)) }
    }
    texts += messages.map { ($0, .bold.colored(.yellow)) }
    let lines = texts.flatMap { text, style in text.wrapped(to: columns).map { (text: $0, style: style) } }
    guard lines.count > most else { return lines }
    return lines.prefix(most - 1) + [(glyphs.ellipsis, .bold)]
  }

  /// The links that should work and do not. A cable that is not plugged in does not matter while another one is, and the loopback
  /// interface never does.
  private static func failures(_ reach: Reach) -> [String] {
    if reach.causes.contains(where: { $0.code == .thisMachineOnly }) { return [] }
    let idle: Set<Reach.Cause.Code> = [.notUp, .noCarrier, .noAddress, .noFamily]
    let failing = reach.failing.filter { !idle.contains($0.cause.code) || reach.working.isEmpty }
    var texts: [String] = []
    for (link, cause) in failing {
      let hasSameCause = failing.count { $0.link.source == link.source && $0.cause == cause } > 1
      let text = "\(hasSameCause ? Line.word(link.source.name) : "\(link)"): \(cause)"
      if !texts.contains(text) { texts.append(text) }
    }
    return Array(texts.prefix(3))
  }

  // MARK: - The list

  private mutating func list(_ size: TerminalSize, _ glyphs: Glyphs, at now: Duration) -> Canvas {
    var canvas = Canvas(size)
    guard size.rows > 0 else { return canvas }
    guard !rows.isEmpty else {
      let text = isSettled ? "Nothing here yet; what comes is shown." : "Looking \(glyphs.ellipsis)"
      canvas.write(text.truncated(to: size.columns - 4, ellipsis: glyphs.ellipsis), row: 0, column: 3, style: .dim)
      return canvas
    }
    // If not all rows fit, the last line counts the others.
    let fitsAll = rows.count <= size.rows - 1
    fit(fitsAll ? size.rows - 1 : size.rows - 2)
    let widths = ColumnWidths(natural, within: size.columns - 4, usesDirectory: region != nil)
    func write(_ texts: [String], mark: String, row: Int, _ style: Style) {
      canvas.write(mark, row: row, column: 1, style: style)
      var column = 3
      for (text, width) in zip(texts, widths.shown.map(\.width)) {
        canvas.write(text.truncated(to: width, ellipsis: glyphs.ellipsis), row: row, column: column, style: style)
        column += width + ColumnWidths.gap
      }
    }
    write(widths.shown.map(\.column.heading), mark: " ", row: 0, Style(color: .cyan, isBold: true))
    for (place, row) in rows.dropFirst(scroll).prefix(page).enumerated() {
      let cells = widths.shown.map { row.cells[$0.column.rawValue] }
      let mark = row.end <= now ? nil : row.mark
      write(cells, mark: mark?.rawValue ?? " ", row: place + 1, Self.style(of: row.service, mark))
    }
    if !fitsAll {
      let below = rows.count - scroll - page
      let parts = [scroll > 0 ? "\(scroll) above" : nil, below > 0 ? "\(below) below" : nil].compactMap(\.self)
      canvas.write(parts.joined(separator: ", "), row: size.rows - 1, column: 3, style: .dim)
    }
    return canvas
  }

  private static func style(of service: DiscoveredService, _ mark: Mark?) -> Style {
    switch mark {
    case .found: .bold.colored(.green)
    case .changed: .plain.colored(.yellow)
    case .lost: .dim.colored(.red)
    case nil: service.presence == .present ? .plain : .dim
    }
  }

  /// The columns with something to show, and the widths that they need.
  private var natural: [(column: Column, width: Int)] {
    Column.inOrder(usesDirectory: region != nil).compactMap { column in
      switch column {
      case .type where !hasTypes, .title where !hasTypes || resolves, .interfaces where resolves && hasOneInterface: return nil
      default: break
      }
      let widest = rows.map { $0.widths[column.rawValue] }.max() ?? 0
      return widest == 0 ? nil : (column, max(widest, column.heading.columns))
    }
  }

  /// Whether all services are on the same interfaces, which the status line names.
  private var hasOneInterface: Bool { rows.allSatisfy { $0.service.sources == rows[0].service.sources } }
}
