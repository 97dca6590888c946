import _BonjourishBase

extension IPAddress: LosslessStringConvertible {
  /// Reads an address from text: `10.77.0.1`, `2001:db8::1`, `fe80::1%eth0`.
  ///
  /// - Parameter text: For IPv4, four decimal numbers, 0–255, without leading zeros. For IPv6, any form of RFC 4291 §2.2,
  ///   including one that ends with an IPv4 address, and optionally `%` and a zone: the name or index of an interface
  ///   (RFC 4007 §11), 1–15 bytes without control characters, spaces, `/` and `%`.
  /// - Returns: `nil` for any other text. Whether the interface exists is not checked.
  public init?(_ text: String) {
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first.map({ Array($0.utf8)[...] }) else { return nil }
    let bytes = address.contains(UInt8(ascii: ":")) ? Self.parseIPv6(address) : Self.parseIPv4(address)
    guard let bytes else { return nil }
    self.init(bytes: bytes, zone: parts.count == 2 ? String(parts[1]) : nil)
  }

  static func isZone(_ text: String) -> Bool {
    (1...15).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "%") }
  }

  private static func parseIPv4(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      guard let first = part.first, part.count == 1 || first != UInt8(ascii: "0"), let number = number(part, radix: 10),
        let byte = UInt8(exactly: number)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  private static func parseIPv6(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let colon = UInt8(ascii: ":")
    guard let gap = text.indices.dropLast().first(where: { text[$0] == colon && text[$0 + 1] == colon }) else {
      return parseGroups(text, mayEndInIPv4: true).flatMap { $0.count == 16 ? $0 : nil }
    }
    // `::` stands for at least one group of zeros. A second `::` leaves an empty group, which `number` refuses.
    guard let head = parseGroups(text[..<gap], mayEndInIPv4: false),
      let tail = parseGroups(text[(gap + 2)...], mayEndInIPv4: true), head.count + tail.count <= 14
    else { return nil }
    return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
  }

  /// The bytes of groups separated by colons; empty for an empty text.
  private static func parseGroups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt8]? {
    if text.isEmpty { return [] }
    var bytes: [UInt8] = []
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    for part in parts {
      if mayEndInIPv4, part.endIndex == text.endIndex, let ipv4 = parseIPv4(part) {
        bytes += ipv4
      } else if let group = number(part, radix: 16) {
        bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
      } else {
        return nil
      }
    }
    return bytes
  }

  /// Reads a number of one to four digits, without a sign.
  private static func number(_ digits: ArraySlice<UInt8>, radix: UInt16) -> UInt16? {
    guard (1...4).contains(digits.count) else { return nil }
    var number: UInt16 = 0
    for byte in digits {
      let digit =
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: UInt8.max
        }
      guard digit < radix else { return nil }
      number = number * radix + UInt16(digit)
    }
    return number
  }

  /// The address as text: `10.77.0.1`, `2001:db8::1`, `fe80::1%eth0` (RFC 5952, RFC 4007 §11).
  public var description: String {
    zone.map { "\(textWithoutZone)%\($0)" } ?? textWithoutZone
  }

  /// The address as the host of a URL: `10.77.0.1`, `[2001:db8::1]`, `[fe80::1%25eth0]`.
  ///
  /// The zone follows `%25`, and all its characters except letters, digits and `-._~` are percent-encoded (RFC 6874). Web
  /// browsers do not accept a zone.
  public var urlHost: String {
    guard family == .ipv6 else { return textWithoutZone }
    guard let zone else { return "[\(textWithoutZone)]" }
    let escaped = zone.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        String(Unicode.Scalar(byte))
      default: "%" + byte.hexadecimal.uppercased()
      }
    }
    return "[\(textWithoutZone)%25\(escaped.joined())]"
  }

  private var textWithoutZone: String {
    let bytes = bytes
    return switch family {
    case .ipv4: bytes.map(String.init).joined(separator: ".")
    case .ipv6: Self.text(of: (0..<8).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) })
    }
  }

  /// Writes lower case without leading zeros. The first of the longest runs of at least two zero groups becomes `::`.
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
