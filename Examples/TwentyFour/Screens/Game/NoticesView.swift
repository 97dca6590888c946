import TwentyFour
import _BonjourishTerminal

/// The latest messages, newest last: the newest one in full, earlier ones if there is space for all of them.
struct NoticesView {
  let state: GameState
  let glyphs: Glyphs

  private static let longest = 3

  /// - Parameter rows: The rows of the screen.
  func canvas(columns: Int, rows: Int) -> Canvas {
    // In a low window, help needs the space.
    let isHidden = rows < 20 && HelpView(state: state, glyphs: glyphs).isShown
    let space = isHidden ? 0 : rows >= 20 ? 2 + max(0, (rows - 24) / 4) : rows >= GameView.smallest.rows - 1 ? 1 : 0
    // There, what stood there when the player wrote a line has been read.
    let network = isHidden || rows < GameView.smallest.rows ? [] : self.network(columns: columns)
    // What is said there need not be repeated.
    let notices = (rows >= 20 ? state.notices : state.notices.suffix(state.unread)).filter {
      network.isEmpty || $0 != state.network
    }
    guard rows >= 20 || !notices.isEmpty || !network.isEmpty else { return Canvas(TerminalSize(columns: columns, rows: 0)) }
    var lines: [String] = []
    for notice in notices.reversed() where space > 0 {
      let wrapped = notice.wrapped(to: max(1, columns - 4)).prefix(Self.longest)
      guard lines.isEmpty || lines.count + wrapped.count <= space else { break }
      lines = wrapped.enumerated().map { ($0 == 0 ? "\(glyphs.bullet) " : "  ") + $1 } + lines
    }
    if !network.isEmpty, rows < 20 { lines = [] }
    var canvas = Canvas(TerminalSize(columns: columns, rows: max(space, network.count + lines.count)))
    for (row, line) in network.enumerated() { canvas.write(line, row: row, column: 1, style: .bold) }
    for (row, line) in lines.enumerated() { canvas.write(line, row: network.count + row, column: 1, style: .dim) }
    return canvas
  }

  /// What is wrong with the network, as long as it may be why nobody comes.
  private func network(columns: Int) -> [String] {
    guard let network = state.network, state.isAlone || state.round == 0, !state.isClosed else { return [] }
    return network.wrapped(to: max(1, columns - 2))
  }
}
