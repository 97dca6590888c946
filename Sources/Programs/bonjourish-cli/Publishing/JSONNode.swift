import FoundationEssentials
import _BonjourishBase

/// A value of a JSON file that knows its place in it, for messages such as "services[1].port must be a whole number".
struct JSONNode {
  let value: JSONValue
  /// The place in the file; empty for the whole.
  let place: String

  func invalid(_ reason: String) -> ServiceFileError { ServiceFileError(place: place, reason: reason) }

  /// The fields of an object that has no others than those that are allowed.
  func fields(_ allowed: [String]) throws(ServiceFileError) -> [String: JSONNode] {
    guard case .object(let fields) = value else { throw invalid("must be an object, not \(value.kind)") }
    if let unknown = fields.keys.sorted().first(where: { !allowed.contains($0) }) {
      throw invalid("has the unknown key \"\(unknown)\"; the keys are \(allowed.joined(separator: ", "))")
    }
    var nodes: [String: JSONNode] = [:]
    for (key, value) in fields { nodes[key] = JSONNode(value: value, place: place.isEmpty ? key : "\(place).\(key)") }
    return nodes
  }

  func elements() throws(ServiceFileError) -> [JSONNode] {
    guard case .array(let values) = value else { throw invalid("must be an array, not \(value.kind)") }
    return values.enumerated().map { JSONNode(value: $1, place: "\(place)[\($0)]") }
  }

  func text() throws(ServiceFileError) -> String {
    guard case .string(let text) = value else { throw invalid("must be a text, not \(value.kind)") }
    return text
  }

  func truth() throws(ServiceFileError) -> Bool {
    guard case .bool(let truth) = value else { throw invalid("must be true or false, not \(value.kind)") }
    return truth
  }

  func number(in range: ClosedRange<Int>) throws(ServiceFileError) -> Int {
    guard let whole = value.whole, range.contains(whole) else {
      throw invalid("must be a whole number from \(range.lowerBound) to \(range.upperBound), not \(value.kind)")
    }
    return whole
  }

  /// Bytes: a text, which stands for its UTF-8, or `{"base64": "…"}`.
  func bytes() throws(ServiceFileError) -> [UInt8] {
    if case .string(let text) = value { return Array(text.utf8) }
    guard case .object = value else { throw invalid("must be a text or {\"base64\": ...}, not \(value.kind)") }
    guard let node = try fields(["base64"])["base64"] else { throw invalid("must be a text or {\"base64\": ...}, not {}") }
    return try node.base64()
  }

  func base64() throws(ServiceFileError) -> [UInt8] {
    let text = try text()
    guard let data = Data(base64Encoded: text) else { throw invalid("must be base64 with its padding, not \"\(text)\"") }
    return Array(data)
  }
}

extension JSONValue {
  /// What it is, as a message says it.
  fileprivate var kind: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string(let text): "\"\(text)\""
    case .integer(let number): "\(number)"
    case .otherNumber(let number): whole.map(String.init) ?? "\(number)"
    case .bool(let truth): "\(truth)"
    case .null: "null"
    }
  }

  /// A number without fraction, however it is written.
  fileprivate var whole: Int? {
    switch self {
    case .integer(let number): Int(number)
    case .otherNumber(let number): Int(exactly: number)
    default: nil
    }
  }
}

/// What is wrong with a file of services.
struct ServiceFileError: Error, Equatable {
  /// The place in the file, such as `services[1].port`; empty for the whole file.
  let place: String
  /// What is wrong there and what to do.
  let reason: String

  /// A sentence, with the path of the file.
  func message(about path: String) -> String {
    place.isEmpty ? "\(path): the file \(reason)" : "\(path): \(place) \(reason)"
  }
}
