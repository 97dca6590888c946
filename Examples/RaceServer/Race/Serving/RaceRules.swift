/// The rules of a server's matches.
public struct RaceRules: Hashable, Sendable {
  /// The number of players that matches may have; a player's wish is narrowed to this range.
  public var players = PlayerRange.any
  /// The distance to the finish.
  public var courseLength: Int32 = 1_000
  /// The largest distance per second.
  public var topSpeed: Int32 = 100
  /// The time to wait for more players when there are enough for a match.
  public var gathering = Duration.seconds(2)
  /// The time in which a player whose connection broke may come back into the match.
  public var returnLimit = Duration.seconds(60)
  /// The longest time of a match; racers that have not arrived by then are ranked by their positions.
  public var matchLimit = Duration.seconds(600)
  /// The largest number of players, including those who are away.
  public var capacity = 1_024

  /// The possible lengths of a course.
  public static let lengths: ClosedRange<Int32> = 1...1_000_000
  /// The possible top speeds: at least a step in a quarter of a second.
  public static let speeds: ClosedRange<Int32> = 4...1_000_000

  public init() {}

  /// The tolerance above the top speed, for differences of clocks and networks.
  static let slack = Duration.milliseconds(500)

  /// The farthest possible position after some time.
  func reach(after time: Duration) -> Int32 {
    let seconds = (time + Self.slack) / .seconds(1)
    return seconds * Double(topSpeed) >= Double(courseLength) ? courseLength : Int32(seconds * Double(topSpeed))
  }
}
