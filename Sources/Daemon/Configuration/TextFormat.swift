/// How the value of a TXT string is written in a service file; a key and the equals sign are always plain.
enum TextFormat: String {
  case text
  case hexadecimal = "binary-hex"
  case base64 = "binary-base64"

  /// The longest TXT string, in bytes (RFC 1035 section 3.3).
  private static let longest = 255

  /// The bytes of a TXT string.
  func bytes(of text: [UInt8]) throws(ServiceFileReader.Problem) -> [UInt8] {
    var bytes = text
    if self != .text, let equals = text.firstIndex(of: UInt8(ascii: "=")) {
      let value = text[(equals + 1)...]
      guard let decoded = self == .hexadecimal ? Self.fromHexadecimal(value) : Self.fromBase64(value) else {
        throw ServiceFileReader.Problem(
          self == .hexadecimal
            ? "a value with value-format=\"binary-hex\" is pairs of hexadecimal digits"
            : "a value with value-format=\"binary-base64\" is groups of four of A-Z, a-z, 0-9, + and /, the last one filled with ="
        )
      }
      bytes = text[...equals] + decoded
    }
    guard bytes.count <= Self.longest else {
      throw ServiceFileReader.Problem("a TXT string has \(bytes.count) bytes, and may have \(Self.longest)")
    }
    return bytes
  }

  private static func fromHexadecimal(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
    guard values.count == digits.count else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  private static func fromBase64(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 4) else { return nil }
    let padding = digits.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    for (index, digit) in digits.dropLast(padding).enumerated() {
      guard let value = value(ofBase64: digit) else { return nil }
      bits = bits << 6 | UInt32(value)
      if index % 4 > 0 { bytes.append(UInt8(truncatingIfNeeded: bits >> (6 - 2 * UInt32(index % 4)))) }
    }
    return bytes
  }

  private static func value(ofBase64 digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
