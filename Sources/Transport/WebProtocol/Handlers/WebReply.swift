/// What a handler answers.
///
/// ```swift
/// WebReply.text("fine\n")
/// WebReply.json(try JSONEncoder().encode(state))
/// WebReply.text("the database is away\n", status: 503)
/// ```
public struct WebReply: Hashable, Sendable {
  /// The status (RFC 9110, section 15): 200–299 or 400–599, without 204, 205 and 206.
  public let status: Int

  /// The type of the content, such as `application/json`.
  public let contentType: String

  /// The content. It is not sent in answers to HEAD.
  public let bytes: [UInt8]

  /// Creates an answer.
  ///
  /// - Parameters:
  ///   - contentType: The type of the content: visible ASCII and spaces.
  ///   - bytes: The content.
  ///   - status: The status: 200–299 or 400–599, without 204, 205 and 206, which have no content or a part of it.
  public init(_ contentType: String, _ bytes: [UInt8], status: Int = 200) {
    precondition(
      !contentType.isEmpty && contentType.utf8.allSatisfy { $0.isVisible || $0 == .space },
      "contentType must be visible ASCII")
    precondition(
      (200...299).contains(status) && !(204...206).contains(status) || (400...599).contains(status),
      "status must be 200–299 or 400–599, and neither 204, 205 nor 206")
    self.contentType = contentType
    self.bytes = bytes
    self.status = status
  }

  /// An answer in text, as UTF-8, for people and for collectors of metrics.
  public static func text(_ text: String, status: Int = 200) -> WebReply {
    WebReply("text/plain; charset=utf-8", Array(text.utf8), status: status)
  }

  /// An answer in JSON, which the caller has encoded, such as with `JSONEncoder`.
  public static func json(_ encoded: some Sequence<UInt8>, status: Int = 200) -> WebReply {
    WebReply("application/json", Array(encoded), status: status)
  }
}
