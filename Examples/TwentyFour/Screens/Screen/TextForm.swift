import Names
import TwentyFour
import _BonjourishTerminal

/// The form for a text that the player is asked for, as a value.
struct TextForm<Answer: Hashable & Sendable>: Sendable {
  /// Why a text cannot be used, in a sentence.
  struct Flaw: Error {
    let description: String
  }

  private let question: String
  private let parse: @Sendable (String) throws(Flaw) -> Answer
  private var editor: LineEditor
  /// The reason why the last text cannot be used, or why it is asked for.
  private var flaw: String?

  /// - Parameters:
  ///   - question: The question, without control characters.
  ///   - text: The text to begin with.
  ///   - notice: A sentence below, until the text is edited.
  ///   - limit: The most bytes.
  ///   - parse: Makes the answer of the text.
  init(
    _ question: String, beginningWith text: String = "", notice: String? = nil, limit: Int,
    parse: @escaping @Sendable (String) throws(Flaw) -> Answer
  ) {
    self.question = question
    self.parse = parse
    flaw = notice
    editor = LineEditor(limit: limit)
    if !text.isEmpty { editor.replace(with: text) }
  }

  enum Outcome: Hashable {
    case answer(Answer)
    case cancelled
  }

  /// Handles a key; returns the answer when complete, `cancelled` if the player gives none, and otherwise nil.
  mutating func press(_ key: Key) -> Outcome? {
    if key == .escape { return .cancelled }
    switch editor.handle(key) {
    case .submitted(let text):
      do throws(Flaw) {
        return .answer(try parse(text))
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
    canvas.write(question.truncated(to: columns - 2, ellipsis: glyphs.ellipsis), row: top, column: 1, style: .bold)
    let start = canvas.write(Phrases.prompt, row: top + 1, column: 1, style: .bold)
    let window = editor.window(columns: columns - start - 1)
    canvas.write(window.text, row: top + 1, column: start)
    if top + 1 < canvas.size.rows, columns > 0 {
      canvas.cursor = Canvas.Position(row: top + 1, column: min(columns - 1, start + window.cursor))
    }
    for (row, line) in (flaw ?? "").wrapped(to: columns - 2).enumerated() { canvas.write(line, row: top + 2 + row, column: 1) }
    if canvas.size.rows >= 8 {
      canvas.draw(
        KeyBar(keys: [Phrases.formHelp], glyphs: glyphs).canvas(columns: columns), row: canvas.size.rows - 1, column: 0)
    }
    return canvas
  }
}

extension TextForm<PlayerName> {
  /// The form for the player's name.
  ///
  /// - Parameter name: The name to begin with.
  init(name: PlayerName? = nil) {
    self.init(Phrases.nameQuestion, beginningWith: name?.text ?? "", limit: PlayerName.maximumByteCount) { text throws(Flaw) in
      do throws(PlayerName.Invalid) {
        return try PlayerName(typed: text)
      } catch {
        throw Flaw(description: error.description)
      }
    }
  }
}
