/// A line editor with a history of submitted lines, as a value.
///
/// The keys are those of readline's Emacs mode that concern one line.
public struct LineEditor: Hashable, Sendable {
  /// The effect of a key.
  public enum Outcome: Hashable, Sendable {
    /// The key has no meaning in a line.
    case ignored
    /// The line or the cursor changed.
    case edited
    /// The line is complete; the editor is empty again.
    case submitted(String)
    /// Ctrl-D on an empty line: the user ends the input.
    case ended
  }

  private static let longestHistory = 100

  /// The text left of the cursor.
  private(set) var before = ""
  /// The text right of the cursor.
  private(set) var after = ""

  private let limit: Int
  private var history: [String] = []
  /// The distance of the shown line from the end of the history; 0 is the line being written.
  private var age = 0
  private var draft = ""
  private var killed = ""

  /// Makes an editor for lines of up to `limit` bytes.
  public init(limit: Int = 256) {
    self.limit = limit
  }

  /// The whole line.
  public var text: String { before + after }

  /// Replaces the line, and puts the cursor at its end.
  public mutating func replace(with text: String) {
    before = ""
    after = ""
    insert(text)
  }

  /// Applies a key to the line.
  public mutating func handle(_ key: Key) -> Outcome {
    switch key {
    case .text(let scalar): insert(String(Character(scalar)))
    case .paste(let text): insert(text)
    case .enter: return .submitted(submit())
    case .backspace: _ = before.popLast()
    case .control("d") where text.isEmpty: return .ended
    case .delete, .control("d"): if !after.isEmpty { after.removeFirst() }
    case .left, .control("b"): moveLeft()
    case .right, .control("f"): moveRight()
    case .home, .control("a"): (before, after) = ("", text)
    case .end, .control("e"): (before, after) = (text, "")
    case .wordLeft, .alt("b"):
      while let last = before.last, !last.isPartOfWord { moveLeft() }
      while let last = before.last, last.isPartOfWord { moveLeft() }
    case .wordRight, .alt("f"):
      while let first = after.first, !first.isPartOfWord { moveRight() }
      while let first = after.first, first.isPartOfWord { moveRight() }
    case .control("u"): (killed, before) = (before, "")
    case .control("k"): (killed, after) = (after, "")
    case .control("w"): killWord()
    case .control("y"): insert(killed)
    case .up, .control("p"): recall(age + 1)
    case .down, .control("n"): recall(age - 1)
    case .control, .alt, .tab, .backtab, .escape, .pageUp, .pageDown, .mouse: return .ignored
    }
    return .edited
  }

  // MARK: - Editing

  /// Inserts the characters that are allowed in a line, up to the limit.
  private mutating func insert(_ text: String) {
    for scalar in text.unicodeScalars {
      guard self.text.utf8.count + UTF8.width(scalar) <= limit else { return }
      switch scalar.properties.generalCategory {
      case .control where scalar == "\t" || scalar == "\n", .lineSeparator, .paragraphSeparator: before.append(" ")
      case .control: continue
      default: before.unicodeScalars.append(scalar)
      }
    }
  }

  private mutating func moveLeft() {
    if let character = before.popLast() { after = String(character) + after }
  }

  private mutating func moveRight() {
    if !after.isEmpty { before.append(after.removeFirst()) }
  }

  private mutating func killWord() {
    var rest = before[...]
    while rest.last?.isWhitespace == true { rest.removeLast() }
    while rest.last?.isWhitespace == false { rest.removeLast() }
    killed = String(before[rest.endIndex...])
    before = String(rest)
  }

  // MARK: - History

  private mutating func submit() -> String {
    let line = text
    if line.contains(where: { !$0.isWhitespace }), line != history.last { history.append(line) }
    if history.count > Self.longestHistory { history.removeFirst() }
    (before, after, draft, age) = ("", "", "", 0)
    return line
  }

  private mutating func recall(_ age: Int) {
    guard 0...history.count ~= age else { return }
    if self.age == 0 { draft = text }
    self.age = age
    replace(with: age == 0 ? draft : history[history.count - age])
  }
}

extension LineEditor {
  /// The part of the line to show in `columns`, and the cursor's column in it, from 0.
  public func window(columns: Int) -> (text: String, cursor: Int) {
    guard columns > 0 else { return ("", 0) }
    // The cursor needs a column after the text.
    var left = before[...]
    while left.columns > columns - 1 { left.removeFirst() }
    let right = after.prefix(columns: columns - left.columns)
    return (left + String(right), left.columns)
  }
}

extension Character {
  fileprivate var isPartOfWord: Bool { isLetter || isNumber }
}
