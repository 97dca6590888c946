/// The type of a record or a question (RFC 1035 §3.2.2, RFC 6895).
package struct DNSType: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package static let a = DNSType(rawValue: 1)
  package static let cname = DNSType(rawValue: 5)
  package static let ptr = DNSType(rawValue: 12)
  package static let hinfo = DNSType(rawValue: 13)
  package static let txt = DNSType(rawValue: 16)
  package static let aaaa = DNSType(rawValue: 28)
  package static let srv = DNSType(rawValue: 33)
  /// The type of a pseudo record that describes the message itself (RFC 6891).
  package static let opt = DNSType(rawValue: 41)
  package static let nsec = DNSType(rawValue: 47)
  /// Every type, in a question.
  package static let any = DNSType(rawValue: 255)

  /// The time to live of our own records of this type, in seconds: two minutes if their name or data contain a host name,
  /// 75 minutes otherwise (RFC 6762 §10). A denial has the shortest time of the records that it may deny (§6.1).
  package var timeToLive: UInt32 {
    switch self {
    case .a, .aaaa, .srv, .hinfo, .nsec: 120
    default: 4500
    }
  }

  /// The time to live of our own records, in seconds. A pointer that no other host may have leads to a host name.
  func timeToLive(isUnique: Bool) -> UInt32 { isUnique && self == .ptr ? 120 : timeToLive }
}
