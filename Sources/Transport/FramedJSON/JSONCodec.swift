import FoundationEssentials
public import FramedCoding

/// A codec for messages in JSON (RFC 8259). A body is one JSON text in UTF-8.
///
/// The same message always gives the same bytes: the keys of an object are sorted. Bytes from the network are checked before they
/// are decoded: they must be valid UTF-8 and strictly valid JSON, and arrays and objects must not be nested deeper than
/// permitted. An unknown field is ignored, so that later versions can add fields.
public struct JSONCodec<Message: Codable & Sendable>: MessageCodec {
  /// The deepest permitted nesting of arrays and objects.
  public let maximumDepth: Int

  private let encoder: JSONEncoder
  private let decoder = JSONDecoder()

  /// Creates a codec.
  ///
  /// - Parameters:
  ///   - type: The type of the messages.
  ///   - maximumDepth: The deepest permitted nesting of arrays and objects, 1–256. Each level of a recursive type uses the stack.
  public init(_ type: Message.Type = Message.self, maximumDepth: Int = 64) {
    self.init(type, maximumDepth: maximumDepth, userInfo: [:])
  }

  /// Creates a codec of messages whose coding needs to know something, which they find in `userInfo` of the encoder and decoder.
  package init(_ type: Message.Type, maximumDepth: Int, userInfo: [CodingUserInfoKey: any Sendable]) {
    precondition((1...256).contains(maximumDepth), "maximumDepth must be 1 to 256, not \(maximumDepth)")
    self.maximumDepth = maximumDepth
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.userInfo = userInfo
    decoder.userInfo = userInfo
  }

  /// Appends the JSON text of a message.
  ///
  /// - Throws: `invalidValue` for a number that is not finite, or another value that cannot be encoded. Nothing has been appended
  ///   then.
  public func encode(_ message: Message, into body: inout [UInt8]) throws(MessageError) {
    do {
      body += try encoder.encode(message)
    } catch {
      throw MessageError(encoding: error)
    }
  }

  /// Decodes a message from a JSON text.
  ///
  /// - Throws: `invalidUTF8`, `malformed`, `truncated` and `tooDeep` with the position; `invalidValue` with the field that is
  ///   missing or has an invalid value.
  public func decode(_ body: [UInt8]) throws(MessageError) -> Message {
    try JSONGrammar.check(body, maximumDepth: maximumDepth)
    do {
      return try decoder.decode(Message.self, from: Data(body))
    } catch {
      throw MessageError(decoding: error)
    }
  }
}

extension MessageError {
  fileprivate init(encoding error: any Error) {
    switch error {
    case let error as MessageError:
      self = error
    case EncodingError.invalidValue(_, let context):
      self.init(.invalidValue, field: context.path, expected: "a value that JSON has: \(context.debugDescription.start)")
    default:
      self.init(.invalidValue, expected: "a value that can be written: \("\(error)".start)")
    }
  }

  fileprivate init(decoding error: any Error) {
    switch error {
    case let error as MessageError:
      self = error
    case DecodingError.keyNotFound(let key, let context):
      let path = (context.codingPath + [key]).path
      self.init(.invalidValue, field: path, expected: "a value, but there is none")
    case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
      self.init(.invalidValue, field: context.path, expected: "\(type): \(context.debugDescription.start)")
    case DecodingError.dataCorrupted(let context):
      self.init(.invalidValue, field: context.path, expected: "another value: \(context.debugDescription.start)")
    default:
      self.init(.invalidValue, expected: "another value: \("\(error)".start)")
    }
  }
}

extension DecodingError.Context {
  fileprivate var path: String? { codingPath.path }
}

extension EncodingError.Context {
  fileprivate var path: String? { codingPath.path }
}

extension [any CodingKey] {
  /// The path as text, such as `players[3].name`; `nil` for the message itself.
  fileprivate var path: String? {
    guard !isEmpty else { return nil }
    var path = ""
    for key in self {
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return path.start
  }
}

extension String {
  /// The first 200 characters: text from a peer may be long.
  fileprivate var start: String { count <= 200 ? self : "\(prefix(200))…" }
}
