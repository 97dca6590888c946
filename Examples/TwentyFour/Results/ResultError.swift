import CSQLite

/// An error in writing or reading results.
public struct ResultError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error about results; kinds may be added, so a `switch` over them needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name.
    public let description: String

    /// The file cannot be opened, made or written: its folder is missing, or permissions do not allow it.
    public static let cannotOpen = Code(description: "cannotOpen")
    /// The file is another program's database; it is unchanged.
    public static let foreign = Code(description: "foreign")
    /// A later version of the program has written the file; it is unchanged.
    public static let newerSchema = Code(description: "newerSchema")
    /// The file is not a database, or is damaged; it is unchanged.
    public static let damaged = Code(description: "damaged")
    /// Another program has been writing to the file for too long.
    public static let locked = Code(description: "locked")
    /// The disk is full.
    public static let full = Code(description: "full")
    /// The store was closed.
    public static let closed = Code(description: "closed")
    /// SQLite reported another error.
    public static let failed = Code(description: "failed")
  }

  /// The kind of the error.
  public let code: Code
  /// SQLite's extended result code; nil if the error is not SQLite's.
  public let resultCode: Int32?
  /// A sentence: the attempt, the file, the reason and the remedy.
  public let message: String
  /// The message.
  public var description: String { message }

  init(_ code: Code, resultCode: Int32? = nil, _ message: String) {
    self.code = code
    self.resultCode = resultCode
    self.message = message
  }
}

extension ResultError {
  /// An error that SQLite reported.
  ///
  /// - Parameters:
  ///   - resultCode: The extended result code.
  ///   - message: SQLite's explanation.
  ///   - attempt: The attempt, such as "Opening".
  ///   - path: The file.
  init(_ resultCode: Int32, _ message: String, _ attempt: String, _ path: String) {
    let (code, advice) = Self.meaning(of: resultCode)
    self.init(code, resultCode: resultCode, "\(attempt) the results in \(path) failed: \(message)\(advice)")
  }

  /// The primary code is the lowest byte of an extended one.
  private static func meaning(of resultCode: Int32) -> (Code, String) {
    switch resultCode & 0xFF {
    case SQLITE_CORRUPT, SQLITE_NOTADB: (.damaged, "; move the file away, or put back a copy of it")
    case SQLITE_BUSY, SQLITE_LOCKED: (.locked, "; end the other program that writes to it")
    case SQLITE_FULL: (.full, "; make room on the disk")
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH, SQLITE_READONLY:
      (.cannotOpen, "; check that its folder exists and can be written to")
    default: (.failed, "")
    }
  }
}
