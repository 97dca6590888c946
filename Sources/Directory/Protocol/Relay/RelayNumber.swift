/// A random number of 128 bits: the address of a program, or the identity of one connection.
///
/// Whoever knows the identity of a connection can write in it, so it is random, and only its two ends are told.
package struct RelayNumber: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package static let byteCount = 16

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A new number from the system's source of random numbers.
  package static func random() -> RelayNumber {
    RelayNumber(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
  }

  /// 32 hexadecimal digits in lower case.
  package var text: String { high.digits + low.digits }

  /// - Parameter text: 32 hexadecimal digits.
  /// - Returns: Nil for any other text.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == 32, let high = UInt64(digits: text.prefix(16)), let low = UInt64(digits: text.dropFirst(16)) else {
      return nil
    }
    self.init(high: high, low: low)
  }

  /// The number in network order.
  package var bytes: [UInt8] {
    [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
  }
}
