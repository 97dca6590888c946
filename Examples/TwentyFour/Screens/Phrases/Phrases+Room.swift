import Bonjourish
import Rooms
import TwentyFour

/// The events of a room.
extension Phrases {
  static func help(isPractice: Bool) -> String {
    """
      Make 24 with all four numbers, each once, using + - * / ( ): 8*(9/(5-2))
      A solution gets 10 points, and 1 more for each tenth of the time left.
      hint      get a hint (costs 2 points)
      give up   \(isPractice ? "see a solution" : "sit out the rest of this round")
      time      how much time is left
      standings who has how many points
      \(isPractice ? "" : "codes     the codes to compare, so that nobody sits between\n  ")help, ?   show this
      quit, q   \(isPractice ? "stop" : "leave the room")
    """
  }

  static let helpToSpectate = """
      quit      leave the room
    """

  static let helpToHost = """
      kick N, ban N, unban N, admit N, refuse N, lock, unlock, approve, unapprove,
      reopen:   you decide who plays; N is the number before the name
      start     begin the first round without waiting for others
      next      end the running round, for those who are still guessing
      end       end the match
      again     play another match with everybody, after the end of one
    """

  static func welcome(_ name: PlayerName, at place: RoomPlace?) -> String {
    "You are \(name.text.escapedForDisplay) in \(room(at: place))."
  }
  static func practising(_ name: PlayerName) -> String { "You are practising alone, as \(name.text.escapedForDisplay)." }
  static let practiceOver = "You stopped practising."
  static func lookingOn(at place: RoomPlace?) -> String { "You are watching \(room(at: place))." }
  private static func room(at place: RoomPlace?) -> String {
    place.map { "\"\($0.name.escapedForDisplay)\", port \($0.port)" } ?? "the room"
  }
  static func came(_ player: Player) -> String { "\(name(player)) came." }
  static func went(_ player: Player) -> String { "\(name(player)) left." }
  static func isAway(_ player: Player) -> String { "\(name(player)) is away; the seat is kept for a while." }
  static func isBack(_ player: Player) -> String { "\(name(player)) is back." }
  static func solved(_ player: Player, isMe: Bool, _ time: Duration) -> String {
    "\(isMe ? "You have" : "\(name(player)) has") it, after \(seconds(time)) seconds."
  }
  static func refused(_ reason: RoomReason) -> String { "No: \(Self.reason(reason))" }
  static func asked(_ player: Player) -> String {
    "\(player.id) \(name(player)) asks to come in: admit \(player.id), or refuse \(player.id)."
  }
  static func waitingForHost(_ limit: Duration) -> String {
    "The host decides whether you may come in, within \(seconds(limit)) s."
  }
  static func decided(_ rule: HostRule, _ player: Player?) -> String {
    let who = player.map { "\($0.id) \(name($0))" } ?? rule.player.map(\.description) ?? ""
    return switch rule {
    case .kick: "You removed \(who)."
    case .ban(let number):
      "You banned \(who), and everyone else at that address or with that key. To take that back: unban \(number)."
    case .unban: "You took the ban of \(who) back."
    case .lock(true): "The room is locked: nobody new comes in."
    case .lock(false): "The room is open to everyone again."
    case .approve(true): "New players wait until you admit them."
    case .approve(false): "New players come in at once again."
    case .admit: "You admitted \(who)."
    case .refuse: "You refused \(who)."
    case .reopen: "People who know the passcode can come in again."
    case .start: "You begin."
    case .next: "You ended the round."
    case .end: "You ended the match."
    case .again: "You begin another match."
    }
  }
  static func closeQuestion(_ count: Int) -> String {
    "Close the room for \(count) \(count == 1 ? "player" : "players")? y/n"
  }
  static func isYes(_ text: String) -> Bool {
    ["y", "yes"].contains(text.split(whereSeparator: \.isWhitespace).joined().lowercased())
  }

  static func missing(_ count: Int) -> String {
    count == 1 ? "One more player is needed to begin." : "\(count) more players are needed to begin."
  }
  static let howToJoin = "Others join with twentyfour-join, on phones with the code that w shows."
  static let howToJoinLines = [
    "Nobody else is here yet.", "Others join: twentyfour-join", "On phones: press w here",
  ]
  static let waitingForCompany = "Round 1 begins with the second player, or when you type \"start\"."
  /// For lines.
  static let howToJoinInLines = "Others join with twentyfour-join, and on phones with --web."
  static func spectators(_ count: Int) -> String {
    switch count {
    case 0: "Nobody watches."
    case 1: "One person watches."
    default: "\(count) people watch."
    }
  }
  static let seatNotKept = "You came back as a new player: a seat is kept only for those who have answered."
  static func reconnecting(attempt: Int, in delay: Duration) -> String {
    "The connection broke; attempt \(attempt) to come back in \(seconds(delay)) s."
  }
  static let youClosed = "You closed the room."
  static let resumed = "You are back in the room; your seat and points were kept."

  // MARK: - Rounds

  static func round(_ deal: Match.Deal) -> String {
    let hand = deal.hand.numbers.map(String.init).joined(separator: "   ")
    let time = deal.isLimited ? "\(seconds(deal.remaining)) s" : "no time limit"
    return "Round \(deal.number):   \(hand)      \(time) to make 24"
  }
  static func timeLeft(_ seconds: Int) -> String { "\(seconds) s left" }
  static func timeLeft(_ time: Duration) -> String { timeLeft(max(0, Int((time / .seconds(1)).rounded(.up)))) }
  static let noRound = "No round is running."
  static func ending(_ result: Match.RoundResult) -> String {
    "Round \(result.number) is over. A solution: \(result.solution) = 24"
  }
  static func next(_ pause: Duration) -> String { "The next round starts in \(seconds(pause)) s." }
  static func standing(_ standing: Standing) -> String {
    "\(name(standing)): \(status(standing)), \(points(standing.points))"
  }
  static func status(_ standing: Standing) -> String {
    if standing.isAway { return "away" }
    switch standing.status {
    case .solved(let time): return "\(seconds(time)) seconds"
    case .guessing: return "guessing"
    case .joinedAndGuessing: return "joined mid-round, guessing"
    case .waiting: return "just joined, waiting"
    case .gaveUp: return "gave up"
    case .outOfTime: return "out of time"
    }
  }

  // MARK: - Hints

  static func hint(_ hint: Hint) -> String {
    switch hint {
    case .lastOperation(let operation): "The last thing to do is \(Self.operation(operation))."
    case .firstStep(let expression): "Begin with \(expression)."
    case .lastStep(let left, let operation, let right): "The last step is \(left) \(operation) \(right)."
    }
  }
  static func hint(_ hint: Hint, cost: Int) -> String { "Hint \(hint.step), for \(points(cost)): \(Self.hint(hint))" }

  /// A hint that was paid for, in few words.
  static func shortHint(_ hint: Hint) -> String {
    switch hint {
    case .lastOperation(let operation): "at last, \(Self.operation(operation).dropFirst(3))"
    case .firstStep(let expression): "begin with \(expression)"
    case .lastStep(let left, let operation, let right): "end with \(operand(left)) \(operation.rawValue) \(operand(right))"
    }
  }
  static func shortHint(_ hint: Hint, cost: Int) -> String { "Hint \(hint.step) (-\(cost)): \(shortHint(hint))" }
  static func hints(_ hints: [Hint], cost: Int) -> String {
    "Hints (-\(cost)): " + hints.map(shortHint).joined(separator: "; ")
  }

  private static func operand(_ number: Rational) -> String {
    let text = number.description
    return text.contains("/") ? "(\(text))" : text
  }

  private static func operation(_ operation: Expression.Operation) -> String {
    switch operation {
    case .plus: "to add"
    case .minus: "to subtract"
    case .times: "to multiply"
    case .over: "to divide"
    }
  }

  // MARK: - Commands

  static func noSuchCommand(_ text: String, _ question: String) -> String {
    let shown = text.count > 20 ? text.prefix(20) + ".." : text
    return "There is no command \(shown.escapedForDisplay)\(question.isEmpty ? "; ? shows all." : question)"
  }
  static let onlyHost = "Only the host can do that."

  // MARK: - Reasons

  /// A reason: for known codes in this program's words, otherwise in the room's.
  static func reason(_ reason: RoomReason) -> String {
    switch reason.code {
    case .finished: "All rounds have been played."
    case .hostLeft: "The host closed the room."
    case .left: "You left the room."
    case .lost: "The connection to the room broke."
    case .noSuchRound: "This round is not running; wait for the next one."
    case .waiting: "You came too late for this round; you play in the next one."
    case .alreadySolved: "You have solved this round already."
    case .gaveUp: "You gave up in this round; you play in the next one."
    case .divisionByZero: "That divides by zero."
    default: reason.text.escapedForDisplay
    }
  }
}
