import Rooms
import TwentyFour
import _BonjourishTerminal

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
    let longest = state.standings.map { Phrases.name($0).columns }.max() ?? 0
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
        isMe ? String(glyphs.pointer) : " ", Phrases.name(standing, columns: name), Phrases.shortStatus(standing),
        rounds.map { $0.points[standing.player.id].map(String.init) ?? "-" }, String(standing.points),
        standing.best.map(Phrases.time) ?? "-")
      return (text, standing.isAway ? .dim : isMe ? .bold : .plain)
    }
    if !isRunning {
      let best = Phrases.bestTime(state.standings, me: state.me?.id)
      let wins = state.wins.values.reduce(0, +) > 1 ? Phrases.wins(state.wins) : nil
      for text in [best, wins].compactMap(\.self) {
        let lines = text.wrapped(to: max(1, size.columns - 4))
        // Half a sentence says nothing.
        if lines.count <= list.left { for line in lines { list.line("  " + line, .plain) } }
      }
    }
    if state.spectators > 0, list.left > 0, !state.isClosed { list.line("  " + Phrases.spectators(state.spectators), .dim) }
    if hasStatus { CodesView(state: state, glyphs: glyphs).addIfThereIsRoom(to: &list) }
    return list.canvas
  }

  /// Whether more rounds follow.
  private var isRunning: Bool {
    switch state.phase {
    case .ended, .closed: false
    case .entering, .waiting, .playing, .pausing: true
    }
  }
}
