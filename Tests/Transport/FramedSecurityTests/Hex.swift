@testable import FramedSecurity

/// The bytes of hexadecimal digits; spaces and line ends do not count.
func hex(_ text: String) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }
  return stride(from: 0, to: digits.count, by: 2).map { place in
    let start = digits.index(digits.startIndex, offsetBy: place)
    return UInt8(digits[start...].prefix(2), radix: 16)!
  }
}

extension SecretBytes {
  convenience init(hex text: String) { self.init(hex(text)) }
}
