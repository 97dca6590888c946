package import _BonjourishDiscovery

extension DNSName {
  /// The name of an address in reverse mapping: `1.0.77.10.in-addr.arpa` (RFC 1035 §3.5), or 32 hexadecimal digits in `ip6.arpa`
  /// (RFC 3596 §2.5).
  package init(reverseOf address: IPAddress) {
    self.init(checkedWire: DomainName(reverseOf: address).wire)
  }

  private static let endOfReverseMapping = [4] + Array("arpa".utf8) + [0]

  /// Whether the name is below `arpa`.
  package var isForReverseMapping: Bool {
    zip(wire.reversed(), Self.endOfReverseMapping.reversed()).allSatisfy { $0.asciiFolded == $1 }
  }
}
