import TwentyFour

/// The points of each player in each observed round.
struct PointsTable: Hashable, Sendable {
  struct Column: Hashable {
    let round: Int
    /// The points of the players present before and after the round.
    let points: [PlayerID: Int]
  }

  /// The number of rounds that are remembered.
  private static let limit = 100

  /// The rounds, latest last.
  private(set) var columns: [Column] = []
  /// Each player's points before the current round.
  private var totals: [PlayerID: Int] = [:]

  /// Sets the present players: points that a new player brings along were not won in this round.
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
