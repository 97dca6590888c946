import TwentyFour

/// Writes results to a database, and reads them.
///
/// Like its database, it is used on one thread; its calls may wait for the disk.
final class Archive {
  let database: Database
  private var statements: [String: Statement] = [:]

  init(at path: String, patience: Duration) throws(ResultError) {
    database = try Database(at: path, for: .writing, patience: patience)
    try Schema.prepare(database)
    try database.makeDurable()
  }

  /// Opens an existing file for reading only.
  init(reading path: String, patience: Duration) throws(ResultError) {
    database = try Database(at: path, for: .reading, patience: patience)
    let version = try Schema.check(database)
    guard version == Schema.version else {
      throw ResultError(
        .failed,
        "Reading the results in \(path) failed: they have the earlier version \(version); let a host record into the file once"
      )
    }
  }

  /// Writes matches, all or none, in place of their earlier states.
  func write(_ matches: some Sequence<MatchRecord>) throws(ResultError) {
    try database.transaction { () throws(ResultError) in
      for match in matches { try write(match) }
    }
  }

  /// A match without scores is removed.
  private func write(_ match: MatchRecord) throws(ResultError) {
    guard !match.scores.isEmpty else {
      try statement("DELETE FROM scores WHERE match = (SELECT number FROM matches WHERE id = ?)").run([.text(match.id)])
      return try statement("DELETE FROM matches WHERE id = ?").run([.text(match.id)])
    }
    var number = 0
    try statement(
      """
      INSERT INTO matches (id, room, began, ended, rounds) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET ended = excluded.ended, rounds = excluded.rounds
      RETURNING number
      """
    ).run([
      .text(match.id), .text(match.room), .integer(match.began.milliseconds), .integer(match.ended.milliseconds),
      .integer(match.rounds),
    ]) { number = $0.integer(0) }
    // The scores of an earlier round, some of players who have left since.
    try statement("DELETE FROM scores WHERE match = ?").run([.integer(number)])
    let scoring = try statement(
      "INSERT INTO scores (match, seat, name, key, identity, points, rounds, solved, best) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
    for score in match.scores {
      try scoring.run([
        .integer(number), .integer(score.player.rawValue), .text(score.name), .text(Self.key(of: score)),
        .text(score.key ?? ""), .integer(score.points), .integer(score.rounds), .integer(score.solved),
        .optional(score.best?.inMilliseconds),
      ])
    }
  }

  /// The name by which a person's scores are found, together with the key.
  private static func key(of score: MatchRecord.Score) -> String {
    let name = score.name.lowercased()
    // In one room a second player of a name gets a number, in the next one maybe not.
    guard score.key != nil, let space = name.lastIndex(of: " "), space != name.startIndex,
      Int(name[name.index(after: space)...]) != nil
    else { return name }
    return String(name[..<space])
  }

  /// The best players.
  func leaderboard(by order: Leaderboard.Order, limit: Int) throws(ResultError) -> Leaderboard {
    var lines: [Leaderboard.Line] = []
    // Only constants are interpolated into the statement.
    try statement(
      """
      SELECT RANK() OVER (ORDER BY \(Self.ranking(order))),
        (SELECT name FROM scores AS latest WHERE latest.key = best.key AND latest.identity = best.identity
          ORDER BY match DESC, seat LIMIT 1),
        points, solved, rounds, fastest, matches, identity
      FROM (
        SELECT key, identity, sum(points) AS points, sum(solved) AS solved, sum(rounds) AS rounds, min(best) AS fastest,
          count(DISTINCT match) AS matches
        FROM scores GROUP BY key, identity
      ) AS best
      ORDER BY 1, key, identity LIMIT ?
      """
    ).run([.integer(limit)]) { row in
      lines.append(
        Leaderboard.Line(
          rank: row.integer(0), name: row.text(1), key: row.text(7).isEmpty ? nil : row.text(7), points: row.integer(2),
          solved: row.integer(3), rounds: row.integer(4),
          best: row.optionalInteger(5).map { .milliseconds($0) }, matches: row.integer(6)))
    }
    return Leaderboard(order: order, lines: lines)
  }

  /// The order of the ranking, including the order of equals.
  private static func ranking(_ order: Leaderboard.Order) -> String {
    let (points, solved, best) = ("points DESC", "solved DESC", "fastest ASC NULLS LAST")
    return switch order {
    case .points: "\(points), \(solved), \(best)"
    case .solved: "\(solved), \(points), \(best)"
    case .best: "\(best), \(points), \(solved)"
    case .matches: "matches DESC, \(points), \(solved), \(best)"
    }
  }

  /// The latest matches, latest first.
  func history(limit: Int) throws(ResultError) -> [MatchRecord] {
    var matches: [MatchRecord] = []
    try statement("SELECT number, id, room, began, ended, rounds FROM matches ORDER BY ended DESC, number DESC LIMIT ?").run([
      .integer(limit)
    ]) { row throws(ResultError) in
      matches.append(
        MatchRecord(
          id: row.text(1), room: row.text(2), began: WallTime(milliseconds: row.integer(3)),
          ended: WallTime(milliseconds: row.integer(4)), rounds: row.integer(5), scores: try scores(of: row.integer(0))))
    }
    return matches
  }

  private func scores(of match: Int) throws(ResultError) -> [MatchRecord.Score] {
    var scores: [MatchRecord.Score] = []
    try statement("SELECT seat, name, points, rounds, solved, best, identity FROM scores WHERE match = ? ORDER BY seat").run([
      .integer(match)
    ]) { row in
      scores.append(
        MatchRecord.Score(
          player: PlayerID(rawValue: row.integer(0)), name: row.text(1), key: row.text(6).isEmpty ? nil : row.text(6),
          points: row.integer(2), rounds: row.integer(3),
          solved: row.integer(4), best: row.optionalInteger(5).map { .milliseconds($0) }))
    }
    return scores
  }

  private func statement(_ text: String) throws(ResultError) -> Statement {
    if let statement = statements[text] { return statement }
    let statement = try Statement(text, in: database)
    statements[text] = statement
    return statement
  }
}
