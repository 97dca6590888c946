import Bonjourish
import _BonjourishBase
import _BonjourishConsole

/// `bonjourish query`
struct Query {
  private let name: DomainName
  private let type: RecordType
  private let interfaces: InterfaceSelection
  private let watches: Bool
  private let once: Bool
  private let limit: Duration?
  private let timeout: Duration
  private let json: Bool

  init(_ arguments: Arguments) throws {
    guard let name = arguments[Commands.recordName] else {
      throw Commands.query.usageError("NAME is missing; give the name of the records, such as printer.local, or --raw")
    }
    self.name = try DomainName(name)
    type = try arguments[Commands.recordType].map { text throws(DiscoveryError) in try RecordType(text) } ?? .any
    interfaces = try arguments.interfaces()
    watches = arguments[Commands.watch]
    once = arguments[Commands.once]
    limit = once ? .longestOnce : arguments[Commands.queryDuration]
    timeout = arguments[Commands.timeout]
    json = arguments[Commands.json]
    guard limit == nil || watches || once else {
      throw Commands.query.usageError("--for needs --watch; give --watch too, or --timeout instead")
    }
  }

  func run(on bonjour: Bonjour) async throws {
    guard !watches, !once else {
      var follow = Follow<ResourceRecord>(
        nothing: "No \(what) found.", once: once, json: json, line: Line.record,
        writeEvent: { Output.standard.event(QueryEvent($0, $1)) })
      if once { follow.list = { $0.map(Line.record).sorted() } }
      return try await follow.run(for: limit) { body in
        try await bonjour.withRecords(of: name, type: type, interfaces: interfaces, body)
      }
    }
    let records = try await LookUp.explaining(name) {
      try await bonjour.records(of: name, type: type, interfaces: interfaces, within: timeout)
    }
    for record in records {
      if json { Output.standard.event(QueryEvent("found", record)) } else { Output.standard.line(Line.record(record)) }
    }
    if records.isEmpty {
      throw Failure(
        .negative, "looking up \(what): no host has any, or none answered within \(timeout / .seconds(1)) seconds")
    }
  }

  private var what: String { type == .any ? "records of \(name)" : "\(type) records of \(name)" }
}

extension Line {
  /// A record as in a zone file (RFC 1035 §5.1): name, time to live in seconds (`-` if it is not known), class, type and data; then
  /// the interface, the family and the sender if it is known. The class is `IN`, or `IN/unique` with the cache-flush bit (RFC 6762
  /// §10.2).
  static func record(_ record: ResourceRecord) -> String {
    let lifetime = record.timeToLive.map { "\($0.components.seconds)" } ?? "-"
    let sender = record.sender.map { " \(word($0.description))" } ?? ""
    return [
      "\(word(record.name.text)).", lifetime, record.isUnique == true ? "IN/unique" : "IN", "\(record.type)",
      data(record.data, record.bytes), "(\(word(record.link.source.name)) \(record.link.family)\(sender))",
    ].joined(separator: " ")
  }

  /// The data as in a zone file; those of an unknown type as hexadecimal digits (RFC 3597 §5).
  ///
  /// - Parameter limit: The largest number of bytes of texts and of unknown data to write; their number is then in parentheses.
  static func data(_ data: RecordData, _ bytes: [UInt8], atMost limit: Int = .max) -> String {
    switch data {
    case .address(let address): return word(address.description)
    case .pointer(let name): return "\(word(name.text))."
    case .text(let txt):
      let strings = txt.strings
      guard bytes.count > limit else { return strings.isEmpty ? "\"\"" : strings.map { quoted($0) }.joined(separator: " ") }
      var shown = 0
      let first = strings.prefix { string in
        shown += string.count + 1
        return shown <= limit
      }
      return (first.map { quoted($0) } + ["(\(bytes.count) bytes)"]).joined(separator: " ")
    case .server(let host, let port, let priority, let weight): return "\(priority) \(weight) \(port) \(word(host.text))."
    case .host(let processor, let system): return "\(quoted(processor)) \(quoted(system))"
    case .types(let types):
      let more = types.count > limit / 8 ? ["(\(types.count) types)"] : []
      return (types.prefix(limit / 8).map(\.description) + more).joined(separator: " ")
    case .other: return hexadecimal(bytes, atMost: limit)
    }
  }

  /// Bytes as data of an unknown type (RFC 3597 §5); with an ellipsis if there are more than `limit`.
  static func hexadecimal(_ bytes: [UInt8], atMost limit: Int = .max) -> String {
    let digits = bytes.prefix(limit).map(\.hexadecimal).joined()
    return bytes.isEmpty ? "\\# 0" : "\\# \(bytes.count) \(digits)\(bytes.count > limit ? "…" : "")"
  }
}
