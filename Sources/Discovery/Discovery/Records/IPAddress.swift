/// An IPv4 or IPv6 address. A link-local IPv6 address also has a zone: the interface it is valid on.
public struct IPAddress: Hashable, Sendable {
  /// The family of an address.
  public enum Family: UInt8, Hashable, Sendable, CaseIterable {
    /// IPv4, 4 bytes.
    case ipv4
    /// IPv6, 16 bytes.
    case ipv6
  }

  /// 17 bytes. Small because caches hold many addresses; the zone is indirect because few addresses have one.
  private enum Storage: Hashable, Sendable {
    case ipv4(UInt32)
    case ipv6(high: UInt64, low: UInt64)
    indirect case zoned(high: UInt64, low: UInt64, zone: String)

    init(high: UInt64, low: UInt64, zone: String?) {
      self = zone.map { .zoned(high: high, low: low, zone: $0) } ?? .ipv6(high: high, low: low)
    }
  }

  private let storage: Storage

  /// Makes an IPv4 address from a word: 127.0.0.1 is `0x7F00_0001`.
  package static func ipv4(_ word: UInt32) -> IPAddress {
    IPAddress(storage: .ipv4(word))
  }

  /// Makes an IPv6 address without a zone: `::1` is `high: 0, low: 1`.
  package static func ipv6(high: UInt64, low: UInt64) -> IPAddress {
    IPAddress(storage: .ipv6(high: high, low: low))
  }

  private init(storage: Storage) {
    self.storage = storage
  }

  /// Makes an address from its bytes.
  ///
  /// - Parameters:
  ///   - bytes: 4 or 16 bytes in network order.
  ///   - zone: The interface that an IPv6 address is valid on, as ``zone`` returns it.
  /// - Returns: `nil` for any other number of bytes, an IPv4 address with a zone, and a zone that ``init(_:)`` refuses.
  public init?(bytes: some Collection<UInt8>, zone: String? = nil) {
    guard zone.map(Self.isZone) ?? true else { return nil }
    switch bytes.count {
    case 4:
      guard zone == nil else { return nil }
      storage = .ipv4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    case 16:
      let high = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let low = bytes.dropFirst(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      storage = Storage(high: high, low: low, zone: zone)
    default:
      return nil
    }
  }

  /// Returns a link-local IPv6 address with the interface as its zone, and any other address unchanged.
  package func seen(on interface: NetworkInterface?) -> IPAddress {
    switch storage {
    case .ipv6(let high, let low) where isLinkLocal, .zoned(let high, let low, _) where isLinkLocal:
      IPAddress(storage: Storage(high: high, low: low, zone: interface?.name))
    case .ipv4, .ipv6, .zoned:
      self
    }
  }

  /// The family of the address.
  public var family: Family {
    switch storage {
    case .ipv4: .ipv4
    case .ipv6, .zoned: .ipv6
    }
  }

  /// The 4 or 16 bytes of the address in network order.
  public var bytes: [UInt8] {
    switch storage {
    case .ipv4(let word):
      (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) }
    case .ipv6(let high, let low), .zoned(let high, let low, _):
      [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
    }
  }

  /// The name or the index of the interface that an IPv6 address is valid on (RFC 4007 §11); `nil` when it has none.
  public var zone: String? {
    switch storage {
    case .zoned(_, _, let zone): zone
    case .ipv4, .ipv6: nil
    }
  }

  /// Whether the address is valid on its own host only: 127.0.0.0/8 (RFC 1122 §3.2.1.3) or `::1` (RFC 4291 §2.5.3).
  public var isLoopback: Bool {
    switch storage {
    case .ipv4(let word): word >> 24 == 127
    case .ipv6(let high, let low), .zoned(let high, let low, _): high == 0 && low == 1
    }
  }

  /// Whether the address is valid on one link only: 169.254.0.0/16 (RFC 3927) or fe80::/10 (RFC 4291 §2.5.6).
  public var isLinkLocal: Bool {
    switch storage {
    case .ipv4(let word): word >> 16 == 0xA9FE
    case .ipv6(let high, _), .zoned(let high, _, _): high >> 54 == 0xFE80 >> 6
    }
  }

  /// Whether the address can belong to a single host: it is not unspecified, multicast or broadcast, and holds no IPv4 address
  /// (RFC 4291 §2.5.5), because a socket would go there: `::ffff:127.0.0.1` is 127.0.0.1.
  package var isUnicast: Bool {
    switch storage {
    case .ipv4(let word): word >> 24 != 0 && word >> 24 < 224
    case .ipv6(let high, let low), .zoned(let high, let low, _):
      high >> 56 != 0xFF && (high != 0 || low == 1 || (low >> 32 != 0 && low >> 32 != 0xFFFF))
    }
  }

  /// The rank of the address in a host's list; lower is tried first. Addresses that work from other links come first.
  package var preference: Int {
    if isLoopback { return 4 }
    return switch family {
    case .ipv4: isLinkLocal ? 2 : 0
    case .ipv6: isLinkLocal ? 3 : 1
    }
  }

  /// Whether two addresses are in one subnet: both without a zone, of the same family, with the same first `length` bits.
  ///
  /// - Parameter length: The prefix length, 0–32 for IPv4 and 0–128 for IPv6.
  package func shares(_ length: Int, bitsWith other: IPAddress) -> Bool {
    switch (storage, other.storage) {
    case (.ipv4(let one), .ipv4(let two)):
      return Self.leading(length, of: UInt64(one ^ two) << 32) == 0
    case (.ipv6(let high, let low), .ipv6(let otherHigh, let otherLow)):
      return Self.leading(length, of: high ^ otherHigh) == 0 && Self.leading(length - 64, of: low ^ otherLow) == 0
    case (.ipv4, _), (.ipv6, _), (.zoned, _):
      return false
    }
  }

  private static func leading(_ count: Int, of word: UInt64) -> UInt64 {
    count <= 0 ? 0 : word >> UInt64(64 - min(count, 64))
  }
}
