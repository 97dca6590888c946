/// Why a message could not be read or written: at which byte, and what was expected there.
public struct MessageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a message error; kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// The message ended before the value did.
    public static let truncated = Code(description: "truncated")
    /// A length is negative, or too small for what it has to include.
    public static let invalidLength = Code(description: "invalidLength")
    /// A string is not valid UTF-8.
    public static let invalidUTF8 = Code(description: "invalidUTF8")
    /// A zero-terminated string does not end with the zero byte, or has one before its end.
    public static let misplacedZero = Code(description: "misplacedZero")
    /// There are bytes after the end of what was expected.
    public static let trailingBytes = Code(description: "trailingBytes")
    /// A value to be written is larger than its length can tell.
    public static let tooLarge = Code(description: "tooLarge")
  }

  /// What went wrong.
  public let code: Code

  /// The byte of the message, counted from zero, at which the value begins or should have begun.
  public let offset: Int

  /// What was expected there, in words.
  public let expected: String

  init(_ code: Code, at offset: Int, expected: String) {
    self.code = code
    self.offset = offset
    self.expected = expected
  }

  public var description: String {
    "At byte \(offset) of a message: expected \(expected) (\(code))"
  }
}
