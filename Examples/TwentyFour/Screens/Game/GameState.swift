import Rooms
import Terminal
import TwentyFour

/// The contents of a game's screen, as a value: the player's view of the room, and the line being written.
///
/// Times are durations since a fixed origin.
struct GameState: Hashable, Sendable {
  enum Phase: Hashable {
    /// The room has not admitted the player yet.
    case entering
    /// Before the first round, or during a round for which the player came too late.
    case waiting
    case playing(Match.Deal, until: Duration)
    case pausing(Match.RoundResult, until: Duration?)
    case closed(RoomReason)
  }

  /// The panel beside the standings.
  enum Panel: Hashable, CaseIterable {
    case tries, table, help
  }

  /// A player's answer in the current round.
  struct Try: Hashable {
    enum Outcome: Hashable {
      case asked
      case refused(RoomReason)
      case right
    }

    let text: String
    var outcome = Outcome.asked
  }

  /// The attempt to reconnect, while the connection is broken.
  struct Outage: Hashable {
    let attempt: Int
    let next: Duration
  }

  static let longestList = 50

  let name: PlayerName
  /// The room's name on the screen, escaped for display.
  let title: String
  /// What others need to come in; only for a host.
  var passcode: String?
  /// The addresses of the page for phones; only for a host that has one.
  var web: [String]?
  /// Whether a program plays for the player.
  let isBot: Bool
  /// Nil for players who do not host the room.
  var hosting: Hosting?
  /// Whether the player only watches.
  var isWatching = false
  var me: Player?
  var rules: RoomRules?
  var phase = Phase.entering
  /// The number of players missing for a round to start.
  var missing = 0
  var standings: [Standing] = []
  var tries: [Try] = []
  var hints: [Hint] = []
  /// The latest messages, newest last.
  var notices: [String] = []
  var outage: Outage?
  var table = PointsTable()
  var panel = Panel.tries
  var editor = LineEditor(limit: Expression.maximumByteCount)
  /// The number of the last round that was dealt or ended.
  var round = 0
  /// Whether the player wants to leave.
  var isLeaving = false

  init(name: PlayerName, title: String, isBot: Bool = false) {
    self.name = name
    self.title = title
    self.isBot = isBot
  }

  /// The player's own line of the standings.
  var own: Standing? { standings.first { $0.player.id == me?.id } }

  /// Whether the player can write a line.
  var writes: Bool { !isBot && !isWatching && !isClosed }

  var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

  /// Whether the screen can end: the room is closed, and the player wanted to leave or has not played.
  var isOver: Bool { isClosed && (isLeaving || table.columns.isEmpty) }

  /// A summary of the evening; nil if no round was played.
  var summary: String? {
    guard let own, !table.columns.isEmpty else { return nil }
    return Phrases.summary(title, rounds: table.columns.count, points: own.points, best: own.best)
  }

  /// The points that a hint costs.
  static let hintCost = Match.Rules().hintCost

  /// Adds a message, escaped for display.
  mutating func notice(_ text: String) {
    notices.append(text)
    if notices.count > Self.longestList { notices.removeFirst() }
  }
}

// MARK: - Events of the room

extension GameState {
  mutating func take(_ event: RoomEvent, at now: Duration) {
    switch event {
    case .open(_, let player, let rules):
      outage = nil
      me = player
      isWatching = player == nil
      self.rules = rules
      phase = .waiting
    case .joined(let player):
      notice(Phrases.came(player))
      forget(player)
    case .asked(let player):
      notice(Phrases.asked(player))
      hosting?.newcomers.append(player)
    case .rule(let rule, let player): note(rule, player)
    case .identified(let player, let key, let comparison):
      if let text = Phrases.identified(player, key, comparison) { notice(text) }
    case .guess(let address, let remaining): notice(Phrases.guessed(from: address, remaining: remaining))
    case .passcode(let passcode):
      self.passcode = passcode
      notice(passcode.map(Phrases.passcodeIs) ?? Phrases.passcodeUsedUp)
    case .web(let addresses): web = addresses
    case .waiting(let limit): notice(Phrases.waitingForHost(limit))
    case .left(let player):
      notice(Phrases.went(player))
      forget(player)
    case .away(let player): notice(Phrases.isAway(player))
    case .back(let player): notice(Phrases.isBack(player))
    case .missing(let count): missing = count
    case .round(let deal): begin(deal, at: now)
    case .answer(let player, let time):
      notice(Phrases.solved(player, isMe: player.id == me?.id, time))
      if player.id == me?.id { settle(.right) }
    // About a decision of the host, not an answer.
    case .refused(let reason) where reason.code == .noSuchPlayer || reason.code == .noPasscode: notice(Phrases.reason(reason))
    case .refused(let reason):
      if !settle(.refused(reason)) { notice(Phrases.reason(reason)) }
    case .hint(let hint, let cost):
      hints.append(hint)
      if hints.count > Hint.limit { hints.removeFirst() }
      panel = .tries
      notice(Phrases.hintCost(hint, cost))
    case .standings(let standings):
      self.standings = standings
      table.see(standings)
    case .roundEnded(let result): end(result, at: now)
    case .reconnecting(let attempt, let delay): outage = Outage(attempt: attempt, next: now + delay)
    case .resumed:
      outage = nil
      notice(Phrases.resumed)
    case .closed(let reason):
      outage = nil
      phase = .closed(reason)
      notice(Phrases.reason(reason))
    }
  }

  private mutating func begin(_ deal: Match.Deal, at now: Duration) {
    // After a reconnection the same round is dealt again, and earlier answers still count.
    let isSame = round == deal.number
    round = deal.number
    missing = 0
    phase = .playing(deal, until: now + deal.remaining)
    guard !isSame else { return }
    tries = []
    hints = []
    if panel == .table { panel = .tries }
  }

  private mutating func end(_ result: Match.RoundResult, at now: Duration) {
    round = result.number
    standings = result.standings
    table.enter(result)
    phase = .pausing(result, until: result.pause.map { now + $0 })
    if panel == .tries { panel = .table }
  }

  /// Sets the outcome of the oldest try without one; returns false if there is none.
  @discardableResult
  private mutating func settle(_ outcome: Try.Outcome) -> Bool {
    guard let index = tries.firstIndex(where: { $0.outcome == .asked }) else { return false }
    tries[index].outcome = outcome
    return true
  }
}
