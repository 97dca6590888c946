import Rooms
import Terminal
import TwentyFour

extension GameState {
  /// A player's request to the room.
  enum Wish: Hashable {
    case act(Match.Action)
    /// Only of a host.
    case decide(HostRule)
    case leave
    /// Ask which addresses phones can use now. Only of a host.
    case findAddresses
    /// Paint the whole screen again.
    case repaint
  }

  /// Handles a key; returns the request to the room, if any.
  mutating func press(_ key: Key) -> Wish? {
    let wish = wish(for: key)
    if wish == .leave { isLeaving = true }
    return wish
  }

  private mutating func wish(for key: Key) -> Wish? {
    let hosts = hostsWish(for: key)
    if hosts.isTaken { return hosts.wish }
    switch key {
    case .control("l"): return .repaint
    case .control("t"): return writes ? .act(.hint) : nil
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
    guard writes else { return key.isFarewell(whenClosed: isClosed) ? askToLeave() : nil }
    switch editor.handle(key) {
    case .submitted(let line): return obey(line)
    case .ended: return askToLeave()
    case .edited, .ignored: return nil
    }
  }

  private mutating func turnPanel(by steps: Int) {
    let all = Panel.allCases
    let index = all.firstIndex(of: panel) ?? 0
    panel = all[(index + steps) % all.count]
  }

  private mutating func obey(_ line: String) -> Wish? {
    if hosting != nil, let rule = HostRule(line) { return .decide(rule) }
    switch PlayerCommand(line) {
    case .none: return nil
    case .quit: return askToLeave()
    case .help: panel = .help
    case .table: panel = .table
    case .tries: panel = .tries
    case .act(let action):
      guard case .answer(let text) = action else { return .act(action) }
      if panel != .tries { panel = .tries }
      tries.append(Try(text: text))
      if tries.count > Self.longestList { tries.removeFirst() }
      return .act(action)
    }
    return nil
  }
}

/// The meaning of a player's line in a room.
enum PlayerCommand: Hashable {
  case none
  case help, table, tries, quit
  case act(Match.Action)

  init(_ line: String) {
    switch line.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased() {
    case "": self = .none
    case "hint": self = .act(.hint)
    case "give up": self = .act(.giveUp)
    case "help", "?": self = .help
    case "table": self = .table
    case "tries": self = .tries
    case "quit": self = .quit
    default: self = .act(.answer(line))
    }
  }
}

extension Key {
  /// Whether the key leaves a screen on which the player only watches.
  fileprivate func isFarewell(whenClosed: Bool) -> Bool {
    switch self {
    case .text("q"), .text("Q"), .control("d"): true
    case .enter, .text(" "): whenClosed
    default: false
    }
  }
}
