package import _BonjourishDiscovery

extension DNSName {
  /// The name of an address in reverse mapping: `1.0.77.10.in-addr.arpa` (RFC 1035 §3.5), or 32 hexadecimal digits in `ip6.arpa`
  /// (RFC 3596 §2.5).
  package init(reverseOf address: IPAddress) {
    self.init(checkedWire: DomainName(reverseOf: address).wire)
  }

  /// Whether the name is below `arpa`.
  package var isForReverseMapping: Bool {
    // The first comparison tells most names, and this is asked of every record.
    guard wire.count >= 6, wire[wire.count - 6] == 4 else { return false }
    return wire.suffix(5).elementsEqual("arpa\0".utf8) { $0.asciiFolded == $1 }
  }
}
