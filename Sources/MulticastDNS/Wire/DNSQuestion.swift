/// A question of class IN or ANY.
package struct DNSQuestion: Hashable, Sendable {
  package let name: DNSName
  package let type: DNSType
  /// Whether the asker accepts a unicast answer (RFC 6762 §5.4).
  package let wantsUnicast: Bool

  package init(_ name: DNSName, _ type: DNSType, wantsUnicast: Bool = false) {
    self.name = name
    self.type = type
    self.wantsUnicast = wantsUnicast
  }
}
