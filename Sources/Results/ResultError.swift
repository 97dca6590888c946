import CSQLite

/// Why results cannot be kept or read.
package struct ResultError: Error, Hashable, Sendable {
  /// The kind of an error about results; kinds may be added, so a `switch` over them needs a `default`.
  package struct Code: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// The file cannot be opened, or made, or written: its folder is missing, or it may not be touched.
    package static let cannotOpen = Code(description: "cannotOpen")
    /// The file is a database, but not one of results. It is left as it is.
    package static let foreign = Code(description: "foreign")
    /// A later version of the program has written the file. It is left as it is.
    package static let newerSchema = Code(description: "newerSchema")
    /// The file is no database, or is damaged. It is left as it is.
    package static let damaged = Code(description: "damaged")
    /// Another program has been writing to the file for too long.
    package static let locked = Code(description: "locked")
    /// The disk is full.
    package static let full = Code(description: "full")
    /// The store was closed.
    package static let closed = Code(description: "closed")
    /// Anything else that SQLite tells.
    package static let failed = Code(description: "failed")
  }

  package let code: Code
  /// SQLite's own extended result code; nil where SQLite has no part in it.
  package let resultCode: Int32?
  /// What was tried, on which file, why it failed, and what to do, in a sentence.
  package let description: String

  init(_ code: Code, resultCode: Int32? = nil, _ description: String) {
    self.code = code
    self.resultCode = resultCode
    self.description = description
  }
}

extension ResultError: CustomStringConvertible {}

extension ResultError {
  /// What SQLite tells.
  ///
  /// - Parameters:
  ///   - resultCode: The extended result code.
  ///   - message: SQLite's words for it.
  ///   - attempt: What was tried, such as "Opening".
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
      (.cannotOpen, "; look whether its folder is there and may be written to")
    default: (.failed, "")
    }
  }
}
