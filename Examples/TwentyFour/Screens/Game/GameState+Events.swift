import Rooms
import TwentyFour

/// Events of the room.
extension GameState {
  mutating func take(_ event: RoomEvent, at now: Duration) {
    switch event {
    case .open(_, let player, let rules):
      outage = nil
      // Coming back to a seat that is gone.
      if me != nil, player != nil { notice(Phrases.seatNotKept) }
      codes = []
      me = player
      isSpectator = player == nil
      self.rules = rules
      phase = .waiting
    case .joined(let player):
      notice(Phrases.came(player))
      // The standings follow; until then, whoever asks whether others are here must know.
      if !standings.contains(where: { $0.player.id == player.id }) {
        standings.append(Standing(player: player, status: .waiting, points: 0))
      }
      forget(player)
    case .asked(let player):
      notice(Phrases.asked(player))
      hosting?.applicants.append(player)
    case .rule(let rule, let player): note(rule, player)
    case .spectators(let count):
      if count > spectators { notice(Phrases.spectators(count)) }
      spectators = count
    case .identified(let player, let key, let comparison):
      note(comparison, of: player)
      if let text = Phrases.identified(player, key, comparison) { notice(text) }
    case .guess(let address, let remaining): notice(Phrases.guessed(from: address, remaining: remaining))
    case .passcode(let passcode):
      self.passcode = passcode
      notice(passcode.map(Phrases.passcodeIs) ?? Phrases.passcodeUsedUp)
    case .web(let addresses): web = addresses
    case .waiting(let limit): notice(Phrases.waitingForHost(limit))
    case .left(let player):
      notice(Phrases.went(player))
      codes.removeAll { $0.player == player }
      forget(player)
    case .away(let player): notice(Phrases.isAway(player))
    case .back(let player): notice(Phrases.isBack(player))
    case .missing(let count): missing = count
    case .round(let deal): begin(deal, at: now)
    case .answer(let player, let time):
      notice(Phrases.solved(player, isMe: player.id == me?.id, time))
      if player.id == me?.id { settle(.right) }
    case .refused(let reason) where reason.code.isNotice: notice(Phrases.reason(reason))
    case .refused(let reason):
      if !settle(.refused(reason)) { notice(Phrases.reason(reason)) }
    case .hint(let hint, let cost):
      hints.append(PaidHint(hint: hint, cost: cost))
      if hints.count > Hint.limit { hints.removeFirst() }
      panel = .tries
    case .standings(let standings):
      self.standings = standings
      table.see(standings)
      // The round ended while the connection was broken. One without a limit would stay for ever.
      if isReturning, case .playing = phase, !standings.contains(where: \.status.isGuessing) { phase = .waiting }
      isReturning = false
    case .roundEnded(let result): end(result, at: now)
    case .matchEnded:
      noteWinners()
      phase = .ended
      missing = 0
      panel = .table
    case .matchBegan: beginMatch()
    case .reconnecting(let attempt, let delay): outage = Outage(attempt: attempt, next: now + delay)
    case .resumed:
      (outage, isReturning) = (nil, true)
      notice(Phrases.resumed)
    case .closed(let reason):
      outage = nil
      if reason.code == .finished { noteWinners() }
      phase = .closed(reason)
      if !table.columns.isEmpty { panel = .table }
    }
  }

  private mutating func note(_ digits: String?, of player: Player?) {
    codes.removeAll { $0.player == player }
    if let digits { codes.append(Code(player: player, digits: digits)) }
  }

  private mutating func begin(_ deal: Match.Deal, at now: Duration) {
    // That another match began may have been missed while the connection was broken.
    if hasEnded { beginMatch() }
    // After a reconnection the same round is dealt again, and earlier answers still count.
    let isSame = round == deal.number
    round = deal.number
    missing = 0
    phase = .playing(deal, until: now + deal.remaining)
    guard !isSame else { return }
    (tries, hints) = ([], [])
    if panel == .table { panel = .tries }
  }

  private mutating func end(_ result: Match.RoundResult, at now: Duration) {
    round = result.number
    endedRounds += 1
    lastResult = result
    standings = result.standings
    table.enter(result)
    phase = .pausing(result, until: result.pause.map { now + $0 })
    // Whatever was open: the result is seen now or never.
    panel = .table
  }

  /// Sets the outcome of the oldest try without one; returns false if there is none.
  @discardableResult
  private mutating func settle(_ outcome: Try.Outcome) -> Bool {
    guard let index = tries.firstIndex(where: { $0.outcome == .asked }) else { return false }
    tries[index].outcome = outcome
    return true
  }
}
