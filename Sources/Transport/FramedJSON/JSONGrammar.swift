import FramedCoding

/// Checks that bytes are one JSON text (RFC 8259), without decoding them.
///
/// So the decoder never sees invalid JSON, nor more levels of nesting than the stack has room for.
struct JSONGrammar: ~Copyable {
  private let bytes: [UInt8]
  private var position = 0
  private let maximumDepth: Int

  private init(_ bytes: [UInt8], maximumDepth: Int) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
  }

  /// - Throws: `invalidUTF8`, `malformed`, `truncated` or `tooDeep`, each with the position.
  static func check(_ bytes: [UInt8], maximumDepth: Int) throws(MessageError) {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw MessageError(.invalidUTF8, at: error.byteOffsets.lowerBound, expected: "UTF-8")
    }
    var grammar = JSONGrammar(bytes, maximumDepth: maximumDepth)
    try grammar.checkValue(depth: 0)
    grammar.skipSpace()
    guard grammar.position == bytes.count else { throw grammar.error("the end of the message") }
  }

  private func error(_ expected: String) -> MessageError {
    MessageError(position < bytes.count ? .malformed : .truncated, at: position, expected: expected)
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let next, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
  }

  private mutating func checkValue(depth: Int) throws(MessageError) {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): try checkObject(depth: try deeper(depth))
    case UInt8(ascii: "["): try checkArray(depth: try deeper(depth))
    case UInt8(ascii: "\""): try checkString()
    case UInt8(ascii: "t"): try check("true")
    case UInt8(ascii: "f"): try check("false")
    case UInt8(ascii: "n"): try check("null")
    case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): try checkNumber()
    default: throw error("a JSON value")
    }
  }

  private func deeper(_ depth: Int) throws(MessageError) -> Int {
    guard depth < maximumDepth else {
      throw MessageError(.tooDeep, at: position, expected: "arrays and objects nested at most \(maximumDepth) deep")
    }
    return depth + 1
  }

  private mutating func checkObject(depth: Int) throws(MessageError) {
    position += 1
    skipSpace()
    if skip(UInt8(ascii: "}")) { return }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw error("the name of a field") }
      try checkString()
      skipSpace()
      guard skip(UInt8(ascii: ":")) else { throw error("a colon") }
      try checkValue(depth: depth)
      skipSpace()
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "}")) else { throw error("a comma or the end of an object") }
  }

  private mutating func checkArray(depth: Int) throws(MessageError) {
    position += 1
    skipSpace()
    if skip(UInt8(ascii: "]")) { return }
    repeat {
      try checkValue(depth: depth)
      skipSpace()
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "]")) else { throw error("a comma or the end of an array") }
  }

  private mutating func check(_ word: StaticString) throws(MessageError) {
    let start = position
    for scalar in "\(word)".utf8 where !skip(scalar) {
      position = min(start, bytes.count)
      throw error("\(word)")
    }
  }

  private mutating func checkNumber() throws(MessageError) {
    _ = skip(UInt8(ascii: "-"))
    if !skip(UInt8(ascii: "0")) { try checkDigits() }
    if skip(UInt8(ascii: ".")) { try checkDigits() }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      try checkDigits()
    }
  }

  private mutating func checkDigits() throws(MessageError) {
    let start = position
    while let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { position += 1 }
    guard position > start else { throw error("a digit") }
  }

  private mutating func checkString() throws(MessageError) {
    position += 1
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"):
        position += 1
        try checkEscape()
      case 0..<0x20:
        throw error("no control character in a string")
      default:
        position += 1
      }
    }
    throw error("the end of a string")
  }

  /// Checks the characters after a backslash. Half of a surrogate pair alone is not a character.
  private mutating func checkEscape() throws(MessageError) {
    switch next {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      let start = position
      let unit = try takeUnit()
      if UTF16.isLeadSurrogate(unit), skip(UInt8(ascii: "\\")), next == UInt8(ascii: "u"),
        UTF16.isTrailSurrogate(try takeUnit())
      {
        return
      }
      guard !UTF16.isSurrogate(unit) else {
        position = start
        throw error("a whole surrogate pair")
      }
    default:
      throw error("an escape that JSON has")
    }
  }

  private mutating func takeUnit() throws(MessageError) -> UInt16 {
    position += 1
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap({ Character(UnicodeScalar($0)).hexDigitValue }) else { throw error("a hexadecimal digit") }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
