/// DNS ignores the case of ASCII letters only (RFC 4343).
extension UInt8 {
  var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var isASCIIControl: Bool { self < 0x20 || self == 0x7F }
}

extension String {
  /// Returns the string with A–Z in lower case and all other characters unchanged.
  package func asciiLowercased() -> String {
    let upper = UInt8(ascii: "A")...UInt8(ascii: "Z")
    guard utf8.contains(where: { upper.contains($0) }) else { return self }
    return String(decoding: utf8.map { upper.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Whether both have the same bytes. To `==`, é as one code point is the same as é as two.
  func hasSameBytes(as other: String) -> Bool {
    let (one, other) = (utf8.span, other.utf8.span)
    guard one.count == other.count else { return false }
    for index in one.indices where one[index] != other[index] { return false }
    return true
  }
}
