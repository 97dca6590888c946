/// Reads a small JSON text. Everything about it is bounded, because it may come from anybody.
package struct JSONReader {
  /// A text that is no JSON, or is larger than permitted.
  package struct Flaw: Error, Hashable {
    package let position: Int
    package let expected: String
  }

  /// The bounds of a text.
  package struct Limits: Sendable {
    package var byteCount = 16_384
    package var depth = 8
    package var values = 1_024

    package init() {}
  }

  private let bytes: [UInt8]
  private var position = 0
  private var valuesLeft: Int
  private let maximumDepth: Int

  private init(_ bytes: [UInt8], _ limits: Limits) {
    self.bytes = bytes
    valuesLeft = limits.values
    maximumDepth = limits.depth
  }

  /// Reads the only value of a text.
  ///
  /// - Throws: ``Flaw`` when it is not one JSON value in UTF-8, exceeds a limit, or names a field twice.
  package static func read(_ bytes: [UInt8], _ limits: Limits = Limits()) throws(Flaw) -> JSONValue {
    guard bytes.count <= limits.byteCount else {
      throw Flaw(position: limits.byteCount, expected: "at most \(limits.byteCount) bytes")
    }
    var reader = JSONReader(bytes, limits)
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.position == bytes.count else { throw reader.flaw("the end of the text") }
    return value
  }

  private func flaw(_ expected: String) -> Flaw { Flaw(position: position, expected: expected) }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let next, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
  }

  private mutating func value(depth: Int) throws(Flaw) -> JSONValue {
    skipSpace()
    guard valuesLeft > 0 else { throw flaw("fewer values") }
    valuesLeft -= 1
    switch next {
    case UInt8(ascii: "{"): return .object(try object(depth: try deeper(depth)))
    case UInt8(ascii: "["): return .array(try array(depth: try deeper(depth)))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return try number()
    default: throw flaw("a JSON value")
    }
  }

  private func deeper(_ depth: Int) throws(Flaw) -> Int {
    guard depth < maximumDepth else { throw flaw("at most \(maximumDepth) levels") }
    return depth + 1
  }

  private mutating func object(depth: Int) throws(Flaw) -> [String: JSONValue] {
    position += 1
    var fields: [String: JSONValue] = [:]
    skipSpace()
    if skip(UInt8(ascii: "}")) { return fields }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw flaw("the name of a field") }
      let name = try string()
      skipSpace()
      guard skip(UInt8(ascii: ":")) else { throw flaw("a colon") }
      let value = try value(depth: depth)
      guard fields.updateValue(value, forKey: name) == nil else { throw flaw("a name only once") }
      skipSpace()
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "}")) else { throw flaw("a comma or the end of an object") }
    return fields
  }

  private mutating func array(depth: Int) throws(Flaw) -> [JSONValue] {
    position += 1
    var elements: [JSONValue] = []
    skipSpace()
    if skip(UInt8(ascii: "]")) { return elements }
    repeat {
      elements.append(try value(depth: depth))
      skipSpace()
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "]")) else { throw flaw("a comma or the end of an array") }
    return elements
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Flaw) -> JSONValue {
    for byte in word.description.utf8 where !skip(byte) { throw flaw("\(word)") }
    return value
  }

  private mutating func number() throws(Flaw) -> JSONValue {
    let start = position
    _ = skip(UInt8(ascii: "-"))
    if !skip(UInt8(ascii: "0")) { try skipDigits() }
    var isInteger = true
    if skip(UInt8(ascii: ".")) {
      isInteger = false
      try skipDigits()
    }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      isInteger = false
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      try skipDigits()
    }
    guard isInteger, let number = Int64(String(decoding: bytes[start..<position], as: UTF8.self)) else { return .otherNumber }
    return .integer(number)
  }

  private mutating func skipDigits() throws(Flaw) {
    let start = position
    while let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { position += 1 }
    guard position > start else { throw flaw("a digit") }
  }
}

extension JSONReader {
  private mutating func string() throws(Flaw) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: text, as: UTF8.self) else { throw flaw("UTF-8") }
        return text
      case UInt8(ascii: "\\"): try escape(to: &text)
      case 0..<0x20: throw flaw("no control character in a string")
      default: text.append(byte)
      }
    }
    throw flaw("the end of a string")
  }

  private mutating func escape(to text: inout [UInt8]) throws(Flaw) {
    guard let byte = next else { throw flaw("an escape") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text += Array(String(Character(try scalar())).utf8)
    default: throw flaw("an escape that JSON has")
    }
  }

  /// Reads what follows `\u`. Half of a surrogate pair alone is no character.
  private mutating func scalar() throws(Flaw) -> Unicode.Scalar {
    let unit = try unit()
    if let scalar = Unicode.Scalar(UInt32(unit)) { return scalar }
    guard UTF16.isLeadSurrogate(unit), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else { throw flaw("a surrogate pair") }
    let trail = try self.unit()
    guard UTF16.isTrailSurrogate(trail),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(trail & 0x3FF)))
    else { throw flaw("a surrogate pair") }
    return scalar
  }

  private mutating func unit() throws(Flaw) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap({ Character(UnicodeScalar($0)).hexDigitValue }) else { throw flaw("a hexadecimal digit") }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
