/// Why bytes could not be taken for frames, or a body not be made into one.
public struct FramingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a framing error; kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// A body is larger than the format permits.
    public static let bodyTooLarge = Code(description: "bodyTooLarge")
    /// A length that counts itself is smaller than its own width.
    public static let lengthSmallerThanItself = Code(description: "lengthSmallerThanItself")
    /// The bytes ended inside a frame.
    public static let truncated = Code(description: "truncated")
  }

  /// What went wrong.
  public let code: Code

  /// The size of the body in bytes for `bodyTooLarge`; the length on the wire for `lengthSmallerThanItself`.
  public let announced: UInt64?

  /// The largest body in bytes for `bodyTooLarge`; the smallest possible length for `lengthSmallerThanItself`.
  public let permitted: Int?

  /// How many bytes were still to come for `truncated`; when not even the length was complete, how many of the length.
  public let missing: Int?

  @usableFromInline static func bodyTooLarge(announced: UInt64, permitted: Int) -> FramingError {
    FramingError(code: .bodyTooLarge, announced: announced, permitted: permitted, missing: nil)
  }

  @usableFromInline static func lengthSmallerThanItself(announced: UInt64, width: Int) -> FramingError {
    FramingError(code: .lengthSmallerThanItself, announced: announced, permitted: width, missing: nil)
  }

  static func truncated(missing: Int) -> FramingError {
    FramingError(code: .truncated, announced: nil, permitted: nil, missing: missing)
  }

  public var description: String {
    switch (announced, permitted, missing) {
    case (let announced?, let permitted?, _) where code == .bodyTooLarge:
      "A frame of \(announced) bytes is larger than the \(permitted) bytes that the format permits; "
        + "check that both sides use the same format, or raise its maximum"
    case (let announced?, let permitted?, _):
      "A frame length of \(announced) is smaller than the \(permitted) bytes of the length itself, which it should count; "
        + "check that both sides use the same format"
    case (_, _, let missing?):
      "The bytes ended inside a frame, \(missing) bytes before its end; the sender stopped too early"
    case (_, _, nil):
      code.description
    }
  }
}
