/// A line that a person writes, and the lines that he wrote before, as a value.
///
/// The keys are those of readline's Emacs mode, as far as one line needs them.
package struct LineEditor: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// The key is none for a line.
    case ignored
    case edited
    /// The line is done; the editor is empty again.
    case submitted(String)
    /// Ctrl-D on an empty line: there will be no more.
    case ended
  }

  private static let longestHistory = 100

  /// The text left of the cursor.
  package private(set) var before = ""
  /// The text right of the cursor.
  package private(set) var after = ""

  private let limit: Int
  private var history: [String] = []
  /// How far back in the history the person is; 0 is the line that he writes.
  private var age = 0
  private var draft = ""
  private var killed = ""

  /// Makes an editor for lines of up to so many bytes.
  package init(limit: Int = 256) {
    self.limit = limit
  }

  package var text: String { before + after }

  /// Replaces the line; the cursor is at its end.
  package mutating func replace(with text: String) {
    before = ""
    after = ""
    insert(text)
  }

  package mutating func handle(_ key: Key) -> Outcome {
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
    case .control, .alt, .tab, .backtab, .escape, .pageUp, .pageDown: return .ignored
    }
    return .edited
  }

  // MARK: - Editing

  /// Puts in what can stand in a line, as far as there is room for it.
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
  /// The part of the line to show in so many columns, and the column of the cursor in it.
  package func window(columns: Int) -> (text: String, cursor: Int) {
    guard columns > 0 else { return ("", 0) }
    // The cursor stands behind what was written last, and wants a column too.
    var left = before[...]
    while left.columns > columns - 1 { left.removeFirst() }
    let right = after.prefix(columns: columns - left.columns)
    return (left + String(right), left.columns)
  }
}

extension Character {
  fileprivate var isPartOfWord: Bool { isLetter || isNumber }
}
