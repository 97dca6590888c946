public import TwentyFour

/// The rules of a room that a player needs to know.
public struct RoomRules: Hashable, Sendable {
  /// The length of a round; of one without a limit, the time by which points are counted.
  public let roundDuration: Duration
  /// How much time the players have; ``roundDuration`` has it in it.
  public let time: TimeAllowance
  /// The time between two rounds.
  public let pause: Duration
  /// The number of rounds after which the room is closed; `nil` for no limit.
  public let rounds: Int?

  public init(_ rules: Match.Rules) {
    roundDuration = rules.roundDuration
    time = rules.time
    pause = rules.pause
    rounds = rules.rounds
  }
}

extension RoomRules: Codable {
  private enum Key: String, CodingKey {
    case roundSeconds, time, pauseSeconds, rounds
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(Seconds(roundDuration), forKey: .roundSeconds)
    if time != .usual { try fields.encode(time.rawValue, forKey: .time) }
    try fields.encode(Seconds(pause), forKey: .pauseSeconds)
    try fields.encodeIfPresent(rounds, forKey: .rounds)
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    roundDuration = try fields.decode(Seconds.self, forKey: .roundSeconds).duration
    // A later version may know more; each round says by itself whether it has a limit.
    time = try fields.decodeIfPresent(String.self, forKey: .time).flatMap(TimeAllowance.init) ?? .usual
    pause = try fields.decode(Seconds.self, forKey: .pauseSeconds).duration
    rounds = try fields.decodeIfPresent(Int.self, forKey: .rounds)
    guard roundDuration > .zero, rounds ?? 1 > 0 else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "valid rules"))
    }
  }
}
