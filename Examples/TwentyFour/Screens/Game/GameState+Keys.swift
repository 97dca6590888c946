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
    /// Let phones in, and ask which addresses they can use now. Only of a host.
    case letPhonesIn
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
      turnPanel(by: -1)
      return nil
    case .escape:
      editor.replace(with: "")
      return nil
    default: break
    }
    if hasEnded, !writes, hosting != nil, key == .text("a") { return .decide(.again) }
    guard writes else { return key.isFarewell(whenClosed: isClosed) ? askToLeave() : nil }
    switch editor.handle(key) {
    case .submitted(let line): return obey(line)
    case .ended: return askToLeave()
    case .edited, .ignored: return nil
    }
  }

  private mutating func turnPanel(by steps: Int) {
    let all = Panel.allCases.filter { $0 != .hosting || hosting != nil }
    let index = all.firstIndex(of: panel) ?? 0
    panel = all[(index + steps + all.count) % all.count]
  }

  private mutating func obey(_ line: String) -> Wish? {
    if let complaint { notices.removeAll { $0 == complaint } }
    complaint = nil
    unread = 0
    if hosting != nil, let rule = HostRule(line) { return .decide(rule) }
    switch PlayerCommand(line) {
    case .none: return nil
    case .quit: return askToLeave()
    // The second time, what only the host needs.
    case .help: panel = panel == .help && hosting != nil ? .hosting : .help
    case .table: panel = .table
    case .tries: panel = .tries
    case .unknown(let text):
      complaint = text
      notice(text)
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
