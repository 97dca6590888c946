#if Avahi
import Discovery

/// What one call adds to an entry group.
enum Entry: Hashable {
  /// The daemon allows no more in one group.
  static let maximumPerGroup = 32

  case service(InstanceName, Registration.ServiceContent, domain: DomainName)
  /// - Parameter subtype: The full name of the subtype, without the domain.
  case subtype(String, of: InstanceName, type: ServiceType, domain: DomainName)
  /// - Parameter isAlone: Whether there is no other record of its name and type.
  case record(CustomRecord, isAlone: Bool)
}

extension Registration {
  /// The entries of the registration, divided into groups. A service comes first.
  var entryGroups: [[Entry]] {
    let entries = entries
    return stride(from: 0, to: entries.count, by: Entry.maximumPerGroup).map { start in
      Array(entries[start..<min(start + Entry.maximumPerGroup, entries.count)])
    }
  }

  private var entries: [Entry] {
    switch content {
    case .service(let service):
      return [.service(name, service, domain: domain)]
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

  /// In seconds (RFC 6762 §10).
  var timeToLive: UInt32 {
    switch type {
    case .a, .aaaa, .hinfo, .srv: 120
    default: 4_500
    }
  }
}
#endif
