import Rooms
import TwentyFour
import _BonjourishTerminal

extension GameState {
  /// What only the host's screen has.
  struct Hosting: Hashable {
    var isLocked = false
    /// The new players who wait, in the order of their coming.
    var applicants: [Player] = []
    var question: Question?
    /// Which of the addresses for phones is shown; nil for none.
    var phones: Int?
  }

  /// A question to the host, answered by the next keys.
  enum Question: Hashable {
    /// Which player to remove; the digits typed so far.
    case kick(String)
    /// Which player to ban; the digits typed so far.
    case ban(String)
    /// Whether to close the room for the other players.
    case close(Int)
  }

  /// The players whom the host can remove.
  var others: [Player] { standings.map(\.player).filter { $0.id != me?.id } + (hosting?.applicants ?? []) }

  /// The question in words; nil if there is none.
  var questionText: String? {
    switch hosting?.question {
    case .kick(let digits): Phrases.kickQuestion + digits
    case .ban(let digits): Phrases.banQuestion + digits
    case .close(let count): Phrases.closeQuestion(count)
    case nil: nil
    }
  }

  mutating func note(_ rule: HostRule, _ player: Player?) {
    if case .lock(let isOn) = rule { hosting?.isLocked = isOn }
    notice(Phrases.decided(rule, player))
    forget(player)
  }

  /// Takes a new player off the list of those who wait.
  mutating func forget(_ player: Player?) {
    hosting?.applicants.removeAll { $0 == player }
  }

  /// The wish of a host's key. The first value is false if the key means the same as for other players.
  mutating func hostsWish(for key: Key) -> (isTaken: Bool, wish: Wish?) {
    guard let hosting, !isClosed else { return (false, nil) }
    if let question = hosting.question { return (true, answer(question, key)) }
    let phones = phonesWish(for: key)
    if phones.isTaken { return phones }
    switch key {
    case .control("x"): self.hosting?.question = .kick("")
    case .control("v"): self.hosting?.question = .ban("")
    case .control("o"): return (true, .decide(.lock(!hosting.isLocked)))
    case .control("g"): return (true, hosting.applicants.first.map { .decide(.admit($0.id)) })
    case .control("r"): return (true, hosting.applicants.first.map { .decide(.refuse($0.id)) })
    default: return (false, nil)
    }
    return (true, nil)
  }

  private mutating func answer(_ question: Question, _ key: Key) -> Wish? {
    hosting?.question = nil
    switch question {
    case .close: return key == .text("y") || key == .text("Y") ? .leave : nil
    case .kick(let digits):
      return player(digits, key, next: { .kick($0) }).map { .decide(.kick($0)) }
    case .ban(let digits):
      return player(digits, key, next: { .ban($0) }).map { .decide(.ban($0)) }
    }
  }

  /// The player whose number was typed: as soon as no longer number is possible, or with Enter.
  private mutating func player(_ digits: String, _ key: Key, next: (String) -> Question) -> PlayerID? {
    var digits = digits
    if case .text(let scalar) = key, ("0"..."9").contains(scalar) { digits.unicodeScalars.append(scalar) }
    let candidates = others.map(\.id).filter { $0.description.hasPrefix(digits) }
    if candidates.count == 1 || key == .enter {
      return candidates.first { $0.description == digits } ?? wait(for: next, digits, key)
    }
    return wait(for: next, digits, key)
  }

  private mutating func wait(for next: (String) -> Question, _ digits: String, _ key: Key) -> PlayerID? {
    guard case .text(let scalar) = key, ("0"..."9").contains(scalar) else { return nil }
    if others.contains(where: { $0.id.description.hasPrefix(digits) }) {
      hosting?.question = next(digits)
    } else {
      notice(Phrases.noSuchPlayer(digits))
    }
    return nil
  }

  /// Whether the host is asked whether to close the room.
  var isAskedToLeave: Bool {
    if case .close? = hosting?.question { true } else { false }
  }

  /// Handles Ctrl-C as the wish to leave.
  mutating func interrupt() -> Wish? {
    let wish = askToLeave()
    if wish == .leave { isLeaving = true }
    return wish
  }

  /// Leaves, after a question if others would have to leave too.
  mutating func askToLeave() -> Wish? {
    let count = standings.count { $0.player.id != me?.id }
    guard hosting != nil, !isClosed, count > 0 else { return .leave }
    hosting?.question = .close(count)
    return nil
  }
}
