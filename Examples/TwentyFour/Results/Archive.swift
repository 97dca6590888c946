import TwentyFour

/// Writes results to a database, and reads them.
///
/// Like its database, it is used on one thread; its calls may wait for the disk.
final class Archive {
  /// The largest number of scores of a match.
  static let scoreLimit = Match.Rules.playerLimit

  let database: Database
  private var statements: [String: Statement] = [:]

  init(at path: String, timeout: Duration) throws(ResultError) {
    database = try Database(at: path, for: .writing, timeout: timeout)
    try Schema.prepare(database)
    try database.makeDurable()
  }

  /// Opens an existing file for reading only.
  init(reading path: String, timeout: Duration) throws(ResultError) {
    database = try Database(at: path, for: .reading, timeout: timeout)
    let version = try Schema.check(database)
    guard version == Schema.version else {
      throw ResultError(
        .failed,
        "Reading the results in \(path) failed: they have the earlier version \(version); let a host record into the file once"
      )
    }
  }

  /// Joins existing files in a temporary one: what several servers have recorded, each round once.
  init(joining paths: [String], timeout: Duration) throws(ResultError) {
    database = try Database()
    try Schema.prepare(database)
    for path in paths {
      let other = try Archive(reading: path, timeout: timeout)
      try database.transaction { () throws(ResultError) in
        try other.forEachRound { round throws(ResultError) in try write(round) }
      }
    }
  }

  // MARK: - Writing

  /// Writes rounds, all or none.
  func write(_ rounds: some Sequence<RoundRecord>) throws(ResultError) {
    try database.transaction { () throws(ResultError) in
      for round in rounds { try write(round) }
    }
  }

  /// A round that is there already is replaced, unless it ended later: it was played again, because the first time was undone.
  private func write(_ round: RoundRecord) throws(ResultError) {
    let match = Statement.Value.integer(try number(of: round))
    let number = Statement.Value.integer(round.number)
    var isLatest = false
    try statement(
      """
      INSERT INTO rounds (match, number, ended, count) VALUES (?, ?, ?, ?)
      ON CONFLICT (match, number) DO UPDATE SET ended = excluded.ended, count = excluded.count WHERE ended <= excluded.ended
      RETURNING 1
      """
    ).run([match, number, .integer(round.ended.milliseconds), .integer(round.count)]) { _ in isLatest = true }
    guard isLatest else { return }
    try statement("DELETE FROM scores WHERE match = ? AND round = ?").run([match, number])
    for score in round.scores { try write(score, match, number) }
    try forgetWhoLeft(match, hasEnd: round.hasEnd)
  }

  /// The number of a match in the database.
  private func number(of round: RoundRecord) throws(ResultError) -> Int {
    var number = 0
    try statement(
      """
      INSERT INTO matches (id, room, began, has_end) VALUES (?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET began = min(began, excluded.began), has_end = max(has_end, excluded.has_end)
      RETURNING number
      """
    ).run([
      .text(round.match), .text(round.room), .integer(round.began.milliseconds), .integer(round.hasEnd ? 1 : 0),
    ]) { number = $0.integer(0) }
    return number
  }

  private func write(_ score: MatchRecord.Score, _ match: Statement.Value, _ round: Statement.Value) throws(ResultError) {
    let seat = Statement.Value.integer(score.player.rawValue)
    try statement(
      """
      INSERT INTO players (match, seat, name, key, identity) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (match, seat) DO UPDATE SET key = excluded.key, identity = excluded.identity WHERE identity = ''
      """
    ).run([match, seat, .text(score.name), .text(Self.key(of: score)), .text(score.key ?? "")])
    try statement("INSERT INTO scores (match, seat, round, points, rounds, solved, best) VALUES (?, ?, ?, ?, ?, ?, ?)").run([
      match, seat, round, .integer(score.points), .integer(score.rounds), .integer(score.solved),
      .optional(score.best?.inMilliseconds),
    ])
  }

  /// Removes the scores of those who are not in the latest round of a match with an end, and in one without an end all but
  /// ``scoreLimit``: of the players in the latest round, then those with most points. With a player the scores go.
  private func forgetWhoLeft(_ match: Statement.Value, hasEnd: Bool) throws(ResultError) {
    let isPresent = """
      EXISTS (SELECT 1 FROM scores WHERE match = players.match AND seat = players.seat
        AND round = (SELECT max(number) FROM rounds WHERE match = players.match))
      """
    guard !hasEnd else { return try statement("DELETE FROM players WHERE match = ? AND NOT \(isPresent)").run([match]) }
    var count = 0
    try statement("SELECT count(*) FROM players WHERE match = ?").run([match]) { count = $0.integer(0) }
    guard count > Self.scoreLimit else { return }
    try statement(
      """
      DELETE FROM players WHERE match = ? AND seat IN (
        SELECT seat FROM players WHERE match = ? ORDER BY \(isPresent) DESC,
          (SELECT sum(points) FROM scores WHERE match = players.match AND seat = players.seat) DESC, seat
        LIMIT -1 OFFSET \(Self.scoreLimit))
      """
    ).run([match, match])
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

  // MARK: - Reading

  /// What each player of a match has done in all rounds; who has only waited is no player of it.
  private static let results = """
    SELECT match, seat, sum(points) AS points, sum(rounds) AS rounds, sum(solved) AS solved, min(best) AS best
    FROM scores GROUP BY match, seat HAVING sum(rounds) > 0
    """

  /// The best players.
  func leaderboard(by order: Leaderboard.Order, limit: Int) throws(ResultError) -> Leaderboard {
    var lines: [Leaderboard.Line] = []
    // Only constants are interpolated into the statement.
    try statement(
      """
      SELECT RANK() OVER (ORDER BY \(Self.ranking(order))),
        (SELECT name FROM players AS latest JOIN matches ON number = match
          WHERE latest.key = best.key AND latest.identity = best.identity ORDER BY began DESC, number DESC, seat LIMIT 1),
        points, solved, rounds, fastest, matches, identity
      FROM (
        SELECT key, identity, sum(points) AS points, sum(solved) AS solved, sum(rounds) AS rounds, min(best) AS fastest,
          count(DISTINCT match) AS matches
        FROM players JOIN (\(Self.results)) USING (match, seat) GROUP BY key, identity
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
    try statement(
      """
      SELECT number, id, room, began, max(ended) AS ended, sum(count)
      FROM matches JOIN (SELECT match, ended, count FROM rounds) ON match = number
      WHERE number IN (SELECT match FROM scores WHERE rounds > 0)
      GROUP BY number ORDER BY ended DESC, number DESC LIMIT ?
      """
    ).run([.integer(limit)]) { row throws(ResultError) in
      matches.append(
        MatchRecord(
          id: row.text(1), room: row.text(2), began: WallTime(milliseconds: row.integer(3)),
          ended: WallTime(milliseconds: row.integer(4)), rounds: row.integer(5),
          scores: try scores("(\(Self.results))", "match = ?", [.integer(row.integer(0))])))
    }
    return matches
  }

  /// Calls a closure with each round, in the order of matches and rounds.
  private func forEachRound(_ body: (RoundRecord) throws(ResultError) -> Void) throws(ResultError) {
    try statement(
      """
      SELECT matches.number, id, room, began, has_end, rounds.number, ended, count
      FROM rounds JOIN matches ON matches.number = match ORDER BY match, rounds.number
      """
    ).run { row throws(ResultError) in
      var round = RoundRecord(
        match: row.text(1), room: row.text(2), began: WallTime(milliseconds: row.integer(3)), hasEnd: row.integer(4) != 0,
        number: row.integer(5), ended: WallTime(milliseconds: row.integer(6)),
        scores: try scores("scores", "match = ? AND round = ?", [.integer(row.integer(0)), .integer(row.integer(5))]))
      round.count = row.integer(7)
      try body(round)
    }
  }

  /// The scores of a table for which a condition holds.
  private func scores(
    _ table: String, _ condition: String, _ parameters: [Statement.Value]
  ) throws(ResultError) -> [MatchRecord.Score] {
    var scores: [MatchRecord.Score] = []
    try statement(
      """
      SELECT seat, name, points, rounds, solved, best, identity FROM \(table) JOIN players USING (match, seat)
      WHERE \(condition) ORDER BY seat
      """
    ).run(parameters) { row in
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
