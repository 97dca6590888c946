/// DNS ignores the case of ASCII letters only (RFC 4343).
extension UInt8 {
  var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var isASCIIControl: Bool { self < 0x20 || self == 0x7F }
}

extension String {
  /// Returns the string with A–Z in lower case and all other characters unchanged.
  package func asciiLowercased() -> String {
    guard utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else { return self }
    return String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value | 0x20)) : scalar
        }))
  }
}
