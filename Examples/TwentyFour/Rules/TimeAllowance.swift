/// How much time the players of a room have for each round: its usual length, more, or no limit.
public enum TimeAllowance: String, CaseIterable, Codable, Sendable {
  case usual = "1"
  case half = "1.5"
  case double = "2"
  /// A round ends when nobody is guessing any more, or when the host ends it; by itself only after ``Match/Rules/longestRound``.
  case unlimited = "none"

  /// Whether a round has a time that runs out.
  public var isLimited: Bool { self != .unlimited }

  /// The time that takes the place of a usual one.
  func scaled(_ usual: Duration) -> Duration {
    switch self {
    case .usual, .unlimited: usual
    case .half: usual * 3 / 2
    case .double: usual * 2
    }
  }
}
