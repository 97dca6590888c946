import TwentyFour
import _BonjourishTerminal

/// The codes that two people compare to find out whether somebody sits between.
struct CodesView {
  let state: GameState
  let glyphs: Glyphs

  private var lines: [String] {
    state.codes.map { code in
      guard let player = code.player else { return Phrases.ownCode(code.digits) }
      return Phrases.code(code.digits, of: player, isNumbered: state.hosting != nil)
    }
  }

  func canvas(_ size: TerminalSize) -> Canvas {
    var list = ListCanvas(size, glyphs)
    list.title(Phrases.codesTitle)
    list.rows(lines, keeping: { _ in false }) { ("  " + $0, .plain) }
    for line in Phrases.codesExplained.wrapped(to: max(1, size.columns - 4)) { list.line("  " + line, .dim) }
    return list.canvas
  }

  /// Adds all codes below what stands in a list, or none.
  func addIfThereIsRoom(to list: inout ListCanvas) {
    let lines = lines
    guard !lines.isEmpty, !state.isClosed, list.left >= lines.count + 2 else { return }
    list.skip()
    list.title("  " + Phrases.codesTitle)
    for line in lines { list.line("  " + line, .dim) }
  }
}
