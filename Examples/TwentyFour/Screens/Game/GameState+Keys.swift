import Rooms
import TwentyFour
import _BonjourishTerminal

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
  mutating func press(_ key: Key, at now: Duration = .zero) -> Wish? {
    let wish = wish(for: key, at: now)
    // Afterwards the key only leads on.
    if wish == .leave, !isClosed { isLeaving = true }
    return wish
  }

  private mutating func wish(for key: Key, at now: Duration) -> Wish? {
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
      if panel == .help || panel == .hosting { closeHelp() }
      return nil
    // No line begins with this character.
    case .text("?") where !writes || editor.text.isEmpty:
      turnHelp()
      return nil
    default: break
    }
    if hasEnded, !writes, hosting != nil, key == .text("a") { return .decide(.again) }
    guard writes else { return key.isGoodbye(whenClosed: isClosed) ? askToLeave() : nil }
    switch editor.handle(key) {
    case .submitted(let line): return obey(line, at: now)
    case .ended: return askToLeave()
    case .edited, .ignored: return nil
    }
  }

  private mutating func turnPanel(by steps: Int) {
    let all = Panel.allCases.filter { ($0 != .hosting || hosting != nil) && ($0 != .codes || !codes.isEmpty) }
    let index = all.firstIndex(of: panel) ?? 0
    panel = all[(index + steps + all.count) % all.count]
  }

  /// Shows the help, its second page if there is one, and what was there before.
  private mutating func turnHelp() {
    switch panel {
    case .tries, .table, .codes: panel = .help
    case .help where hosting != nil: panel = .hosting
    case .help, .hosting: closeHelp()
    }
  }

  private mutating func closeHelp() {
    if case .playing = phase { panel = .tries } else { panel = lastResult == nil ? .tries : .table }
  }

  private mutating func obey(_ line: String, at now: Duration) -> Wish? {
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
    // They are beside the tries, and after a round in the table.
    case .standings: closeHelp()
    case .codes:
      panel = codes.isEmpty ? panel : .codes
      if codes.isEmpty { notice(Phrases.noCodes) }
    case .time:
      switch phase {
      case .playing(let deal, let end): notice(deal.isLimited ? Phrases.timeLeft(end - now) : Phrases.noTimeLimit)
      case .entering, .waiting, .pausing, .ended, .closed: notice(Phrases.noRound)
      }
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
  /// Whether the key leaves a screen on which the player only spectates.
  fileprivate func isGoodbye(whenClosed: Bool) -> Bool {
    switch self {
    case .text("q"), .text("Q"), .control("d"): true
    case .enter, .text(" "): whenClosed
    default: false
    }
  }
}
