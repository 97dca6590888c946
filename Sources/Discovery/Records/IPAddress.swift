/// An IPv4 or IPv6 address, the latter with the interface it is valid on where that matters.
public enum IPAddress: Hashable, Sendable {
  /// Four bytes in network order.
  case v4(InlineBytes4)
  /// Sixteen bytes in network order; `scope` is the interface of a link-local address (RFC 4007 §6).
  case v6(InlineBytes16, scope: NetworkInterface?)

  public typealias InlineBytes4 = SIMD4<UInt8>
  public typealias InlineBytes16 = SIMD16<UInt8>

  /// Makes an address of the bytes of an A or AAAA record.
  ///
  /// - Parameters:
  ///   - bytes: 4 or 16 bytes in network order; anything else gives nil.
  ///   - interface: Where the record came from; kept for a link-local IPv6 address, the only kind that needs it.
  package init?(bytes: some Collection<UInt8>, seenOn interface: NetworkInterface?) {
    switch bytes.count {
    case 4:
      self = .v4(SIMD4(bytes))
    case 16:
      let bytes = SIMD16(bytes)
      self = .v6(bytes, scope: Self.isLinkLocal(bytes) ? interface : nil)
    default:
      return nil
    }
  }

  private static func isLinkLocal(_ bytes: SIMD16<UInt8>) -> Bool {
    bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
  }

  /// Whether the address is good on one link only: 169.254.0.0/16 (RFC 3927) or fe80::/10 (RFC 4291 §2.5.6).
  public var isLinkLocal: Bool {
    switch self {
    case .v4(let bytes): bytes[0] == 169 && bytes[1] == 254
    case .v6(let bytes, scope: _): Self.isLinkLocal(bytes)
    }
  }

  /// Whether a service can be reached at the address: not the unspecified one, not a group, not the broadcast address.
  package var isUnicast: Bool {
    switch self {
    case .v4(let bytes): bytes[0] != 0 && bytes[0] < 224
    case .v6(let bytes, scope: _): bytes[0] != 0xFF && bytes != SIMD16(repeating: 0)
    }
  }

  /// Whether the address is good on its own host only: 127.0.0.0/8 or ::1.
  private var isLoopback: Bool {
    switch self {
    case .v4(let bytes): bytes[0] == 127
    case .v6(let bytes, scope: _): bytes == SIMD16(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)
    }
  }

  /// The order in which to list, and to try, the addresses of a host: those that work from everywhere first.
  package var preference: Int {
    if isLoopback { return 4 }
    return switch self {
    case .v4: isLinkLocal ? 2 : 0
    case .v6: isLinkLocal ? 3 : 1
    }
  }
}

extension IPAddress: CustomStringConvertible {
  /// The address as people write it: `10.77.0.1`, `2001:db8::1`, `fe80::1%eth0` (RFC 5952, RFC 4007 §11).
  public var description: String {
    switch self {
    case .v4(let bytes):
      return (0..<4).map { String(bytes[$0]) }.joined(separator: ".")
    case .v6(let bytes, let scope):
      return Self.text(of: (0..<8).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) })
        + (scope.map { "%\($0.name)" } ?? "")
    }
  }

  /// Lower case, no leading zeros, and the longest run of at least two zero groups, the first of equals, as `::`.
  private static func text(of groups: [UInt16]) -> String {
    var longest = 0..<0
    var start = 0
    while start < groups.count {
      var end = start
      while end < groups.count, groups[end] == 0 { end += 1 }
      if end - start > max(longest.count, 1) { longest = start..<end }
      start = max(end, start + 1)
    }
    func hexadecimal(_ groups: ArraySlice<UInt16>) -> String {
      groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
    guard !longest.isEmpty else { return hexadecimal(groups[...]) }
    return hexadecimal(groups[..<longest.lowerBound]) + "::" + hexadecimal(groups[longest.upperBound...])
  }
}
