import FoundationEssentials
public import Framing

/// Encodes messages as JSON (RFC 8259); a body is one JSON text in UTF-8.
///
/// The same message always gives the same bytes: the keys of an object are in order. Bytes from the network are checked before
/// anything is made of them: that they are UTF-8, that they are JSON, to the letter of the standard, and that arrays and objects
/// are not nested deeper than permitted. A field that a message does not know is ignored, so that later versions can add some.
public struct JSONCodec<Message: Codable & Sendable>: MessageCodec {
  /// How deep arrays and objects may be nested.
  public let maximumDepth: Int

  private let encoder: JSONEncoder
  private let decoder = JSONDecoder()

  /// A codec.
  ///
  /// - Parameters:
  ///   - type: The type of the messages.
  ///   - maximumDepth: How deep arrays and objects may be nested: 1 to 256. Types that contain themselves use the stack for each
  ///     level.
  public init(_ type: Message.Type = Message.self, maximumDepth: Int = 64) {
    precondition((1...256).contains(maximumDepth), "JSON can be nested 1 to 256 deep, not \(maximumDepth)")
    self.maximumDepth = maximumDepth
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// Appends the JSON text of a message.
  ///
  /// - Throws: `invalidValue` for a number that is not finite, or whatever else the message cannot encode. Nothing has been
  ///   appended then.
  public func encode(_ message: Message, into body: inout [UInt8]) throws(MessageError) {
    do {
      body += try encoder.encode(message)
    } catch {
      throw MessageError(encoding: error)
    }
  }

  /// Makes a message of a JSON text.
  ///
  /// - Throws: `invalidUTF8`, `malformed` and `tooDeep` with the byte where it is wrong; `invalidValue` with the field that is
  ///   missing, or has a value that the message cannot have.
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
  /// Such as `players[3].name`; `nil` for the message itself.
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
  /// As much as is worth telling of what may come from others.
  fileprivate var start: String { count <= 200 ? self : "\(prefix(200))…" }
}
