import _BonjourishTerminal

/// As many of the keys as fit, in their order, and always the last ones, by which the player gets out.
struct KeyBar {
  let keys: [String]
  var last: [String] = []
  let glyphs: Glyphs

  private static let gap = "   "

  func canvas(columns: Int) -> Canvas {
    var canvas = Canvas(TerminalSize(columns: columns, rows: 1))
    var shown: [String] = []
    for key in keys where text(shown + [key] + last).columns <= columns - 2 { shown.append(key) }
    // In a very narrow window, the very last one is left.
    let kept = text(shown + last).columns <= columns - 2 ? shown + last : last.suffix(1)
    canvas.write(text(kept), row: 0, column: 1, style: .dim)
    return canvas
  }

  private func text(_ keys: [String]) -> String { keys.joined(separator: Self.gap) }
}
