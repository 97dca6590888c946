/// What a server's matches are like.
package struct RaceRules: Hashable, Sendable {
  /// How many players matches may have. Who asks for others gets what both allow.
  package var players = PlayerRange.any
  /// How far it is to the finish.
  package var courseLength: Int32 = 1_000
  /// How far a racer gets in a second at most.
  package var topSpeed: Int32 = 100
  /// How long those who are enough for a match wait for more.
  package var gathering = Duration.seconds(2)
  /// How long a player whose connection broke may take to come back into his match.
  package var returnLimit = Duration.seconds(60)
  /// How long a match lasts at most; whoever is under way then is ranked by how far he got.
  package var matchLimit = Duration.seconds(600)
  /// How many players there may be, those included who are away.
  package var capacity = 1_024

  /// What a course may have for a length.
  package static let lengths: ClosedRange<Int32> = 1...1_000_000
  /// What a top speed may be: enough for a step in a quarter of a second.
  package static let speeds: ClosedRange<Int32> = 4...1_000_000

  package init() {}

  /// How much of the top speed clocks and networks are given.
  static let slack = Duration.milliseconds(500)

  /// How far a racer may have got in some time.
  func reach(after time: Duration) -> Int32 {
    let seconds = (time + Self.slack) / .seconds(1)
    return seconds * Double(topSpeed) >= Double(courseLength) ? courseLength : Int32(seconds * Double(topSpeed))
  }
}
