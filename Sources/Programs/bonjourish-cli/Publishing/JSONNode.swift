import FoundationEssentials

/// A value of a JSON file that knows its place in it, for messages such as "services[1].port must be a whole number".
struct JSONNode {
  /// A value of JSON (RFC 8259).
  indirect enum Value: Decodable {
    case object([String: Value])
    case array([Value])
    case text(String)
    case number(Double)
    case truth(Bool)
    case null

    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }

      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      if let fields = try? decoder.container(keyedBy: Key.self) {
        let pairs = try fields.allKeys.map { ($0.stringValue, try fields.decode(Value.self, forKey: $0)) }
        self = .object(Dictionary(pairs) { first, _ in first })
      } else if var elements = try? decoder.unkeyedContainer() {
        var values: [Value] = []
        while !elements.isAtEnd { values.append(try elements.decode(Value.self)) }
        self = .array(values)
      } else {
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
          self = .null
        } else if let truth = try? single.decode(Bool.self) {
          self = .truth(truth)
        } else if let text = try? single.decode(String.self) {
          self = .text(text)
        } else {
          self = .number(try single.decode(Double.self))
        }
      }
    }

    var kind: String {
      switch self {
      case .object: "an object"
      case .array: "an array"
      case .text(let text): "\"\(text)\""
      case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
      case .truth(let truth): "\(truth)"
      case .null: "null"
      }
    }
  }

  let value: Value
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
    guard case .text(let text) = value else { throw invalid("must be a text, not \(value.kind)") }
    return text
  }

  func truth() throws(ServiceFileError) -> Bool {
    guard case .truth(let truth) = value else { throw invalid("must be true or false, not \(value.kind)") }
    return truth
  }

  func number(in range: ClosedRange<Int>) throws(ServiceFileError) -> Int {
    guard case .number(let number) = value, let whole = Int(exactly: number), range.contains(whole) else {
      throw invalid("must be a whole number from \(range.lowerBound) to \(range.upperBound), not \(value.kind)")
    }
    return whole
  }

  /// Bytes: a text, which stands for its UTF-8, or `{"base64": "…"}`.
  func bytes() throws(ServiceFileError) -> [UInt8] {
    if case .text(let text) = value { return Array(text.utf8) }
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
