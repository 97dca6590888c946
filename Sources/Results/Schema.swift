/// How results lie in a database, and how those of earlier versions become what they are now.
///
/// The database says of itself what it is: `application_id` that it holds results, `user_version` how many of the migrations
/// have been done.
enum Schema {
  /// "TF24" in ASCII.
  static let applicationID = 0x5446_3234

  static var version: Int { migrations.count }

  /// What each version added; what has been released is not changed any more.
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
      // `key` is the name in lower case, by which players are told apart as they are in a room: SQLite knows the case of ASCII only.
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
      // Nobody had counted the rounds of each player: those of his match are the most that it can have been.
      "ALTER TABLE scores ADD COLUMN rounds INTEGER NOT NULL DEFAULT 0",
      "UPDATE scores SET rounds = (SELECT matches.rounds FROM matches WHERE matches.number = scores.match)",
    ],
  ]

  /// Makes a database one of this version.
  ///
  /// - Throws: `foreign`, `newerSchema` or `damaged`, and then nothing has been changed; or what hinders writing.
  static func prepare(_ database: Database, upTo version: Int = version) throws(ResultError) {
    let present = try check(database)
    guard present < version else { return }
    try database.transaction { () throws(ResultError) in
      // Looked at once more, now that nobody else can write: another program may have done it meanwhile.
      let present = try database.number("PRAGMA user_version")
      guard present < version else { return }
      for statements in migrations[present..<version] {
        for statement in statements { try database.execute(statement) }
      }
      try database.execute("PRAGMA application_id = \(applicationID)")
      try database.execute("PRAGMA user_version = \(version)")
    }
  }

  /// Finds out what a database is.
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
        "Opening the results in \(database.path) failed: a later version of the program has written them (\(present), and this one"
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
