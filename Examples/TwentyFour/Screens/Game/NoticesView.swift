import Terminal
import TwentyFour

/// The latest messages, newest last: the newest one in full, earlier ones if there is space for all of them.
struct NoticesView {
  let state: GameState
  let glyphs: Glyphs

  private static let longest = 3

  /// - Parameter rows: The rows of the screen.
  func canvas(columns: Int, rows: Int) -> Canvas {
    // In a low window, help needs the space.
    let isHidden = rows < 20 && HelpView(state: state, glyphs: glyphs).isShown
    let space = isHidden ? 0 : rows >= 20 ? 2 : rows >= GameView.smallest.rows - 1 ? 1 : 0
    var lines: [String] = []
    for notice in state.notices.reversed() where space > 0 {
      let wrapped = notice.wrapped(to: max(1, columns - 4)).prefix(Self.longest)
      guard lines.isEmpty || lines.count + wrapped.count <= space else { break }
      lines = wrapped.enumerated().map { ($0 == 0 ? "\(glyphs.bullet) " : "  ") + $1 } + lines
    }
    var canvas = Canvas(TerminalSize(columns: columns, rows: max(space, lines.count)))
    for (row, line) in lines.enumerated() { canvas.write(line, row: row, column: 1, style: .dim) }
    return canvas
  }
}
