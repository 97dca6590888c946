package import _BonjourishDiscovery

/// The data of a record.
///
/// Comparison ignores the case of ASCII letters in names.
package enum DNSData: Hashable, Sendable {
  /// The data of an A or AAAA record.
  case address(IPAddress)
  case ptr(DNSName)
  case srv(DNSService)
  /// The strings in wire format, each after its length.
  case txt([UInt8])
  /// The types that exist for the name. All other types do not (RFC 6762 §6.1).
  case nsec(next: DNSName, types: DNSTypeSet)
  case cname(DNSName)
  case hinfo(cpu: [UInt8], system: [UInt8])
  /// The data of an unknown type, or data that do not have the usual form of their type.
  case other(DNSType, [UInt8])

  package var type: DNSType {
    switch self {
    case .address(let address): address.family == .ipv4 ? .a : .aaaa
    case .ptr: .ptr
    case .srv: .srv
    case .txt: .txt
    case .nsec: .nsec
    case .cname: .cname
    case .hinfo: .hinfo
    case .other(let type, _): type
    }
  }
}

/// The location of a service (RFC 2782).
package struct DNSService: Hashable, Sendable {
  package let target: DNSName
  package let port: UInt16
  package let priority: UInt16
  package let weight: UInt16

  package init(target: DNSName, port: UInt16, priority: UInt16 = 0, weight: UInt16 = 0) {
    self.target = target
    self.port = port
    self.priority = priority
    self.weight = weight
  }
}
