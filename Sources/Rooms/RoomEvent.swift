public import TwentyFour

/// What happens in a room, as seen by whoever is in it: the host and the players see the same.
public enum RoomEvent: Hashable, Sendable {
  /// The room is open for us: first of all events, and again when our seat was not kept and we came in anew. `player` is who we
  /// are in it, with the name that we got; `nil` when we look on, or host without playing.
  case open(room: RoomID, player: Player?, rules: RoomRules)
  /// Somebody else came.
  case joined(Player)
  /// Somebody else went.
  case left(Player)
  /// Somebody else's connection broke; his seat is kept for a while.
  case away(Player)
  /// Somebody else who was away is there again.
  case back(Player)
  /// So many more players are needed for a round to start; 0 when there are enough.
  case missing(Int)
  /// A round started for us.
  case round(Match.Deal)
  /// Somebody, maybe we, answered correctly, so long after the start of the round.
  case answer(Player, time: Duration)
  /// Our own answer does not count, or there is no hint for us.
  case refused(RoomReason)
  /// The hint that we asked for, and what it costs in points.
  case hint(Hint, cost: Int)
  /// How everyone stands, in the order in which to show it.
  case standings([Standing])
  case roundEnded(Match.RoundResult)
  /// Our own connection broke, and the next attempt to come back is made so long from now; attempts are counted from 1.
  case reconnecting(attempt: Int, in: Duration)
  /// We are back at our seat. What we may still do in the running round is told by a `round` that follows, if there is one.
  case resumed
  /// The room is closed, or closed for us: last of all events.
  case closed(RoomReason)
}

/// The JSON form is an object whose `event` is the name of the case, with the fields
///
/// - `open`: `room`, `rules` (`{"roundSeconds","pauseSeconds"}`, and `rounds` unless there is no end), and `player` if we play;
/// - `joined`, `left`, `away`, `back`: `player`;
/// - `missing`: `count`;
/// - `round`: `number`, `hand`, `seconds` that remain;
/// - `answer`: `player`, `seconds`;
/// - `refused`, `closed`: `reason` (a ``RoomReason/Code``) and `text`;
/// - `hint`: `cost` in points, `step`, and for step 1 `operation`, for 2 `expression`, for 3 `left`, `operation` and `right`;
/// - `standings`: `standings`, an array of `{"player","status","points"}`, where solvers have `seconds`, those who are away `away`
///   (true), those who ever solved a hand `best`, and those who took hints in the round their number, `hints`;
/// - `roundEnded`: `number`, `hand`, `solution`, `standings`, and `pause`, the seconds until the next round if there is one;
/// - `reconnecting`: `attempt`, and `seconds` until it is made;
/// - `resumed`: nothing else.
///
/// Players stand there by name. Times are seconds to the millisecond.
extension RoomEvent: Encodable {
  private enum Key: String, CodingKey {
    case event, room, player, rules, count, number, hand, seconds, reason, text, cost, standings, solution, pause, attempt
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(name, forKey: .event)
    switch self {
    case .open(let room, let player, let rules):
      try fields.encode(room.text, forKey: .room)
      try fields.encodeIfPresent(player?.name.text, forKey: .player)
      try fields.encode(RulesFields(rules), forKey: .rules)
    case .joined(let player), .left(let player), .away(let player), .back(let player):
      try fields.encode(player.name.text, forKey: .player)
    case .missing(let count):
      try fields.encode(count, forKey: .count)
    case .hint(let hint, let cost):
      try fields.encode(cost, forKey: .cost)
      try HintFields(hint).encode(to: encoder)
    case .reconnecting(let attempt, let wait):
      try fields.encode(attempt, forKey: .attempt)
      try fields.encode(wait.inSeconds, forKey: .seconds)
    case .resumed:
      break
    case .round(let deal):
      try fields.encode(deal.number, forKey: .number)
      try fields.encode(deal.hand.numbers, forKey: .hand)
      try fields.encode(deal.remaining.inSeconds, forKey: .seconds)
    case .answer(let player, let time):
      try fields.encode(player.name.text, forKey: .player)
      try fields.encode(time.inSeconds, forKey: .seconds)
    case .refused(let reason), .closed(let reason):
      try fields.encode(reason.code.rawValue, forKey: .reason)
      try fields.encode(reason.text, forKey: .text)
    case .standings(let standings):
      try fields.encode(standings.map(Line.init), forKey: .standings)
    case .roundEnded(let result):
      try fields.encode(result.number, forKey: .number)
      try fields.encode(result.hand.numbers, forKey: .hand)
      try fields.encode(result.solution.description, forKey: .solution)
      try fields.encode(result.standings.map(Line.init), forKey: .standings)
      try fields.encodeIfPresent(result.pause?.inSeconds, forKey: .pause)
    }
  }
}

extension RoomEvent {
  /// The name of the event in JSON.
  private var name: String {
    switch self {
    case .open: "open"
    case .joined: "joined"
    case .left: "left"
    case .away: "away"
    case .back: "back"
    case .missing: "missing"
    case .round: "round"
    case .answer: "answer"
    case .refused: "refused"
    case .hint: "hint"
    case .standings: "standings"
    case .roundEnded: "roundEnded"
    case .reconnecting: "reconnecting"
    case .resumed: "resumed"
    case .closed: "closed"
    }
  }
}

/// A line of the standings, with the player by name.
private struct Line: Encodable {
  let player: String
  let status: String
  let seconds: Double?
  let points: Int
  let away: Bool?
  let best: Double?
  let hints: Int?

  init(_ standing: Standing) {
    let fields = StandingFields(standing)
    player = fields.player.name
    status = fields.status
    seconds = fields.seconds
    points = fields.points
    away = fields.away
    best = fields.best
    hints = fields.hints
  }
}
