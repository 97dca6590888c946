import Framing

/// Why a peer does not answer a request: a code for programs and a sentence for people.
///
/// A handler of requests throws it, and the peer that asked gets it as ``MessagingError/remote``.
public struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A reason as programs know it; apps add codes of their own.
  public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
      rawValue = value
    }

    public var description: String { rawValue }

    /// The handler failed with an error that is not meant for others.
    public static let failed: Code = "failed"
    /// As many requests are being answered as the peer answers at once.
    public static let busy: Code = "busy"
    /// The request is none that the peer can read.
    public static let unreadable: Code = "unreadable"
    /// The peer answers no requests.
    public static let unsupported: Code = "unsupported"
    /// Whoever asked has taken the request back.
    public static let cancelled: Code = "cancelled"
  }

  /// The reason as programs know it, of at most 64 bytes.
  public let code: Code

  /// The reason as people read it, of at most 1,000 bytes.
  ///
  /// It may come from the network: make control characters visible before printing it.
  public let text: String

  /// A reason; what is too long is cut off.
  public init(_ code: Code, _ text: String) {
    self.code = Code(rawValue: code.rawValue.cut(to: Self.longestCode))
    self.text = text.cut(to: Self.longestText)
  }

  /// What a side says that answers no requests.
  public static let unsupported = RemoteError(.unsupported, "This side answers no requests")

  public var description: String { "\(text) (\(code))" }

  private static let longestCode = 64
  private static let longestText = 1000
}

extension RemoteError {
  init(from reader: inout MessageReader) throws(MessageError) {
    code = Code(rawValue: try reader.readString(upTo: Self.longestCode))
    text = try reader.readString(upTo: Self.longestText)
  }

  /// - Parameter limit: How many bytes there may be in `writer` then; the text is cut to that.
  func write(to writer: inout MessageWriter, upTo limit: Int) {
    do throws(MessageError) {
      try writer.writeString(code.rawValue)
      try writer.writeString(text.cut(to: limit - writer.bytes.count - 4))
    } catch {
      preconditionFailure("only strings of 2 GiB cannot be written: \(error)")
    }
  }
}

extension MessageReader {
  fileprivate mutating func readString(upTo byteCount: Int) throws(MessageError) -> String {
    let start = offset
    let string = try readString()
    guard string.utf8.count <= byteCount else {
      throw MessageError(.tooLarge, at: start, expected: "a string of at most \(byteCount) bytes")
    }
    return string
  }
}

extension String {
  /// As many whole scalars of the string as have room in so many bytes.
  fileprivate func cut(to byteCount: Int) -> String {
    guard utf8.count > byteCount else { return self }
    var end = utf8.index(startIndex, offsetBy: byteCount)
    // Back to the beginning of a scalar.
    while utf8[end] & 0xC0 == 0x80 { utf8.formIndex(before: &end) }
    return String(self[..<end])
  }
}
