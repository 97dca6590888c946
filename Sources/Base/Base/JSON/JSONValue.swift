/// A value of a small JSON text (RFC 8259), such as a record of the directory, an answer of JetStream or a context of NATS.
package indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number without fraction and exponent that fits.
  case integer(Int64)
  /// Any other number; it is never written.
  case otherNumber(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// The value of a field; nil when this is no object, or has no such field.
  package subscript(name: String) -> JSONValue? {
    if case .object(let fields) = self { fields[name] } else { nil }
  }

  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  package var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  package var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  package var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }
}

extension JSONValue {
  /// The text, as UTF-8 without spaces. The fields of an object are in the order of their names, so that equal values have equal texts.
  package var text: [UInt8] {
    var text: [UInt8] = []
    write(to: &text)
    return text
  }

  private func write(to text: inout [UInt8]) {
    switch self {
    case .null, .otherNumber: text += Array("null".utf8)
    case .bool(let value): text += Array(value ? "true".utf8 : "false".utf8)
    case .integer(let number): text += Array(String(number).utf8)
    case .string(let string): Self.write(string, to: &text)
    case .array(let elements):
      text.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        element.write(to: &text)
      }
      text.append(UInt8(ascii: "]"))
    case .object(let fields):
      text.append(UInt8(ascii: "{"))
      for (index, field) in fields.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        Self.write(field.key, to: &text)
        text.append(UInt8(ascii: ":"))
        field.value.write(to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ string: String, to text: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0..<0x20, 0x7F: text += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral text: String) { self = .string(text) }
  package init(integerLiteral number: Int64) { self = .integer(number) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral fields: (String, JSONValue)...) {
    self = .object(Dictionary(fields) { _, last in last })
  }
}
