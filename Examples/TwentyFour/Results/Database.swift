import CSQLite
import _BonjourishPrivateFiles

/// An SQLite file.
///
/// Owns the C connection and closes it. Used on one thread at a time; each call may wait for the disk.
///
/// The journal is a write-ahead log: the leaderboard can be read while a host writes, and a commit is one sync of one file.
/// Every commit is on the disk when it returns (`synchronous=FULL`), so a power failure loses no committed result. Do not put
/// the file on a network file system: SQLite's log does not work there.
final class Database {
  enum Access {
    /// Creates the file if it does not exist.
    case writing
    /// The file must exist, and is not modified.
    case reading
  }

  /// The largest file that is opened, in bytes: results of years.
  private static let maximumSize = 4 << 30

  let connection: OpaquePointer
  let path: String

  /// Opens a file.
  ///
  /// - Parameter timeout: The time that each call waits while another program writes.
  convenience init(at path: String, for access: Access, timeout: Duration) throws(ResultError) {
    // SQLite gives such names a special meaning.
    guard !path.isEmpty, !path.hasPrefix(":"), !path.utf8.contains(0) else {
      throw ResultError(.cannotOpen, "Opening the results failed: \"\(path)\" is not a file name; give another one")
    }
    let file = PrivateFile(path, maximumSize: Self.maximumSize)
    do throws(PrivateFileError) {
      if access == .writing { try file.prepare() } else { try file.check() }
    } catch {
      throw ResultError(.cannotOpen, "Opening the results failed: \(error.message)")
    }
    try self.init(path, for: access)
    sqlite3_busy_timeout(connection, Int32(timeout.inMilliseconds))
  }

  /// Opens a temporary file without a name, which is gone with the connection.
  convenience init() throws(ResultError) {
    try self.init("", for: .writing)
    try execute("PRAGMA foreign_keys = ON")
  }

  private init(_ path: String, for access: Access) throws(ResultError) {
    let flags = access == .writing ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
    // A link beside the checks above would be followed otherwise.
    var connection: OpaquePointer?
    let code = sqlite3_open_v2(
      path, &connection, flags | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard let connection else {
      throw ResultError(code, String(cString: sqlite3_errstr(code)), "Opening", path)
    }
    self.connection = connection
    self.path = path
    guard code == SQLITE_OK else { throw error("Opening") }
  }

  // The connection stays open until its last statement is freed.
  deinit { sqlite3_close_v2(connection) }

  /// Sets the journal and the syncing described above.
  func makeDurable() throws(ResultError) {
    try execute("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = FULL")
    try execute("PRAGMA foreign_keys = ON")
    // Shrinks the log after a burst.
    try execute("PRAGMA journal_size_limit = 1048576")
  }

  /// Runs one statement without parameters.
  func execute(_ text: String) throws(ResultError) {
    try Statement(text, in: self).run()
  }

  /// The single number that a statement returns.
  func number(_ text: String) throws(ResultError) -> Int {
    var number = 0
    try Statement(text, in: self).run { number = $0.integer(0) }
    return number
  }

  /// Applies all changes of the body, or none.
  func transaction(_ body: () throws(ResultError) -> Void) throws(ResultError) {
    // IMMEDIATE: a transaction that begins by reading might not be allowed to write later.
    try execute("BEGIN IMMEDIATE")
    do throws(ResultError) {
      try body()
      try execute("COMMIT")
    } catch {
      // After some errors, SQLite has already rolled back.
      if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// The error of the last call.
  func error(_ attempt: String) -> ResultError {
    ResultError(
      sqlite3_extended_errcode(connection), String(cString: sqlite3_errmsg(connection)), attempt, path)
  }
}
