import Discovery

extension DNSName {
  /// The name of an address in reverse mapping: `1.0.77.10.in-addr.arpa` (RFC 1035 §3.5), or 32 hexadecimal digits in `ip6.arpa`
  /// (RFC 3596 §2.5).
  init(reverseOf address: IPAddress) {
    let labels: [String] =
      switch address.family {
      case .ipv4: address.bytes.reversed().map { String($0) } + ["in-addr", "arpa"]
      case .ipv6: address.bytes.reversed().flatMap { [$0 & 0xF, $0 >> 4] }.map { String($0, radix: 16) } + ["ip6", "arpa"]
      }
    self.init(checkedWire: labels.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0])
  }

  private static let endOfReverseMapping = [4] + Array("arpa".utf8) + [0]

  /// Whether the name is below `arpa`.
  var isForReverseMapping: Bool {
    zip(wire.reversed(), Self.endOfReverseMapping.reversed()).allSatisfy { $0.asciiFolded == $1 }
  }
}
