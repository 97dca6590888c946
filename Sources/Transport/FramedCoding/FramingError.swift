import _BonjourishBase

/// An error of decoding bytes into frames, or of encoding a body.
public struct FramingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a framing error; kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, such as `bodyTooLarge`.
    public let description: String

    /// A body is larger than the format permits.
    public static let bodyTooLarge = Code(description: "bodyTooLarge")
    /// A body to be sent is too small: it lacks fields of the header, or is empty and the format does not permit that.
    public static let bodyTooSmall = Code(description: "bodyTooSmall")
    /// A length is smaller than the bytes that it counts besides the body.
    public static let lengthSmallerThanItself = Code(description: "lengthSmallerThanItself")
    /// The bytes ended inside a frame.
    public static let truncated = Code(description: "truncated")
    /// A frame does not begin with the prefix of the format.
    public static let wrongPrefix = Code(description: "wrongPrefix")
    /// A body to be sent contains the delimiter of the format.
    public static let delimiterInBody = Code(description: "delimiterInBody")
    /// The bytes are not a frame of the format, for another reason.
    public static let malformed = Code(description: "malformed")
  }

  /// The kind of the error.
  public let code: Code

  /// A sentence: what was wrong and what to do about it.
  public let message: String

  /// For `bodyTooLarge` and `bodyTooSmall`, the size of the body in bytes; for `lengthSmallerThanItself`, the received length.
  ///
  /// For a body whose end was not received, it is one more than `permitted`.
  public let announced: UInt64?

  /// For `bodyTooLarge`, the largest body in bytes; for `bodyTooSmall`, the smallest; for `lengthSmallerThanItself`, the smallest
  /// possible length.
  public let permitted: Int?

  /// For `truncated`, the least number of missing bytes; if the length itself was incomplete, the missing bytes of the length.
  public let missing: Int?

  /// Creates an error, for layouts that a program defines.
  ///
  /// - Parameters:
  ///   - code: The kind of the error.
  ///   - message: A sentence: what was wrong and what to do about it.
  public init(_ code: Code, _ message: String) {
    self.init(code, message, announced: nil)
  }

  private init(_ code: Code, _ message: String, announced: UInt64?, permitted: Int? = nil, missing: Int? = nil) {
    self.code = code
    self.message = message
    self.announced = announced
    self.permitted = permitted
    self.missing = missing
  }

  /// The message, escaped for display.
  public var description: String { message.escapedForDisplay }

  /// Returns the error for a body that is larger than permitted.
  ///
  /// - Parameters:
  ///   - announced: The size of the body in bytes; one more than `permitted` if its end is unknown.
  ///   - permitted: The largest accepted body in bytes.
  public static func bodyTooLarge(announced: UInt64, permitted: Int) -> FramingError {
    FramingError(
      .bodyTooLarge,
      "A frame of \(announced) bytes is larger than the \(permitted) bytes that the format permits; "
        + "check that both sides use the same format, or raise its maximum",
      announced: announced, permitted: permitted)
  }

  static func bodyTooSmall(_ size: Int, least: Int) -> FramingError {
    FramingError(
      .bodyTooSmall, "A body of \(size) bytes cannot be sent: the format needs at least \(least)",
      announced: UInt64(size), permitted: least)
  }

  @usableFromInline static func lengthSmallerThanItself(announced: UInt64, least: Int) -> FramingError {
    FramingError(
      .lengthSmallerThanItself,
      "A frame length of \(announced) is smaller than the \(least) bytes that it counts besides the body; "
        + "check that both sides use the same format",
      announced: announced, permitted: least)
  }

  static func truncated(missing: Int) -> FramingError {
    FramingError(
      .truncated, "The stream ended inside a frame: at least \(missing) bytes are missing; the sender stopped too early",
      announced: nil, missing: missing)
  }
}
