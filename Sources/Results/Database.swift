import CSQLite

/// A file that SQLite reads and writes.
///
/// It owns the C connection, and closes it. It is used on one thread at a time, and each of its calls may wait for the disk.
///
/// The journal is a write-ahead log, for with one the leaderboard can be read while a host writes, and one commit is one sync of
/// one file. Every commit is on the disk when it returns (`synchronous=FULL`): a machine that loses its power loses no result
/// that was told to be kept. Neither protects a file on a network file system, where SQLite must not be used with a log.
final class Database {
  enum Access {
    /// The file is made if there is none.
    case writing
    /// The file must be there, and is not changed.
    case reading
  }

  let connection: OpaquePointer
  let path: String

  /// Opens a file.
  ///
  /// - Parameter patience: How long to wait for another program that writes.
  init(at path: String, for access: Access, patience: Duration) throws(ResultError) {
    // Names that SQLite would take for something else than a file.
    guard !path.isEmpty, !path.hasPrefix(":"), !path.utf8.contains(0) else {
      throw ResultError(.cannotOpen, "Opening the results failed: \"\(path)\" is not the name of a file; give another one")
    }
    let flags = access == .writing ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
    var connection: OpaquePointer?
    let code = sqlite3_open_v2(path, &connection, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard let connection else {
      throw ResultError(code, String(cString: sqlite3_errstr(code)), "Opening", path)
    }
    self.connection = connection
    self.path = path
    guard code == SQLITE_OK else { throw error("Opening") }
    sqlite3_busy_timeout(connection, Int32(patience.inMilliseconds))
  }

  // Statements that are left keep the connection until they are gone too.
  deinit { sqlite3_close_v2(connection) }

  /// Makes the file one that loses nothing.
  func makeDurable() throws(ResultError) {
    try execute("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = FULL")
    try execute("PRAGMA foreign_keys = ON")
    // What a burst has made larger shall not stay so.
    try execute("PRAGMA journal_size_limit = 1048576")
  }

  /// Runs one statement without parameters.
  func execute(_ text: String) throws(ResultError) {
    try Statement(text, in: self).run()
  }

  /// The one number that a statement gives.
  func number(_ text: String) throws(ResultError) -> Int {
    var number = 0
    try Statement(text, in: self).run { number = $0.integer(0) }
    return number
  }

  /// Does all that the body does, or nothing of it.
  func transaction(_ body: () throws(ResultError) -> Void) throws(ResultError) {
    // At once for writing: a reader that becomes a writer could find that it must not.
    try execute("BEGIN IMMEDIATE")
    do throws(ResultError) {
      try body()
      try execute("COMMIT")
    } catch {
      // Some errors have rolled back already, and then this one says so.
      if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// What SQLite says of the call before.
  func error(_ attempt: String) -> ResultError {
    ResultError(
      sqlite3_extended_errcode(connection), String(cString: sqlite3_errmsg(connection)), attempt, path)
  }
}
