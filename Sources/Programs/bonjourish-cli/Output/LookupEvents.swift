import Bonjourish
import FoundationEssentials

/// A line of `types --json` about a type.
struct TypeEvent: Encodable {
  private let event: String
  private let counted: CountedType

  private enum Key: CodingKey {
    case event, type, title, domain, interfaces, instances
  }

  init(_ event: String, _ counted: CountedType) {
    self.event = event
    self.counted = counted
  }

  func encode(to encoder: any Encoder) throws {
    let found = counted.found
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(event, forKey: .event)
    try fields.encode(found.type.description, forKey: .type)
    try fields.encodeIfPresent(KnownType.title(of: found.type), forKey: .title)
    try fields.encode(found.domain.text, forKey: .domain)
    try fields.encode(found.interfaces.map(\.name), forKey: .interfaces)
    try fields.encodeIfPresent(counted.instances, forKey: .instances)
  }
}

/// A line of `domains --json` about a domain.
struct DomainEvent: Encodable {
  private let event: String
  private let domain: String
  private let purposes: [String]
  private let interfaces: [String]

  private enum CodingKeys: CodingKey {
    case event, domain, purposes, interfaces
  }

  init(_ event: String, _ found: DiscoveredDomain) {
    self.event = event
    domain = found.name.text
    purposes = found.sortedPurposes.map(\.rawValue)
    interfaces = found.interfaces.map(\.name)
  }
}

/// A line of `lookup --json`.
struct AddressEvent: Encodable {
  private let event = "resolved"
  let host: String
  let address: String

  private enum CodingKeys: CodingKey {
    case event, host, address
  }
}

/// A line of `query --json` about a record.
struct QueryEvent: Encodable {
  private let event: String
  private let record: ResourceRecord

  private enum Key: CodingKey {
    case event, name, type, ttl, unique, data, base64, interface, family, sender
  }

  init(_ event: String, _ record: ResourceRecord) {
    self.event = event
    self.record = record
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(event, forKey: .event)
    try fields.encode(record.name.text, forKey: .name)
    try fields.encode(record.type.description, forKey: .type)
    try fields.encodeIfPresent(record.timeToLive?.components.seconds, forKey: .ttl)
    try fields.encodeIfPresent(record.isUnique, forKey: .unique)
    try fields.encode(Line.data(record.data, record.bytes), forKey: .data)
    try fields.encode(Data(record.bytes).base64EncodedString(), forKey: .base64)
    try fields.encode(record.link.source.name, forKey: .interface)
    try fields.encode("\(record.link.family)", forKey: .family)
    try fields.encodeIfPresent(record.sender?.description, forKey: .sender)
  }
}
