import _BonjourishBase

/// Owners and numbers of relays as text: always 16 hexadecimal digits, in lower case.
extension UInt64 {
  package var digits: String { hexadecimal }

  /// - Returns: Nil for any other text.
  package init?(digits text: some StringProtocol) {
    guard text.utf8.count == 16, text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else { return nil }
    self.init(text, radix: 16)
  }
}
