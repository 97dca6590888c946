import _BonjourishBase

extension StringProtocol {
  /// The text for a terminal that shows ASCII only: each other character as `\u` and four hexadecimal digits, of which characters beyond
  /// the first 65,536 have two groups. Within strings of JSON this means the same.
  public var escapedForASCII: String {
    guard !utf8.allSatisfy({ $0 < 0x80 }) else { return String(self) }
    return utf16.reduce(into: "") { result, unit in
      if let scalar = Unicode.Scalar(unit), scalar.isASCII {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u\(unit.hexadecimal)"
      }
    }
  }
}
