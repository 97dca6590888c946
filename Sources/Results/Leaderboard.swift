/// The best players of a host, over all its matches.
package struct Leaderboard: Hashable, Sendable {
  /// What decides who is above whom.
  package enum Order: String, Hashable, Sendable, CaseIterable {
    /// The points of all matches.
    case points
    /// How many rounds were solved.
    case solved
    /// The fastest solution; who has none comes last.
    case best
    /// How many matches were played.
    case matches
  }

  package let order: Order
  package let lines: [Line]

  /// One player, which is one name: whoever goes by it.
  package struct Line: Hashable, Sendable {
    /// The place, from 1; those who are equal share one.
    package let rank: Int
    /// The name as it was written last.
    package let name: String
    package let points: Int
    package let solved: Int
    package let rounds: Int
    /// The fastest solution, to the millisecond.
    package let best: Duration?
    package let matches: Int
  }
}
