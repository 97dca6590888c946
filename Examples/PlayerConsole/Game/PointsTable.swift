import TwentyFour

/// Who got how many points in which round, as far as it was seen.
struct PointsTable: Hashable, Sendable {
  struct Column: Hashable {
    let round: Int
    /// The points of those who were seen before and after the round.
    let points: [PlayerID: Int]
  }

  /// How many rounds are remembered.
  private static let limit = 100

  /// The rounds, the latest last.
  private(set) var columns: [Column] = []
  /// What everyone had before the running round.
  private var totals: [PlayerID: Int] = [:]

  /// Notices those who are there: what a newcomer has is no gain of his in this round.
  mutating func see(_ standings: [Standing]) {
    for standing in standings where totals[standing.player.id] == nil && standing.time == nil {
      totals[standing.player.id] = standing.points
    }
  }

  mutating func enter(_ result: Match.RoundResult) {
    see(result.standings)
    var points: [PlayerID: Int] = [:]
    for standing in result.standings {
      if let former = totals[standing.player.id] { points[standing.player.id] = standing.points - former }
    }
    columns.append(Column(round: result.number, points: points))
    if columns.count > Self.limit { columns.removeFirst() }
    totals = [:]
    for standing in result.standings { totals[standing.player.id] = standing.points }
  }
}
