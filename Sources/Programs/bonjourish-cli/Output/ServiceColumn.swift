import Bonjourish
import _BonjourishBase
import _BonjourishConsole

/// What `browse --columns` shows of a service, one word of a line or one column of a table.
enum ServiceColumn: Hashable, Sendable {
  case name, type, domain, title, remarks, interface, region, host, port, address
  /// All entries of the TXT record.
  case txt
  /// One entry of the TXT record, by its key: `txt.path`.
  case entry(String)

  private static let plain: [(name: String, column: ServiceColumn)] = [
    ("name", .name), ("type", .type), ("domain", .domain), ("title", .title), ("remarks", .remarks),
    ("interface", .interface), ("region", .region), ("host", .host), ("port", .port), ("address", .address), ("txt", .txt),
  ]

  /// The names of the columns, as a sentence lists them.
  static let names = plain.map(\.name).joined(separator: ", ") + " and txt.KEY"

  /// Parses the name of a column; returns nil if there is none of this name.
  init?(_ name: String) {
    if let found = Self.plain.first(where: { $0.name == name }) {
      self = found.column
    } else if name.hasPrefix("txt."), name.utf8.count > 4 {
      self = .entry(String(name.dropFirst(4)))
    } else {
      return nil
    }
  }

  /// Parses names with commas between them.
  ///
  /// - Throws: `UsageError` for a name that no column has, with all that there are, and if `txt` is not the last one: it has as many words as
  ///   the record has entries.
  static func list(_ text: String) throws(UsageError) -> [ServiceColumn] {
    var columns: [ServiceColumn] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      guard let column = ServiceColumn(name) else {
        let question = Suggestion.question(for: name, among: plain.map(\.name))
        throw Commands.browse.usageError("--columns has no column '\(name)'; the columns are \(names)\(question)")
      }
      guard !columns.contains(column) else {
        throw Commands.browse.usageError("--columns has '\(name)' more than once; give it once")
      }
      columns.append(column)
    }
    guard !columns.dropLast().contains(.txt) else {
      throw Commands.browse.usageError(
        "--columns must have txt last, because it may be many words; or name entries, as txt.path")
    }
    return columns
  }

  /// Whether only resolving finds it.
  var needsEndpoint: Bool {
    switch self {
    case .name, .type, .domain, .title, .interface, .region: false
    case .remarks, .host, .port, .address, .txt, .entry: true
    }
  }

  var heading: String {
    switch self {
    case .name: "Name"
    case .type: "Type"
    case .domain: "Domain"
    case .title: "What it is"
    case .remarks: "Remarks"
    case .interface: "On"
    case .region: "Region"
    case .host: "Host"
    case .port: "Port"
    case .address: "Address"
    case .txt: "TXT record"
    case .entry(let key): key
    }
  }

  /// What a person reads about a service, not escaped; empty if there is nothing.
  func text(of service: DiscoveredService) -> String {
    switch self {
    case .name: service.instance.name.text
    case .type: "\(service.instance.type)"
    case .domain: service.instance.domain.text
    case .title: KnownType.title(of: service.instance.type) ?? ""
    case .remarks: Line.remarks(on: service, resolves: true).joined(separator: ", ")
    case .interface: service.sources.map(\.name).joined(separator: ", ")
    case .region: service.region ?? ""
    case .host: service.endpoint?.host.text ?? ""
    case .port: service.endpoint.map { "\($0.port)" } ?? ""
    case .address: (service.endpoint?.addresses ?? []).map(\.description).joined(separator: ", ")
    case .txt: service.endpoint.map { Line.entries($0.txt).joined(separator: " ") } ?? ""
    case .entry(let key):
      switch service.endpoint?.txt[key] {
      case .bytes(let bytes)?: bytes.escapedForDisplay
      case .flag?: key
      case nil: ""
      }
    }
  }

  /// The word of a line about a service: `-` if there is nothing. Names, titles, remarks and values are quoted; of an entry without a value
  /// the key stands there.
  func word(of service: DiscoveredService) -> String {
    let text = text(of: service)
    switch self {
    case .entry(let key):
      return switch service.endpoint?.txt[key] {
      case .bytes(let bytes)?: Line.quoted(bytes)
      case .flag?: Line.word(key)
      case nil: "-"
      }
    case .txt: return text.isEmpty ? "-" : text
    case .name: return Line.quoted(text)
    case .title, .remarks: return text.isEmpty ? "-" : Line.quoted(text)
    case .interface, .address:
      let parts = self == .interface ? service.sources.map(\.name) : (service.endpoint?.addresses ?? []).map(\.description)
      return parts.isEmpty ? "-" : parts.map { Line.word($0) }.joined(separator: ",")
    case .type, .domain, .region, .host, .port: return text.isEmpty ? "-" : Line.word(text)
    }
  }

  /// The line about a service, without its sign.
  static func line(_ columns: [ServiceColumn], of service: DiscoveredService) -> String {
    columns.map { $0.word(of: service) }.joined(separator: " ")
  }

  /// Services in rows.
  static func table(_ columns: [ServiceColumn], of services: [DiscoveredService]) -> TextTable {
    TextTable(
      columns.map { column in
        TextTable.Column(
          heading: column.heading, cells: services.map { column.text(of: $0) }, isNumeric: column == .port)
      })
  }
}
