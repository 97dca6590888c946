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
  package var text: String { Self.digits(high) + Self.digits(low) }

  /// - Parameter text: 32 hexadecimal digits.
  /// - Returns: Nil for any other text.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 32, let high = Self.number(bytes[..<16]), let low = Self.number(bytes[16...]) else { return nil }
    self.init(high: high, low: low)
  }

  /// The number in network order.
  package var bytes: [UInt8] {
    [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
  }

  private static func digits(_ half: UInt64) -> String {
    let text = String(half, radix: 16)
    return String(repeating: "0", count: 16 - text.utf8.count) + text
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return number
  }
}
