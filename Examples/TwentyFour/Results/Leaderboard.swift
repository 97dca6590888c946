/// The best players of a host, over all its matches.
public struct Leaderboard: Hashable, Sendable {
  /// The order of the ranking.
  public enum Order: String, Hashable, Sendable, CaseIterable {
    /// The sum of the points.
    case points
    /// The number of rounds solved.
    case solved
    /// The fastest solution; players without one come last.
    case best
    /// The number of matches played.
    case matches
  }

  /// The order of the ranking.
  public let order: Order
  /// The players, best first.
  public let lines: [Line]

  /// The results of one person: of one name with one key, or of all players of one name without a key.
  public struct Line: Hashable, Sendable {
    /// The place, from 1; equals share a place.
    public let rank: Int
    /// The name in its latest spelling.
    public let name: String
    /// The fingerprint of the person's key; nil for none.
    public let key: String?
    /// The sum of the points.
    public let points: Int
    /// The number of rounds solved.
    public let solved: Int
    /// The number of rounds played.
    public let rounds: Int
    /// The fastest solution, to the millisecond; nil if there is none.
    public let best: Duration?
    /// The number of matches played.
    public let matches: Int
  }
}
