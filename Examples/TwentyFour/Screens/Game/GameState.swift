import Rooms
import TwentyFour
import _BonjourishTerminal

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
    /// After the last round, while the host may begin another match.
    case ended
    case closed(RoomReason)
  }

  /// The panel beside the standings.
  enum Panel: Hashable, CaseIterable {
    case tries, table, help
    /// What the host may decide; only for a host.
    case hosting
    /// The codes to compare; only if there are some.
    case codes
  }

  /// The six digits that a player and the host both see if nobody sits between.
  struct Code: Hashable {
    /// Nil for this player's own code, which the host sees too.
    let player: Player?
    let digits: String
  }

  /// A hint that the player has paid for.
  struct PaidHint: Hashable {
    let hint: Hint
    /// In points.
    let cost: Int
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
  /// Whether nobody else can come.
  var isPractice = false
  /// Nil for players who do not host the room.
  var hosting: Hosting?
  /// Whether the player only spectates.
  var isSpectator = false
  var me: Player?
  var rules: RoomRules?
  var phase = Phase.entering
  /// The codes to compare, in the order of coming.
  var codes: [Code] = []
  /// The number of those who watch; only a host knows it.
  var spectators = 0
  /// The number of players missing for a round to start.
  var missing = 0
  var standings: [Standing] = []
  var tries: [Try] = []
  var hints: [PaidHint] = []
  /// The latest messages, newest last.
  var notices: [String] = []
  /// The number of the messages that came after the last line that was written.
  var unread = 0
  /// The message about the last line, if it was no command.
  var complaint: String?
  /// Why the network or the room is not what it should be, in a sentence; nil while there is nothing to say.
  var network: String?
  var outage: Outage?
  /// Whether the player is back at the seat, and has not been told yet how the round stands.
  var isReturning = false
  var table = PointsTable()
  var panel = Panel.tries
  var editor = LineEditor(limit: Expression.maximumByteCount)
  /// The number of the last round that was dealt or ended.
  var round = 0
  /// What happened in this room before the present match.
  var former = Totals()
  /// The number of rounds that ended in the present match.
  var endedRounds = 0
  /// The result of the last round; nil before its end.
  var lastResult: Match.RoundResult?
  /// The number of matches that each player has won in this room.
  var wins: [Player: Int] = [:]
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
  var writes: Bool { !isBot && !isSpectator && !isClosed }

  var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

  var hasEnded: Bool { phase == .ended }

  /// Whether nobody else plays.
  var isAlone: Bool { standings.allSatisfy { $0.player.id == me?.id } }

  /// Whether a round runs that has no limit.
  var isUnlimited: Bool {
    if case .playing(let deal, _) = phase { !deal.isLimited } else { false }
  }

  /// Whether the player may answer the running round.
  var isGuessing: Bool {
    guard case .playing = phase else { return false }
    // The standings follow the hand.
    return own?.status.isGuessing ?? true
  }

  /// Whether the screen can end: the room is closed, and the player wanted to leave or has not played. A host who has closed the
  /// room for others sees the end like these.
  var isOver: Bool { isClosed && (table.columns.isEmpty || isLeaving && (hosting == nil || isAlone)) }

  /// The points that a hint costs.
  static let hintCost = Match.Rules().hintCost

  /// Adds a message, escaped for display.
  mutating func notice(_ text: String) {
    notices.append(text)
    unread += 1
    if notices.count > Self.longestList { notices.removeFirst() }
  }
}
