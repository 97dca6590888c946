import FramedCoding
import FramedJSON
package import FuzzCases

/// JSON as a message: it is decoded or refused with a place, and what was decoded is encoded as what is decoded as the same.
///
/// The first byte chooses the type of the message; the rest is the body.
package enum JSONCase {
  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    guard let first = bytes.first else { return }
    let body = Array(bytes.dropFirst())
    if first & 1 == 0 {
      try run(JSONCodec<JSONValue>(maximumDepth: 32), body)
    } else {
      try run(JSONCodec<Form>(), body)
    }
  }

  private static func run<Message: Codable & Equatable & Sendable>(
    _ codec: JSONCodec<Message>, _ body: [UInt8]
  ) throws(Violation) {
    let message: Message
    do throws(MessageError) {
      message = try codec.decode(body)
    } catch {
      return try Violation.unless((0...body.count).contains(error.offset ?? 0), "\(error), of \(body.count) bytes")
    }
    do throws(MessageError) {
      let written = try codec.encode(message)
      let again = try codec.decode(written)
      guard again == message else { throw MessageError(.malformed, expected: "\(message), not \(again)") }
      guard try codec.encode(again) == written else { throw MessageError(.malformed, expected: "one way to write") }
    } catch {
      throw Violation("what was read is written as something else: \(error)")
    }
  }
}

/// A message with fields of all kinds.
private struct Form: Codable, Equatable, Sendable {
  enum Choice: Codable, Equatable, Sendable {
    case nothing
    case name(String)
    indirect case both(first: Choice, second: [Choice])
  }

  var small: Int8?
  var large: UInt64?
  var float: Float?
  var double: Double?
  var flag: Bool?
  var text: String?
  var names: [String: Int]?
  var choice: Choice?
  var forms: [Form]?
}

/// Anything that JSON has.
private indirect enum JSONValue: Codable, Equatable, Sendable {
  case null
  case flag(Bool)
  case number(Double)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      self = .null
    } else if let flag = try? single.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? single.decode(Double.self) {
      self = .number(number)
    } else if let text = try? single.decode(String.self) {
      self = .text(text)
    } else if var list = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !list.isAtEnd { elements.append(try list.decode(JSONValue.self)) }
      self = .list(elements)
    } else {
      self = .object(try single.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var single = encoder.singleValueContainer()
    switch self {
    case .null: try single.encodeNil()
    case .flag(let flag): try single.encode(flag)
    case .number(let number): try single.encode(number)
    case .text(let text): try single.encode(text)
    case .list(let list): try single.encode(list)
    case .object(let object): try single.encode(object)
    }
  }
}
