import Rooms
import Terminal

extension GameState {
  /// What a player wants of the room.
  enum Wish: Hashable {
    case answer(String)
    case hint
    case giveUp
    case leave
    /// To see the picture painted anew.
    case repaint
  }

  /// Takes a key; returns what it asks for, if it is for the room to do.
  mutating func press(_ key: Key) -> Wish? {
    let wish = wish(for: key)
    if wish == .leave { isLeaving = true }
    return wish
  }

  private mutating func wish(for key: Key) -> Wish? {
    switch key {
    case .control("l"): return .repaint
    case .control("t"): return writes ? .hint : nil
    case .tab:
      turnPanel(by: 1)
      return nil
    case .backtab:
      turnPanel(by: Panel.allCases.count - 1)
      return nil
    case .escape:
      editor.replace(with: "")
      return nil
    default: break
    }
    guard writes else { return key.isFarewell(whenClosed: isClosed) ? .leave : nil }
    switch editor.handle(key) {
    case .submitted(let line): return obey(line)
    case .ended: return .leave
    case .edited, .ignored: return nil
    }
  }

  private mutating func turnPanel(by steps: Int) {
    let all = Panel.allCases
    let index = all.firstIndex(of: panel) ?? 0
    panel = all[(index + steps) % all.count]
  }

  private mutating func obey(_ line: String) -> Wish? {
    switch PlayerCommand(line) {
    case .none: return nil
    case .hint: return .hint
    case .giveUp: return .giveUp
    case .quit: return .leave
    case .help: panel = .help
    case .table: panel = .table
    case .tries: panel = .tries
    case .answer(let text):
      if panel != .tries { panel = .tries }
      tries.append(Try(text: text))
      if tries.count > Self.longestList { tries.removeFirst() }
      return .answer(text)
    }
    return nil
  }
}

/// What a line means that a player writes in a room.
enum PlayerCommand: Hashable {
  case none
  case hint, giveUp, help, table, tries, quit
  case answer(String)

  init(_ line: String) {
    switch line.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased() {
    case "": self = .none
    case "hint": self = .hint
    case "give up": self = .giveUp
    case "help", "?": self = .help
    case "table": self = .table
    case "tries": self = .tries
    case "quit": self = .quit
    default: self = .answer(line)
    }
  }
}

extension Key {
  /// Whether it ends a screen that is only looked at.
  fileprivate func isFarewell(whenClosed: Bool) -> Bool {
    switch self {
    case .text("q"), .text("Q"), .control("d"): true
    case .enter, .text(" "): whenClosed
    default: false
    }
  }
}
