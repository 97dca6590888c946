import TwentyFour
import _BonjourishTerminal

/// How to play, and what a host may decide; in a small window in fewer words.
struct HelpView {
  let state: GameState
  let glyphs: Glyphs

  var isShown: Bool { state.panel == .help || state.panel == .hosting }

  private var title: String { state.panel == .hosting ? Phrases.hostHelpTitle : Phrases.helpTitle }

  private func lines(columns: Int, rows: Int) -> [String] {
    let rules = Match.Rules()
    let (long, short) =
      state.panel == .hosting
      ? (Phrases.hostHelpLines, Phrases.shortHostHelpLines)
      : (Phrases.helpLines(rules, isHost: state.hosting != nil, isPractice: state.isPractice), Phrases.shortHelpLines(rules))
    let width = max(1, columns - 2)
    let wrapped = long.flatMap { $0.wrapped(to: width) }
    return wrapped.count < rows ? wrapped : short.flatMap { $0.wrapped(to: width) }
  }

  /// The least rows for all of it.
  func height(columns: Int) -> Int { lines(columns: columns, rows: 0).count + 1 }

  func canvas(_ size: TerminalSize) -> Canvas {
    var list = ListCanvas(size, glyphs)
    let lines = lines(columns: size.columns, rows: size.rows)
    if lines.count < size.rows { list.title(title) }
    for line in lines { list.line(line, .plain) }
    return list.canvas
  }
}
