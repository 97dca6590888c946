import _BonjourishBase

/// An error of a ``PrivateFile``.
public struct PrivateFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a failure; kinds may be added, so a `switch` over them needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind, such as `tooLarge`.
    public let description: String

    /// It is a link, a folder, a FIFO, a socket or a device.
    public static let notRegular = Code(description: "notRegular")
    /// It, or its folder, belongs to another user, or others may write to it, or read what is secret.
    public static let foreign = Code(description: "foreign")
    /// It is, or would be, larger than permitted.
    public static let tooLarge = Code(description: "tooLarge")
    /// It cannot be read.
    public static let unreadable = Code(description: "unreadable")
    /// It cannot be written.
    public static let unwritable = Code(description: "unwritable")
  }

  /// The kind of the error.
  public let code: Code
  /// The file, the reason and the remedy. The path may hold any characters, so display ``description`` instead.
  public let message: String

  /// The message, escaped for display.
  public var description: String { message.escapedForDisplay }

  /// The system's error number; nil for other errors.
  package let errno: CInt?

  init(_ code: Code, errno: CInt? = nil, _ message: String) {
    self.code = code
    self.errno = errno
    self.message = message
  }

  static func notRegular(_ path: String, _ kind: String) -> PrivateFileError {
    PrivateFileError(.notRegular, "\(path) is \(kind), not a file; name a file, or move it away")
  }

  static func tooLarge(_ path: String, _ size: Int, _ maximum: Int) -> PrivateFileError {
    PrivateFileError(.tooLarge, "\(path) has \(size) bytes or more, and at most \(maximum) are permitted; move it away")
  }
}
