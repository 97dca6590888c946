extension Collection<[UInt8]> {
  /// Labels of 1 to 63 bytes on the wire, as in `DomainName.wire`.
  package var wire: [UInt8] {
    var bytes: [UInt8] = []
    for label in self {
      bytes.append(UInt8(label.count))
      bytes += label
    }
    bytes.append(0)
    return bytes
  }
}

extension DomainName {
  /// The name on the wire, uncompressed: labels with length bytes, ending with the empty label (RFC 1035 §3.1).
  package var wire: [UInt8] { labels.wire }

  /// The first label, unescaped, and the domain that it is in: `printer` and `local`. Nil for a single label, and for one that is
  /// not UTF-8.
  package var firstLabelAndRest: (label: String, rest: DomainName)? {
    let labels = labels
    guard labels.count > 1, let label = String(validating: labels[0], as: UTF8.self),
      let rest = DomainName(wire: wire.dropFirst(labels[0].count + 1))
    else { return nil }
    return (label, rest)
  }

  /// Makes the name of a host in a domain; nil if it is too long.
  package init?(label: String, in domain: DomainName) {
    let bytes = Array(label.utf8)
    guard let length = UInt8(exactly: bytes.count) else { return nil }
    self.init(wire: ([length] + bytes + domain.wire)[...])
  }
}
