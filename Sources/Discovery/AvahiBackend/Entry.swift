#if Avahi
import _BonjourishDiscovery

/// What one call adds to an entry group.
enum Entry: Hashable {
  /// The daemon allows no more in one group.
  static let maximumPerGroup = 32

  case service(InstanceName, Registration.ServiceContent, domain: DomainName)
  /// - Parameter subtype: The full name of the subtype, without the domain.
  case subtype(String, of: InstanceName, type: ServiceType, domain: DomainName)
  /// A service whose records are shared: see ``Registration/isAssured``.
  case sharedService(InstanceName, Registration.ServiceContent, domain: DomainName)
  /// - Parameter isAlone: Whether there is no other record of its name and type.
  case record(CustomRecord, isAlone: Bool)

  /// The number of entries of the group that it takes.
  var count: Int {
    switch self {
    case .service, .subtype, .record: 1
    case .sharedService: 4
    }
  }
}

extension Registration {
  /// The entries of the registration, divided into groups. A service comes first.
  var entryGroups: [[Entry]] {
    var groups: [[Entry]] = []
    var room = 0
    for entry in entries {
      if room < entry.count {
        groups.append([])
        room = Entry.maximumPerGroup
      }
      groups[groups.count - 1].append(entry)
      room -= entry.count
    }
    return groups
  }

  private var entries: [Entry] {
    switch content {
    case .service(let service):
      let first: Entry =
        isAssured ? .sharedService(name, service, domain: domain) : .service(name, service, domain: domain)
      return [first]
        + service.subtypeNames.map { .subtype($0, of: name, type: service.type, domain: domain) }
    case .host(let addresses):
      guard let host = hostName else { return [] }
      return Self.entries(of: addresses.compactMap { CustomRecord(address: $0, of: host) })
    case .records(let records):
      return Self.entries(of: records)
    }
  }

  private static func entries(of records: [CustomRecord]) -> [Entry] {
    struct Key: Hashable {
      let name: DomainName
      let type: RecordType
    }
    let counts = records.reduce(into: [:]) { $0[Key(name: $1.name, type: $1.type), default: 0] += 1 }
    return records.map { .record($0, isAlone: counts[Key(name: $0.name, type: $0.type)] == 1) }
  }
}

extension CustomRecord {
  /// The record of an address, without a reverse pointer: an alias of a host has addresses that have one already.
  fileprivate init?(address: IPAddress, of host: DomainName) {
    try? self.init(host, type: address.family == .ipv4 ? .a : .aaaa, data: address.bytes, isUnique: true)
  }

  /// The records of a service but its subtypes, as shared ones (RFC 6763 §4.1, §5, §6, §9).
  static func shared(
    of service: Registration.ServiceContent, as name: InstanceName, in domain: DomainName, on host: DomainName
  ) throws(DiscoveryError) -> [CustomRecord] {
    let instance = ServiceInstance(name, type: service.type, domain: domain)
    let fullName = try instance.fullName
    let type = try DomainName("\(service.type.dnsText).\(domain.text)")
    let location = [0, 0, 0, 0, UInt8(service.port >> 8), UInt8(truncatingIfNeeded: service.port)] + host.wire
    return [
      try CustomRecord(type, type: .ptr, data: fullName.wire, isUnique: false),
      try CustomRecord(fullName, type: .srv, data: location, isUnique: false),
      try CustomRecord(text: service.txt, of: instance),
      try CustomRecord(
        DomainName("_services._dns-sd._udp.\(domain.text)"), type: .ptr, data: type.wire, isUnique: false),
    ]
  }

  /// The shared TXT record of a service.
  init(text: TXTRecord, of instance: ServiceInstance) throws(DiscoveryError) {
    try self.init(instance.fullName, type: .txt, data: text.data, isUnique: false)
  }

  /// In seconds (RFC 6762 §10).
  var timeToLive: UInt32 {
    switch type {
    case .a, .aaaa, .hinfo, .srv: 120
    default: 4_500
    }
  }
}
#endif
