/// The type of a record, or what a question asks for (RFC 1035 §3.2.2, RFC 6895).
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
  /// A pseudo record that speaks of the message, never of the network (RFC 6891).
  package static let opt = DNSType(rawValue: 41)
  package static let nsec = DNSType(rawValue: 47)
  /// In a question: every type.
  package static let any = DNSType(rawValue: 255)

  /// How long our own records of this type may be kept: two minutes when they name a host or are named for one, else
  /// 75 minutes (RFC 6762 §10). A denial lives as long as the shortest that it may deny (§6.1).
  package var timeToLive: UInt32 {
    switch self {
    case .a, .aaaa, .srv, .hinfo, .nsec: 120
    default: 4500
    }
  }
}
