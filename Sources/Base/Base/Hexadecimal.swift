extension UnsignedInteger where Self: FixedWidthInteger {
  /// All hexadecimal digits that the type has, in lower case: two for a byte.
  @inlinable package var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: Self.bitWidth / 4 - digits.utf8.count) + digits
  }
}
