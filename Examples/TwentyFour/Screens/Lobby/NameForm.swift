import Names
import Terminal
import TwentyFour

/// The form for the player's name, as a value.
struct NameForm: Hashable, Sendable {
  private var editor = LineEditor(limit: PlayerName.maximumByteCount)
  /// The reason why the last name cannot be used.
  private var flaw: String?

  /// Begins with a name to edit.
  init(_ name: PlayerName? = nil) {
    if let name { editor.replace(with: name.text) }
  }

  enum Outcome: Hashable {
    case name(PlayerName)
    case cancelled
  }

  /// Handles a key; returns the name when complete, `cancelled` if the player gives none, and otherwise nil.
  mutating func press(_ key: Key) -> Outcome? {
    if key == .escape { return .cancelled }
    switch editor.handle(key) {
    case .submitted(let text):
      do {
        return .name(try PlayerName(typed: text))
      } catch {
        flaw = error.description
        editor.replace(with: text)
        return nil
      }
    case .ended: return .cancelled
    case .edited:
      flaw = nil
      return nil
    case .ignored: return nil
    }
  }

  func draw(size: TerminalSize, appearance: Appearance) -> Canvas {
    var canvas = Canvas(size)
    let glyphs = appearance.glyphs
    let columns = canvas.size.columns
    let top = canvas.size.rows >= 8 ? 2 : 0
    if top > 0 {
      canvas.write(Phrases.game, row: 0, column: 1)
      canvas.restyle(row: 0, .reversed)
    }
    canvas.write(Phrases.nameQuestion.truncated(to: columns - 2, ellipsis: glyphs.ellipsis), row: top, column: 1, style: .bold)
    let start = canvas.write(Phrases.prompt, row: top + 1, column: 1, style: .bold)
    let window = editor.window(columns: columns - start - 1)
    canvas.write(window.text, row: top + 1, column: start)
    if top + 1 < canvas.size.rows, columns > 0 {
      canvas.cursor = Canvas.Position(row: top + 1, column: min(columns - 1, start + window.cursor))
    }
    for (row, line) in (flaw ?? "").wrapped(to: columns - 2).enumerated() { canvas.write(line, row: top + 2 + row, column: 1) }
    if canvas.size.rows >= 8 {
      canvas.draw(
        KeyBar(keys: [Phrases.nameHelp], glyphs: glyphs).canvas(columns: columns), row: canvas.size.rows - 1, column: 0)
    }
    return canvas
  }
}
