import TwentyFour
import _BonjourishTerminal

/// The hints that were paid for, each with its cost; they stay in sight as long as the round runs.
struct HintsView {
  let hints: [GameState.PaidHint]
  let glyphs: Glyphs

  /// The rows below that are for the standings and the tries.
  private static let rest = 3

  /// As many rows as are needed; at most those of `size`.
  func canvas(_ size: TerminalSize) -> Canvas {
    let lines = lines(columns: max(1, size.columns - 2), rows: size.rows)
    var canvas = Canvas(TerminalSize(columns: size.columns, rows: min(size.rows, lines.count)))
    for (row, line) in lines.enumerated() { canvas.write(line, row: row, column: 1, style: .plain.colored(.cyan)) }
    return canvas
  }

  /// In sentences if each fits into a line, otherwise in few words, and in a low window without a line for each.
  private func lines(columns: Int, rows: Int) -> [String] {
    let sentences = hints.map { Phrases.hint($0.hint, cost: $0.cost) }
    let short = hints.map { Phrases.shortHint($0.hint, cost: $0.cost) }.flatMap { $0.wrapped(to: columns) }
    if sentences.allSatisfy({ $0.columns <= columns }) { return sentences }
    guard hints.count > 1, rows < short.count + Self.rest else { return short }
    let all = Phrases.hints(hints.map(\.hint), cost: hints.reduce(0) { $0 + $1.cost }).wrapped(to: columns)
    return all.count < short.count ? all : short
  }
}
