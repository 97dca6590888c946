public import TwentyFour

/// What happens in a room, as seen by whoever is in it: the host and the players see the same.
public enum RoomEvent: Hashable, Sendable {
  /// The room is open for us: first of all events. `player` is who we are in it, with the name that we got; a host may not play
  /// himself.
  case open(room: RoomID, player: Player?)
  /// Somebody else came.
  case joined(Player)
  /// Somebody else went.
  case left(Player)
  /// A round started for us.
  case round(Match.Deal)
  /// Somebody, maybe we, answered correctly, so long after the start of the round.
  case answer(Player, time: Duration)
  /// Our own answer does not count.
  case refused(RoomReason)
  /// How everyone stands, in the order in which to show it.
  case standings([Standing])
  case roundEnded(Match.RoundResult)
  /// The room is closed, or closed for us: last of all events.
  case closed(RoomReason)
}

/// The JSON form is an object whose `event` is the name of the case, with the fields
///
/// - `open`: `room`, and `player` unless the host does not play;
/// - `joined`, `left`: `player`;
/// - `round`: `number`, `hand`, `seconds` that remain;
/// - `answer`: `player`, `seconds`;
/// - `refused`, `closed`: `reason` (a ``RoomReason/Code``) and `text`;
/// - `standings`: `standings`, an array of `{"player","status","seconds","points"}`, where only solvers have `seconds`;
/// - `roundEnded`: `number`, `hand`, `solution`, `standings`, and `pause`, the seconds until the next round if there is one.
///
/// Players stand there by name. Times are seconds to the millisecond.
extension RoomEvent: Encodable {
  private enum Key: String, CodingKey {
    case event, room, player, number, hand, seconds, reason, text, standings, solution, pause
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    switch self {
    case .open(let room, let player):
      try fields.encode("open", forKey: .event)
      try fields.encode(room.text, forKey: .room)
      try fields.encodeIfPresent(player?.name.text, forKey: .player)
    case .joined(let player):
      try fields.encode("joined", forKey: .event)
      try fields.encode(player.name.text, forKey: .player)
    case .left(let player):
      try fields.encode("left", forKey: .event)
      try fields.encode(player.name.text, forKey: .player)
    case .round(let deal):
      try fields.encode("round", forKey: .event)
      try fields.encode(deal.number, forKey: .number)
      try fields.encode(deal.hand.numbers, forKey: .hand)
      try fields.encode(deal.remaining.inSeconds, forKey: .seconds)
    case .answer(let player, let time):
      try fields.encode("answer", forKey: .event)
      try fields.encode(player.name.text, forKey: .player)
      try fields.encode(time.inSeconds, forKey: .seconds)
    case .refused(let reason):
      try fields.encode("refused", forKey: .event)
      try fields.encode(reason.code.rawValue, forKey: .reason)
      try fields.encode(reason.text, forKey: .text)
    case .standings(let standings):
      try fields.encode("standings", forKey: .event)
      try fields.encode(standings.map(Line.init), forKey: .standings)
    case .roundEnded(let result):
      try fields.encode("roundEnded", forKey: .event)
      try fields.encode(result.number, forKey: .number)
      try fields.encode(result.hand.numbers, forKey: .hand)
      try fields.encode(result.solution.description, forKey: .solution)
      try fields.encode(result.standings.map(Line.init), forKey: .standings)
      try fields.encodeIfPresent(result.pause?.inSeconds, forKey: .pause)
    case .closed(let reason):
      try fields.encode("closed", forKey: .event)
      try fields.encode(reason.code.rawValue, forKey: .reason)
      try fields.encode(reason.text, forKey: .text)
    }
  }
}

/// A line of the standings, with the player by name.
private struct Line: Encodable {
  let player: String
  let status: String
  let seconds: Double?
  let points: Int

  init(_ standing: Standing) {
    player = standing.player.name.text
    status = standing.status.code
    seconds = standing.time?.inSeconds
    points = standing.points
  }
}
