import Bonjourish
import FoundationEssentials
import _BonjourishConsole
import _BonjourishJSONOutput

/// A line of `--json`: the fields of an event, and the version of their meaning, which output.schema.json describes.
///
/// A new field or event leaves the version as it is; another meaning of one does not.
struct JSONEvent<Fields: Encodable>: Encodable {
  private let fields: Fields

  private enum Key: CodingKey {
    case schema
  }

  init(_ fields: Fields) {
    self.fields = fields
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(1, forKey: .schema)
    try fields.encode(to: encoder)
  }
}

extension Output {
  /// Writes an event as one line of JSON.
  func event(_ fields: some Encodable) { json(JSONEvent(fields)) }
}

/// A line of `browse --json`.
struct ChangeEvent: Encodable {
  private let event: String
  private let service: DiscoveredService?
  private let type: ServiceType?
  private let reason: String?
  private let hints: Bool

  private enum Key: CodingKey {
    case event, name, type, title, domain, interfaces, region, presence, unreachable, reason
  }

  /// - Parameters:
  ///   - type: The type; nil for the search for types.
  ///   - hints: Whether to show which services may be gone soon.
  init(_ change: BrowseChange, of type: ServiceType?, hints: Bool) {
    self.type = type
    self.hints = hints
    switch change {
    case .found(let service): (event, self.service, reason) = ("found", service, nil)
    case .updated(let service): (event, self.service, reason) = ("updated", service, nil)
    case .lost(let service): (event, self.service, reason) = ("lost", service, nil)
    case .settled: (event, service, reason) = ("settled", nil, nil)
    case .interrupted(let error): (event, service, reason) = ("interrupted", nil, error.message)
    case .restored: (event, service, reason) = ("restored", nil, nil)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(event, forKey: .event)
    try fields.encodeIfPresent(type?.description, forKey: .type)
    try fields.encodeIfPresent(reason, forKey: .reason)
    guard let service else { return }
    try fields.encode(service.instance.name.text, forKey: .name)
    try fields.encodeIfPresent(KnownType.title(of: service.instance.type), forKey: .title)
    try fields.encode(service.instance.domain.text, forKey: .domain)
    try fields.encode(service.sources.map(\.name), forKey: .interfaces)
    try fields.encodeIfPresent(service.region, forKey: .region)
    if hints { try fields.encode(service.presence.rawValue, forKey: .presence) }
    let unreachable = service.refusedAddresses.map(\.description)
    if !unreachable.isEmpty { try fields.encode(unreachable, forKey: .unreachable) }
    try service.endpoint.map(EndpointEvent.init)?.encode(to: encoder)
  }
}

/// The line of `resolve --json`.
struct ResolveEvent: Encodable {
  let instance: ServiceInstance
  let endpoint: Endpoint

  private enum Key: CodingKey {
    case event, name, type, domain
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode("resolved", forKey: .event)
    try fields.encode(instance.name.text, forKey: .name)
    try fields.encode(instance.type.description, forKey: .type)
    try fields.encode(instance.domain.text, forKey: .domain)
    try EndpointEvent(endpoint).encode(to: encoder)
  }
}

/// A line of `publish --json` about the service.
struct PublishEvent: Encodable {
  let event: String
  let name: String
  let type: String
  /// The former name, if the service was renamed.
  let from: String?
  let port: UInt16
  /// The host that offers the service, if it is another one.
  let host: String?
}

/// A line of `publish --json` about a host.
struct PublishedHostEvent: Encodable {
  let event: String
  let host: String
  let addresses: [String]
}

/// A line of `publish --json` about the records of a file.
struct PublishedRecordsEvent: Encodable {
  let event: String
  let records: Int
}

/// A line of `--json --verbose` about where the network is reached.
struct ReachEvent: Encodable {
  private let event = "reach"
  private let links: [Item]
  private let causes: [Cause]

  private struct Item: Encodable {
    let interface: String
    let family: String
    let state: String
    let cause: Cause?

    init(_ item: Reach.Item) {
      interface = item.link.source.name
      family = item.link.family == .ipv4 ? "ipv4" : "ipv6"
      switch item.state {
      case .works: (state, cause) = ("works", nil)
      case .unproven: (state, cause) = ("unproven", nil)
      case .fails(let reason): (state, cause) = ("fails", Cause(reason))
      case .unused(let reason): (state, cause) = ("unused", Cause(reason))
      }
    }
  }

  private struct Cause: Encodable {
    let code: String
    let reason: String
    let remedy: String?

    init(_ cause: Reach.Cause) {
      (code, reason, remedy) = (cause.code.description, cause.reason, cause.remedy)
    }
  }

  init(_ reach: Reach) {
    links = reach.items.map(Item.init)
    causes = reach.causes.map(Cause.init)
  }

  private enum CodingKeys: CodingKey {
    case event, links, causes
  }
}

/// A line of `--json` about discovery itself.
struct InterruptionEvent: Encodable {
  let event: String
  let reason: String?
}

/// The fields that resolving adds.
private struct EndpointEvent: Encodable {
  private let endpoint: Endpoint

  private enum Key: CodingKey {
    case host, port, addresses, txt
  }

  init(_ endpoint: Endpoint) {
    self.endpoint = endpoint
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(endpoint.host.text, forKey: .host)
    try fields.encode(endpoint.port, forKey: .port)
    try fields.encode(endpoint.addresses.map(\.description), forKey: .addresses)
    try fields.encode(TXTFields(txt: endpoint.txt), forKey: .txt)
  }
}

/// A TXT record as an object: UTF-8 values as strings, flags as null, other bytes as `{"base64": …}`.
private struct TXTFields: Encodable {
  let txt: TXTRecord

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private struct Binary: Encodable {
    let base64: String
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    for (name, value) in txt {
      let key = Key(stringValue: name)
      switch value {
      case .flag: try fields.encodeNil(forKey: key)
      case .bytes(let bytes):
        if let text = value.text {
          try fields.encode(text, forKey: key)
        } else {
          try fields.encode(Binary(base64: Data(bytes).base64EncodedString()), forKey: key)
        }
      }
    }
  }
}
