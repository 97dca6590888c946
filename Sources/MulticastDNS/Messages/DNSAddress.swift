/// The address of a host, IPv4 or IPv6.
package enum DNSAddress: Hashable, Sendable {
  case ipv4(UInt32)
  case ipv6(high: UInt64, low: UInt64)

  package enum Family: UInt8, Hashable, Sendable, CaseIterable {
    case ipv4
    case ipv6
  }

  /// Takes an address from its 4 or 16 bytes in network order; nil for any other count.
  package init?(bytes: some Collection<UInt8>) {
    switch bytes.count {
    case 4:
      self = .ipv4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    case 16:
      let high = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let low = bytes.dropFirst(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      self = .ipv6(high: high, low: low)
    default:
      return nil
    }
  }

  package var family: Family {
    switch self {
    case .ipv4: .ipv4
    case .ipv6: .ipv6
    }
  }

  /// The address in network order.
  package var bytes: [UInt8] {
    switch self {
    case .ipv4(let word):
      (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) }
    case .ipv6(let high, let low):
      [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
    }
  }

  /// Whether both lie in one subnet: the first `length` bits are the same (RFC 6762 §11).
  package func shares(_ length: Int, bitsWith other: DNSAddress) -> Bool {
    switch (self, other) {
    case (.ipv4(let one), .ipv4(let two)):
      return Self.leading(length, of: UInt64(one ^ two) << 32) == 0
    case (.ipv6(let high, let low), .ipv6(let otherHigh, let otherLow)):
      return Self.leading(length, of: high ^ otherHigh) == 0 && Self.leading(length - 64, of: low ^ otherLow) == 0
    case (.ipv4, .ipv6), (.ipv6, .ipv4):
      return false
    }
  }

  private static func leading(_ count: Int, of word: UInt64) -> UInt64 {
    count <= 0 ? 0 : word >> UInt64(64 - min(count, 64))
  }
}
