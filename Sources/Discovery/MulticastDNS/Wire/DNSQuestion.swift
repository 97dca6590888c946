/// A question of class IN or ANY.
package struct DNSQuestion: Hashable, Sendable {
  package let name: DNSName
  package let type: DNSType
  /// Whether the asker accepts a unicast answer (RFC 6762 §5.4).
  package let wantsUnicast: Bool
  /// Whether it is of class ANY, which IN records answer too.
  package let isOfAnyClass: Bool

  package init(_ name: DNSName, _ type: DNSType, wantsUnicast: Bool = false, isOfAnyClass: Bool = false) {
    self.name = name
    self.type = type
    self.wantsUnicast = wantsUnicast
    self.isOfAnyClass = isOfAnyClass
  }
}
