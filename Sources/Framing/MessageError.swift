/// Why a message could not be read or written: where in it, and what was expected there.
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
    /// The bytes are not of the syntax of messages, such as JSON.
    public static let malformed = Code(description: "malformed")
    /// A value is well-formed, but not one that can stand there, or is missing.
    public static let invalidValue = Code(description: "invalidValue")
    /// Values are nested deeper than is permitted.
    public static let tooDeep = Code(description: "tooDeep")
  }

  /// What went wrong.
  public let code: Code

  /// The byte of the message, counted from zero, at which the value begins or should have begun; `nil` when it is not known.
  public let offset: Int?

  /// The place of the value as a path of names, such as `players[3].name`; `nil` when messages have no names, or for the
  /// message itself.
  ///
  /// Some of the names may come from the network, so make control characters visible before printing it.
  public let field: String?

  /// What was expected there, in words.
  public let expected: String

  /// An error, for codecs and for messages that read themselves.
  ///
  /// - Parameters:
  ///   - code: What went wrong.
  ///   - offset: The byte of the message, counted from zero, at which the value begins or should have begun.
  ///   - field: The place of the value as a path of names.
  ///   - expected: What was expected there, in words, to stand after "expected".
  public init(_ code: Code, at offset: Int? = nil, field: String? = nil, expected: String) {
    self.code = code
    self.offset = offset
    self.field = field
    self.expected = expected
  }

  public var description: String {
    let place =
      switch (offset, field) {
      case (let offset?, let field?): "At byte \(offset) of a message, in \(field)"
      case (let offset?, nil): "At byte \(offset) of a message"
      case (nil, let field?): "In \(field) of a message"
      case (nil, nil): "In a message"
      }
    return "\(place): expected \(expected) (\(code))"
  }
}
