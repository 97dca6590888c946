import TwentyFour
import _BonjourishTerminal

/// The player's tries in this round.
struct TriesView {
  let state: GameState
  let glyphs: Glyphs

  /// The rows that it needs, for the newest try if not for all, if it is one of two parts of a column.
  func height(columns: Int, rows: Int) -> Int {
    guard let newest = state.tries.last else { return 0 }
    let all = lines(columns: columns).count + 1
    return max(0, min(rows - 1, max(lines(of: newest, columns: columns).count, min(all, rows / 2))))
  }

  func canvas(_ size: TerminalSize) -> Canvas {
    var list = ListCanvas(size, glyphs)
    let lines = lines(columns: size.columns)
    // The title makes way for the newest try.
    let newest = state.tries.last.map { self.lines(of: $0, columns: size.columns).count } ?? 0
    if lines.count < size.rows || size.rows > max(3, newest) { list.title(Phrases.tries) }
    // The newest tries, at the end, must be visible.
    for (text, style) in lines.suffix(list.left) { list.line(text, style) }
    return list.canvas
  }

  private func lines(columns: Int) -> [(String, Style)] { state.tries.flatMap { lines(of: $0, columns: columns) } }

  private func lines(of attempt: GameState.Try, columns: Int) -> [(String, Style)] {
    let width = max(0, columns - 2)
    let longest = min(width / 2, state.tries.map(\.text.columns).max() ?? 0)
    let (outcome, style): (String, Style) =
      switch attempt.outcome {
      case .asked: (Phrases.going(Phrases.sent, glyphs), .dim)
      case .refused(let reason): (Phrases.reason(reason), .plain)
      case .right: (Phrases.right, .bold.colored(.green))
      }
    let text = attempt.text.padded(to: longest, ellipsis: glyphs.ellipsis) + "  " + outcome
    guard text.columns > width else { return [(text, style)] }
    return [(attempt.text.truncated(to: width, ellipsis: glyphs.ellipsis), style)]
      + outcome.wrapped(to: width - 2).map { ("  " + $0, style) }
  }
}
