public import TwentyFour

/// What a player has to know of the rules of a room.
public struct RoomRules: Hashable, Sendable {
  /// How long a round lasts.
  public let roundDuration: Duration
  /// The time between two rounds.
  public let pause: Duration
  /// After how many rounds the room is closed; `nil` for no end.
  public let rounds: Int?

  public init(_ rules: Match.Rules) {
    self.init(roundDuration: rules.roundDuration, pause: rules.pause, rounds: rules.rounds)
  }

  package init(roundDuration: Duration, pause: Duration, rounds: Int?) {
    self.roundDuration = roundDuration
    self.pause = pause
    self.rounds = rounds
  }
}

/// The fields of a room's rules.
struct RulesFields: Codable {
  let roundSeconds: Double
  let pauseSeconds: Double
  let rounds: Int?

  init(_ rules: RoomRules) {
    roundSeconds = rules.roundDuration.inSeconds
    pauseSeconds = rules.pause.inSeconds
    rounds = rules.rounds
  }

  func rules() throws(MalformedMessage) -> RoomRules {
    guard let roundDuration = Duration(inSeconds: roundSeconds), roundDuration > .zero else {
      throw .invalid(field: "roundSeconds")
    }
    guard let pause = Duration(inSeconds: pauseSeconds) else { throw .invalid(field: "pauseSeconds") }
    guard rounds.map({ $0 > 0 }) ?? true else { throw .invalid(field: "rounds") }
    return RoomRules(roundDuration: roundDuration, pause: pause, rounds: rounds)
  }
}
