import FramedCoding

/// The reason why a request was not answered: a code for programs and a sentence for people.
///
/// A handler of requests throws it, and the requesting peer receives it as ``MessagingError/remote``.
public struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A code for programs. Apps can add their own codes.
  public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text of the code, which may come from the network.
    public let rawValue: String

    /// Creates a code from its text.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Creates a code from a string literal.
    public init(stringLiteral value: String) {
      rawValue = value
    }

    /// The code, escaped for display.
    public var description: String { rawValue.escapedForDisplay }

    /// The handler failed with an error that is not sent to the peer.
    public static let failed: Code = "failed"
    /// The peer already answers as many requests as its limits permit.
    public static let busy: Code = "busy"
    /// The peer cannot decode the request.
    public static let unreadable: Code = "unreadable"
    /// The peer answers no requests.
    public static let unsupported: Code = "unsupported"
    /// The requesting side has cancelled the request.
    public static let cancelled: Code = "cancelled"
  }

  /// The reason for programs, at most 64 bytes.
  public let code: Code

  /// The reason for people, at most 1,000 bytes.
  ///
  /// It may come from the network and is not escaped for display; `description` is.
  public let text: String

  /// Creates an error. A code or text that is too long is cut off.
  public init(_ code: Code, _ text: String) {
    self.code = Code(rawValue: code.rawValue.cut(to: Self.longestCode))
    self.text = text.cut(to: Self.longestText)
  }

  /// The error of a side that answers no requests.
  public static let unsupported = RemoteError(.unsupported, "This side answers no requests")

  /// The text and the code, which may come from the network.
  var message: String { "\(text) (\(code.rawValue))" }

  /// The text and the code, escaped for display.
  public var description: String { message.escapedForDisplay }

  private static let longestCode = 64
  private static let longestText = 1000
}

extension RemoteError {
  init(from reader: inout MessageReader) throws(MessageError) {
    code = Code(rawValue: try reader.readString(upTo: Self.longestCode))
    text = try reader.readString(upTo: Self.longestText)
  }

  /// - Parameter limit: The most bytes in `writer` afterwards; the text is cut to fit.
  func write(to writer: inout MessageWriter, upTo limit: Int) {
    do throws(MessageError) {
      try writer.writeString(code.rawValue)
      try writer.writeString(text.cut(to: limit - writer.bytes.count - 4))
    } catch {
      preconditionFailure("code and text are short enough to be encoded: \(error)")
    }
  }
}

extension String {
  /// The longest prefix of whole scalars that fits into the given number of bytes.
  fileprivate func cut(to byteCount: Int) -> String {
    guard utf8.count > byteCount else { return self }
    var end = utf8.index(startIndex, offsetBy: byteCount)
    // Back to the start of a scalar.
    while utf8[end] & 0xC0 == 0x80 { utf8.formIndex(before: &end) }
    return String(self[..<end])
  }
}
