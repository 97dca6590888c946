import Bonjourish
import Console

/// `bonjourish query`
struct Query {
  private let name: DomainName
  private let type: RecordType
  private let interfaces: InterfaceSelection
  private let watches: Bool
  private let limit: Duration?
  private let timeout: Duration
  private let json: Bool

  init(_ arguments: Arguments) throws {
    name = try DomainName(arguments[Commands.recordName])
    type = try arguments[Commands.recordType].map { text throws(DiscoveryError) in try RecordType(text) } ?? .any
    interfaces = try arguments.interfaces()
    watches = arguments[Commands.watch]
    limit = arguments[Commands.duration]
    timeout = arguments[Commands.timeout]
    json = arguments[Commands.json]
    guard limit == nil || watches else {
      throw Commands.query.usageError("--for needs --watch; give --watch too, or --timeout instead")
    }
  }

  func run(on bonjour: Bonjour) async throws {
    guard !watches else {
      let follow = Follow<ResourceRecord>(
        what: what, once: false, json: json, line: Line.record, record: { Output.standard.record(RecordRecord($0, $1)) })
      return try await follow.run(for: limit) { body in
        try await bonjour.withRecords(of: name, type: type, interfaces: interfaces, body)
      }
    }
    let records = try await bonjour.records(of: name, type: type, interfaces: interfaces, within: timeout)
    for record in records {
      if json { Output.standard.record(RecordRecord("found", record)) } else { Output.standard.line(Line.record(record)) }
    }
    if records.isEmpty, !json { Output.error.line("No \(what) found.") }
  }

  private var what: String { type == .any ? "records of \(name)" : "\(type) records of \(name)" }
}

extension Line {
  /// A record as in a zone file (RFC 1035 §5.1): name, time to live in seconds (`-` if it is not known), class, type and data; then
  /// the interface and family. The class is `IN`, or `IN/unique` with the cache-flush bit (RFC 6762 §10.2).
  static func record(_ record: ResourceRecord) -> String {
    let lifetime = record.timeToLive.map { "\($0.components.seconds)" } ?? "-"
    return [
      "\(word(record.name.text)).", lifetime, record.isUnique == true ? "IN/unique" : "IN", "\(record.type)", data(record),
      "(\(word(record.interface.name)) \(record.family))",
    ].joined(separator: " ")
  }

  /// The data as in a zone file; those of an unknown type as hexadecimal digits (RFC 3597 §5).
  static func data(_ record: ResourceRecord) -> String {
    switch record.data {
    case .address(let address): word(address.description)
    case .pointer(let name): "\(word(name.text))."
    case .text(let txt):
      txt.strings.isEmpty ? "\"\"" : txt.strings.map { quoted($0) }.joined(separator: " ")
    case .server(let host, let port, let priority, let weight): "\(priority) \(weight) \(port) \(word(host.text))."
    case .host(let processor, let system): "\(quoted(processor)) \(quoted(system))"
    case .types(let types): types.map(\.description).joined(separator: " ")
    case .other: "\\# \(record.bytes.count) \(hexadecimal(record.bytes))"
    }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
