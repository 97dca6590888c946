import _BonjourishBase

/// A file that a site serves from memory.
public struct WebFile: Hashable, Sendable {
  /// The type of the content, such as `text/html; charset=utf-8`.
  public let contentType: String

  /// The content.
  public let bytes: [UInt8]

  /// The tag that changes with the content (RFC 9110, section 8.8.3).
  package let tag: String

  /// Creates a file.
  ///
  /// - Parameters:
  ///   - contentType: The type of the content: visible ASCII and spaces.
  ///   - bytes: The content.
  public init(_ contentType: String, _ bytes: [UInt8]) {
    precondition(
      !contentType.isEmpty && contentType.utf8.allSatisfy { $0.isVisible || $0 == .space },
      "contentType must be visible ASCII")
    self.contentType = contentType
    self.bytes = bytes
    tag = "\"\(Base64.text(of: SHA1.digest(bytes)))\""
  }

  /// Creates a file from text, as UTF-8.
  public init(_ contentType: String, _ text: String) {
    self.init(contentType, Array(text.utf8))
  }
}
