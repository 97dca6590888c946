/// The tables of a database of results, and the migrations from earlier versions.
///
/// `application_id` marks a database of results, and `user_version` is the number of migrations done.
enum Schema {
  /// "TF24" in ASCII.
  static let applicationID = 0x5446_3234

  static var version: Int { migrations.count }

  /// The changes of each version; a released version must not be changed.
  static let migrations: [[String]] = [
    [
      """
      CREATE TABLE matches (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        room TEXT NOT NULL,
        began INTEGER NOT NULL,
        ended INTEGER NOT NULL,
        rounds INTEGER NOT NULL
      ) STRICT
      """,
      // `key` is the name in lower case; it identifies a player, as in a room. SQLite itself knows only the case of ASCII.
      """
      CREATE TABLE scores (
        match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
        seat INTEGER NOT NULL,
        name TEXT NOT NULL,
        key TEXT NOT NULL,
        points INTEGER NOT NULL,
        solved INTEGER NOT NULL,
        best INTEGER,
        PRIMARY KEY (match, seat)
      ) STRICT, WITHOUT ROWID
      """,
    ],
    [
      "CREATE INDEX scores_by_key ON scores (key, match)",
      // The first version did not count each player's rounds: use those of the match, the upper bound.
      "ALTER TABLE scores ADD COLUMN rounds INTEGER NOT NULL DEFAULT 0",
      "UPDATE scores SET rounds = (SELECT matches.rounds FROM matches WHERE matches.number = scores.match)",
    ],
    [
      // The fingerprint of the player's key, or nothing. With it, `key` is the name without the number that a room has added.
      "ALTER TABLE scores ADD COLUMN identity TEXT NOT NULL DEFAULT ''",
      "DROP INDEX scores_by_key",
      "CREATE INDEX scores_by_person ON scores (key, identity, match)",
    ],
    [
      // Each round by itself, so that the rounds of a match that several servers have played can be joined. Earlier versions did not
      // tell which rounds a record is about: it becomes one row, with `count` of them, whose number is the negative time of its end.
      """
      CREATE TABLE rounds (
        match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
        number INTEGER NOT NULL,
        ended INTEGER NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (match, number)
      ) STRICT, WITHOUT ROWID
      """,
      "INSERT INTO rounds SELECT number, -ended, ended, rounds FROM matches",
      "ALTER TABLE matches DROP COLUMN ended",
      "ALTER TABLE matches DROP COLUMN rounds",
      "ALTER TABLE matches ADD COLUMN has_end INTEGER NOT NULL DEFAULT 0",
      """
      CREATE TABLE players (
        match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
        seat INTEGER NOT NULL,
        name TEXT NOT NULL,
        key TEXT NOT NULL,
        identity TEXT NOT NULL,
        PRIMARY KEY (match, seat)
      ) STRICT, WITHOUT ROWID
      """,
      "INSERT INTO players SELECT match, seat, name, key, identity FROM scores",
      "CREATE INDEX players_by_person ON players (key, identity, match)",
      "DROP INDEX scores_by_person",
      "ALTER TABLE scores RENAME TO earlier_scores",
      """
      CREATE TABLE scores (
        match INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        round INTEGER NOT NULL,
        points INTEGER NOT NULL,
        rounds INTEGER NOT NULL,
        solved INTEGER NOT NULL,
        best INTEGER,
        PRIMARY KEY (match, seat, round),
        FOREIGN KEY (match, seat) REFERENCES players ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID
      """,
      """
      INSERT INTO scores SELECT match, seat, (SELECT number FROM rounds WHERE rounds.match = earlier_scores.match), points, rounds,
        solved, best FROM earlier_scores
      """,
      "DROP TABLE earlier_scores",
    ],
  ]

  /// Migrates a database to this version; an empty one becomes a database of results.
  ///
  /// - Throws: `foreign`, `newerSchema` or `damaged`, with the file unchanged; or the reason why the file cannot be written.
  static func prepare(_ database: Database, upTo version: Int = version) throws(ResultError) {
    let present = try check(database)
    guard present < version else { return }
    try database.transaction { () throws(ResultError) in
      // Checked again, now that no other program can write: another program may have migrated the file meanwhile.
      let present = try database.number("PRAGMA user_version")
      guard present < version else { return }
      for statements in migrations[present..<version] {
        for statement in statements { try database.execute(statement) }
      }
      try database.execute("PRAGMA application_id = \(applicationID)")
      try database.execute("PRAGMA user_version = \(version)")
    }
  }

  /// Checks the contents of a database.
  ///
  /// - Returns: Its version, 0 for an empty one.
  /// - Throws: `foreign`, `newerSchema` or `damaged`.
  static func check(_ database: Database) throws(ResultError) -> Int {
    let application = try database.number("PRAGMA application_id")
    let present = try database.number("PRAGMA user_version")
    let isEmpty = try database.number("SELECT count(*) FROM sqlite_schema") == 0
    guard application == applicationID || (isEmpty && application == 0 && present == 0) else {
      throw ResultError(
        .foreign, "Opening the results in \(database.path) failed: it is a database of another program; give another file")
    }
    guard present <= version else {
      throw ResultError(
        .newerSchema,
        "Opening the results in \(database.path) failed: a later version of the program has written the file (\(present), and this one"
          + " knows \(version)); update the program, or give another file")
    }
    var findings: [String] = []
    try Statement("PRAGMA quick_check(1)", in: database).run { findings.append($0.text(0)) }
    guard findings == ["ok"] else {
      throw ResultError(
        .damaged,
        "Opening the results in \(database.path) failed: the file is damaged (\(findings.joined(separator: "; "))); move it away,"
          + " or put back a copy of it")
    }
    return present
  }
}
