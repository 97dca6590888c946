/// Reads one JSON text (RFC 8259) strictly, or only checks it. Everything about it is bounded, because it may come from anybody.
package struct JSONReader: ~Copyable {
  /// A text that is no JSON, or is larger than permitted.
  package struct Flaw: Error, Hashable {
    package let position: Int
    package let expected: String
    /// Whether there are too many levels.
    package var isTooDeep = false
  }

  /// The bounds of a text.
  package struct Limits: Sendable {
    package var byteCount: Int
    package var depth: Int
    package var values: Int

    package init(byteCount: Int = 16_384, depth: Int = 8, values: Int = 1_024) {
      self.byteCount = byteCount
      self.depth = depth
      self.values = values
    }
  }

  private let bytes: [UInt8]
  private var position = 0
  private var valuesLeft: Int
  private let maximumDepth: Int
  /// Whether values are made of what is read.
  private let makesValues: Bool

  private init(_ bytes: [UInt8], _ limits: Limits, makesValues: Bool) {
    self.bytes = bytes
    valuesLeft = limits.values
    maximumDepth = limits.depth
    self.makesValues = makesValues
  }

  /// Reads the only value of a text.
  ///
  /// - Throws: ``Flaw`` when it is not one JSON value in UTF-8, exceeds a limit, or names a field twice.
  package static func read(_ bytes: [UInt8], _ limits: Limits = Limits()) throws(Flaw) -> JSONValue {
    guard bytes.count <= limits.byteCount else {
      throw Flaw(position: limits.byteCount, expected: "at most \(limits.byteCount) bytes")
    }
    var reader = JSONReader(bytes, limits, makesValues: true)
    return try reader.whole()
  }

  /// Checks that a text in valid UTF-8 is one JSON value, without keeping anything of it. It may name a field twice.
  ///
  /// - Throws: ``Flaw`` when it is not, or has more levels than permitted.
  package static func check(_ bytes: [UInt8], maximumDepth: Int) throws(Flaw) {
    var reader = JSONReader(bytes, Limits(depth: maximumDepth, values: .max), makesValues: false)
    _ = try reader.whole()
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

  private mutating func whole() throws(Flaw) -> JSONValue {
    let value = try value(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw flaw("the end of the text") }
    return value
  }

  private mutating func value(depth: Int) throws(Flaw) -> JSONValue {
    skipSpace()
    guard valuesLeft > 0 else { throw flaw("fewer values") }
    valuesLeft -= 1
    switch next {
    case UInt8(ascii: "{"): return try object(depth: try deeper(depth))
    case UInt8(ascii: "["): return try array(depth: try deeper(depth))
    case UInt8(ascii: "\""):
      let text = try string()
      return makesValues ? .string(text) : .null
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return try number()
    default: throw flaw("a JSON value")
    }
  }

  private func deeper(_ depth: Int) throws(Flaw) -> Int {
    guard depth < maximumDepth else {
      throw Flaw(position: position, expected: "at most \(maximumDepth) levels", isTooDeep: true)
    }
    return depth + 1
  }

  private mutating func object(depth: Int) throws(Flaw) -> JSONValue {
    position += 1
    var fields: [String: JSONValue] = [:]
    skipSpace()
    if !skip(UInt8(ascii: "}")) {
      repeat {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { throw flaw("the name of a field") }
        let name = try string()
        skipSpace()
        guard skip(UInt8(ascii: ":")) else { throw flaw("a colon") }
        let value = try value(depth: depth)
        if makesValues, fields.updateValue(value, forKey: name) != nil { throw flaw("a name only once") }
        skipSpace()
      } while skip(UInt8(ascii: ","))
      guard skip(UInt8(ascii: "}")) else { throw flaw("a comma or the end of an object") }
    }
    return makesValues ? .object(fields) : .null
  }

  private mutating func array(depth: Int) throws(Flaw) -> JSONValue {
    position += 1
    var elements: [JSONValue] = []
    skipSpace()
    if !skip(UInt8(ascii: "]")) {
      repeat {
        let element = try value(depth: depth)
        if makesValues { elements.append(element) }
        skipSpace()
      } while skip(UInt8(ascii: ","))
      guard skip(UInt8(ascii: "]")) else { throw flaw("a comma or the end of an array") }
    }
    return makesValues ? .array(elements) : .null
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Flaw) -> JSONValue {
    let start = position
    for byte in word.description.utf8 where !skip(byte) {
      position = start
      throw flaw("\(word)")
    }
    return makesValues ? value : .null
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
    guard makesValues else { return .null }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, let number = Int64(text) { return .integer(number) }
    return .otherNumber(Double(text) ?? .infinity)
  }

  private mutating func skipDigits() throws(Flaw) {
    let start = position
    while let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { position += 1 }
    guard position > start else { throw flaw("a digit") }
  }

  // MARK: - Strings

  private mutating func string() throws(Flaw) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard makesValues else { return "" }
        guard let text = String(validating: text, as: UTF8.self) else { throw flaw("UTF-8") }
        return text
      case UInt8(ascii: "\\"):
        let character = try escape()
        if makesValues { text += Array(String(Character(character)).utf8) }
      case 0..<0x20:
        throw flaw("no control character in a string")
      default:
        position += 1
        if makesValues { text.append(byte) }
      }
    }
    throw flaw("the end of a string")
  }

  /// Reads a backslash and what follows it. Half of a surrogate pair alone is no character.
  private mutating func escape() throws(Flaw) -> Unicode.Scalar {
    position += 1
    let start = position
    guard let byte = next else { throw flaw("an escape that JSON has") }
    if byte == UInt8(ascii: "u") {
      let lead = try unit()
      if let scalar = Unicode.Scalar(UInt32(lead)) { return scalar }
      if UTF16.isLeadSurrogate(lead), skip(UInt8(ascii: "\\")), next == UInt8(ascii: "u"), case let trail = try unit(),
        UTF16.isTrailSurrogate(trail),
        let scalar = Unicode.Scalar(0x10000 + (UInt32(lead & 0x3FF) << 10 | UInt32(trail & 0x3FF)))
      {
        return scalar
      }
      position = start
      throw flaw("a whole surrogate pair")
    }
    let scalar: Unicode.Scalar
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scalar = Unicode.Scalar(byte)
    case UInt8(ascii: "b"): scalar = "\u{08}"
    case UInt8(ascii: "f"): scalar = "\u{0C}"
    case UInt8(ascii: "n"): scalar = "\n"
    case UInt8(ascii: "r"): scalar = "\r"
    case UInt8(ascii: "t"): scalar = "\t"
    default: throw flaw("an escape that JSON has")
    }
    position += 1
    return scalar
  }

  private mutating func unit() throws(Flaw) -> UInt16 {
    position += 1
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap({ Character(UnicodeScalar($0)).hexDigitValue }) else { throw flaw("a hexadecimal digit") }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
