import Terminal
import TwentyFour

/// The hints that were paid for, each with its cost; they stay in sight as long as the round runs.
struct HintsView {
  let hints: [GameState.PaidHint]
  let glyphs: Glyphs

  /// As many rows as are needed; at most those of `size`.
  func canvas(_ size: TerminalSize) -> Canvas {
    let width = max(1, size.columns - 2)
    let lines = hints.flatMap { Phrases.hint($0.hint, cost: $0.cost, columns: width).wrapped(to: width) }
    var canvas = Canvas(TerminalSize(columns: size.columns, rows: min(size.rows, lines.count)))
    for (row, line) in lines.enumerated() { canvas.write(line, row: row, column: 1, style: .plain.colored(.cyan)) }
    return canvas
  }
}
