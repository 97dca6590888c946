/// What a record says of its name.
///
/// Names in it are compared as names: without the case of ASCII letters.
package enum DNSData: Hashable, Sendable {
  /// A or AAAA.
  case address(DNSAddress)
  case ptr(DNSName)
  case srv(DNSService)
  /// The strings as they stand in the record, each after its length.
  case txt([UInt8])
  /// What exists for the name; all else does not (RFC 6762 §6.1).
  case nsec(next: DNSName, types: DNSTypeSet)
  case cname(DNSName)
  case hinfo(cpu: [UInt8], system: [UInt8])
  /// A type that is not known here, or whose data do not have the form that is.
  case other(DNSType, [UInt8])

  package var type: DNSType {
    switch self {
    case .address(.ipv4): .a
    case .address(.ipv6): .aaaa
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

/// Where a service is (RFC 2782).
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
