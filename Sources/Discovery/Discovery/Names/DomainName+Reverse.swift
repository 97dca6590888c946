extension DomainName {
  /// The name of an address in reverse mapping: `1.0.77.10.in-addr.arpa` (RFC 1035 §3.5), or 32 hexadecimal digits in `ip6.arpa`
  /// (RFC 3596 §2.5).
  package init(reverseOf address: IPAddress) {
    let labels =
      switch address.family {
      case .ipv4: address.bytes.reversed().map { String($0) } + ["in-addr", "arpa"]
      case .ipv6: address.bytes.reversed().flatMap { [$0 & 0xF, $0 >> 4] }.map { String($0, radix: 16) } + ["ip6", "arpa"]
      }
    self.init(canonical: labels.joined(separator: "."))
  }
}
