import Rooms
import Terminal
import TwentyFour

/// The standings.
struct StandingsView {
  let state: GameState
  let glyphs: Glyphs

  private static let statusColumns = 16

  func canvas(_ size: TerminalSize) -> Canvas {
    var list = ListCanvas(size, glyphs)
    let points = Phrases.pointsColumn.columns
    let status = min(Self.statusColumns, max(0, size.columns - points - 14))
    let name = max(0, size.columns - points - status - 6)
    list.title("  " + Phrases.standings.padded(to: name + status + 2, ellipsis: glyphs.ellipsis) + Phrases.pointsColumn)
    list.rows(state.standings, keeping: { $0.player.id == state.me?.id }) { standing in
      let isMe = standing.player.id == state.me?.id
      let style = standing.isAway ? Style.dim : isMe ? .bold : .plain
      // Whoever hosts decides about players by their numbers.
      let number = state.hosting == nil ? "" : "\(standing.player.id) "
      let text =
        (isMe ? "\(glyphs.pointer) " : "  ")
        + (number + Phrases.name(standing)).padded(to: name, ellipsis: glyphs.ellipsis) + " "
        + Phrases.shortStatus(standing).padded(to: status, ellipsis: glyphs.ellipsis) + " "
        + String(standing.points).leftPadded(to: points, ellipsis: glyphs.ellipsis)
      return (text, standing.time == nil ? style : style.colored(.green))
    }
    return list.canvas
  }
}

/// The player's tries and hints in this round.
struct TriesView {
  let state: GameState
  let glyphs: Glyphs

  func canvas(_ size: TerminalSize) -> Canvas {
    var list = ListCanvas(size, glyphs)
    list.title(Phrases.tries)
    let width = max(0, size.columns - 2)
    var lines: [(String, Style)] = []
    for hint in state.hints {
      lines += Phrases.hint(hint).wrapped(to: width).map { ($0, Style.plain.colored(.cyan)) }
    }
    let longest = min(width / 2, state.tries.map(\.text.columns).max() ?? 0)
    for attempt in state.tries {
      let (outcome, style): (String, Style) =
        switch attempt.outcome {
        case .asked: (Phrases.sent, .dim)
        case .refused(let reason): (Phrases.reason(reason), .plain)
        case .right: (Phrases.right, .bold.colored(.green))
        }
      let text = attempt.text.padded(to: longest, ellipsis: glyphs.ellipsis) + "  " + outcome
      if text.columns <= width {
        lines.append((text, style))
      } else {
        lines.append((attempt.text.truncated(to: width, ellipsis: glyphs.ellipsis), style))
        lines += outcome.wrapped(to: width - 2).map { ("  " + $0, style) }
      }
    }
    // The newest tries, at the end, must be visible.
    for (text, style) in lines.suffix(list.left) { list.line(text, style) }
    return list.canvas
  }
}

/// The points by round, the total and the best time of each player.
struct TableView {
  let state: GameState
  /// Whether there is a column for the status of each player.
  let hasStatus: Bool
  let glyphs: Glyphs

  private static let columnWidth = 5

  func canvas(_ size: TerminalSize) -> Canvas {
    var list = ListCanvas(size, glyphs)
    let (total, best) = (6, 9)
    let status = hasStatus && size.columns >= 60 ? 18 : 0
    let longest = state.standings.map { Phrases.name($0.player).columns }.max() ?? 0
    let name = min(max(8, longest), max(8, size.columns - total - best - status - 4))
    let room = max(0, size.columns - name - total - best - status - 4)
    let rounds = Array(state.table.columns.suffix(room / Self.columnWidth))

    func line(_ mark: String, _ first: String, _ second: String, _ points: [String], _ sum: String, _ time: String) -> String {
      "\(mark) " + first.padded(to: name, ellipsis: glyphs.ellipsis) + (status > 0 ? "  " + second.padded(to: status - 2) : "")
        + points.map { $0.leftPadded(to: Self.columnWidth) }.joined() + sum.leftPadded(to: total) + time.leftPadded(to: best)
    }

    let titles = Phrases.tableColumns
    list.title(
      line(
        " ", titles.player, titles.status, rounds.map { Phrases.roundColumn($0.round) }, titles.total, titles.best))
    let standings = state.standings.sorted { $0.points > $1.points }
    list.rows(standings, keeping: { $0.player.id == state.me?.id }) { standing in
      let isMe = standing.player.id == state.me?.id
      let text = line(
        isMe ? String(glyphs.pointer) : " ", Phrases.name(standing.player), Phrases.shortStatus(standing),
        rounds.map { $0.points[standing.player.id].map(String.init) ?? "-" }, String(standing.points),
        standing.best.map(Phrases.time) ?? "-")
      return (text, standing.isAway ? .dim : isMe ? .bold : .plain)
    }
    return list.canvas
  }
}

/// How to play.
struct HelpView {
  let isHost: Bool
  let glyphs: Glyphs

  func canvas(_ size: TerminalSize) -> Canvas {
    var list = ListCanvas(size, glyphs)
    list.title(Phrases.helpTitle)
    let lines = Phrases.helpLines + (isHost ? Phrases.hostHelpLines : [])
    for line in lines.flatMap({ $0.wrapped(to: size.columns - 2) }) { list.line(line, .plain) }
    return list.canvas
  }
}

/// A title and as many lines below it as fit.
struct ListCanvas {
  private(set) var canvas: Canvas
  private let glyphs: Glyphs
  private var row = 0

  init(_ size: TerminalSize, _ glyphs: Glyphs) {
    canvas = Canvas(size)
    self.glyphs = glyphs
  }

  /// The number of lines that still fit.
  var left: Int { max(0, canvas.size.rows - row) }

  mutating func title(_ text: String) {
    line(text, Style(color: .cyan, isBold: true))
  }

  mutating func line(_ text: String, _ style: Style) {
    canvas.write(
      text.truncated(to: max(0, canvas.size.columns - 2), ellipsis: glyphs.ellipsis), row: row, column: 1, style: style)
    row += 1
  }

  /// A line for each element. Elements that do not fit are counted, but the first is always shown.
  mutating func rows<Element>(
    _ elements: [Element], keeping isKept: (Element) -> Bool, _ text: (Element) -> (String, Style)
  ) {
    guard elements.count > left else {
      for element in elements {
        let (text, style) = text(element)
        line(text, style)
      }
      return
    }
    guard left > 0 else { return }
    var shown = Array(elements.prefix(left - 1))
    if let kept = elements.first(where: isKept), !shown.contains(where: isKept), !shown.isEmpty {
      shown[shown.count - 1] = kept
    }
    for element in shown {
      let (text, style) = text(element)
      line(text, style)
    }
    line("  " + Phrases.more(elements.count - shown.count), .dim)
  }
}
