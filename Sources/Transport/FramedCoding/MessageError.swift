import _BonjourishBase

/// An error of reading or writing a message: the position, and what was expected there.
public struct MessageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a message error; kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, such as `truncated`.
    public let description: String

    /// The message ended inside the value.
    public static let truncated = Code(description: "truncated")
    /// A length is negative, or too small for what it must include.
    public static let invalidLength = Code(description: "invalidLength")
    /// A string is not valid UTF-8.
    public static let invalidUTF8 = Code(description: "invalidUTF8")
    /// A zero-terminated string does not end with a zero byte, or has one before its end.
    public static let misplacedZero = Code(description: "misplacedZero")
    /// Bytes follow the end of the message.
    public static let trailingBytes = Code(description: "trailingBytes")
    /// A value to be written is larger than its length can express, or a string that was read is longer than permitted.
    public static let tooLarge = Code(description: "tooLarge")
    /// The bytes do not match the syntax of messages, such as JSON.
    public static let malformed = Code(description: "malformed")
    /// A value is well-formed but not permitted there, or is missing.
    public static let invalidValue = Code(description: "invalidValue")
    /// Values are nested deeper than is permitted.
    public static let tooDeep = Code(description: "tooDeep")
  }

  /// The kind of the error.
  public let code: Code

  /// The position in the message, in bytes from 0, at which the value begins or should begin; `nil` if unknown.
  public let offset: Int?

  /// The path of the value, such as `players[3].name`; `nil` for the message itself, and for codecs without names.
  ///
  /// Some of the names may come from the network: escape the path with `escapedForDisplay` before display.
  public let field: String?

  /// What was expected there.
  public let expected: String

  /// Creates an error, for codecs and ``Marshallable`` messages.
  ///
  /// - Parameters:
  ///   - code: The kind of the error.
  ///   - offset: The position in the message, in bytes from 0, at which the value begins or should begin.
  ///   - field: The path of the value.
  ///   - expected: What was expected there; the text follows the word "expected".
  public init(_ code: Code, at offset: Int? = nil, field: String? = nil, expected: String) {
    self.code = code
    self.offset = offset
    self.field = field
    self.expected = expected
  }

  /// A sentence: the position, and what was expected there. It may contain text from the network.
  public var message: String {
    let place =
      switch (offset, field) {
      case (let offset?, let field?): "At byte \(offset) of a message, in \(field)"
      case (let offset?, nil): "At byte \(offset) of a message"
      case (nil, let field?): "In \(field) of a message"
      case (nil, nil): "In a message"
      }
    return "\(place): expected \(expected) (\(code))"
  }

  /// The message, escaped for display.
  public var description: String { message.escapedForDisplay }
}
