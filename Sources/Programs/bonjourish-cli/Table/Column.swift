import Bonjourish
import _BonjourishBase
import _BonjourishTerminal

/// A column of the table. The first of those that do not fit are left out last.
enum Column: Int, CaseIterable {
  case name, type, remarks, host, addresses, title, interfaces, txt

  /// The columns in their order. Where services are is told before their addresses if some may be elsewhere.
  static func inOrder(usesDirectory: Bool) -> [Column] {
    usesDirectory ? [.name, .type, .remarks, .interfaces, .host, .addresses, .title, .txt] : allCases
  }

  var heading: String {
    switch self {
    case .name: "Name"
    case .type: "Type"
    case .remarks: "Remarks"
    case .host: "Host and port"
    case .addresses: "Addresses"
    case .title: "What it is"
    case .interfaces: "On"
    case .txt: "TXT record"
    }
  }

  /// The smallest useful width.
  var minimum: Int {
    switch self {
    case .name, .host, .title: 12
    case .type: 10
    case .remarks, .addresses, .txt: 9
    case .interfaces: 4
    }
  }

  /// The text about a service, without characters that control a terminal.
  func text(of service: DiscoveredService, resolves: Bool) -> String {
    switch self {
    case .name: service.instance.name.text.escapedForDisplay
    case .type: Line.type(service.instance)
    case .remarks: Line.remarks(on: service, resolves: resolves).joined(separator: ", ")
    case .host: service.endpoint.map { "\(Line.word($0.host.text)):\($0.port)" } ?? ""
    case .addresses: (service.endpoint?.addresses ?? []).map { Line.word($0.description) }.joined(separator: ", ")
    case .title: KnownType.title(of: service.instance.type) ?? ""
    case .interfaces: service.sources.map { Line.word($0.name) }.joined(separator: ", ")
    case .txt: service.endpoint.map { Line.entries($0.txt).joined(separator: " ") } ?? ""
    }
  }
}

/// The widths of the columns on a screen.
struct ColumnWidths {
  /// The columns that are shown, from left to right, with their widths.
  let shown: [(column: Column, width: Int)]

  static let gap = 2

  /// Distributes the columns of a line.
  ///
  /// - Parameters:
  ///   - natural: The columns that are wanted, in their order, with the widths that they need.
  ///   - total: The width of the line.
  ///   - usesDirectory: Whether the names of interfaces may be those of a directory, which are longer.
  init(_ natural: [(column: Column, width: Int)], within total: Int, usesDirectory: Bool = false) {
    var wanted = natural
    func least(_ one: (column: Column, width: Int)) -> Int {
      min(one.width, usesDirectory && one.column == .interfaces ? 14 : one.column.minimum)
    }
    func sum() -> Int { wanted.reduce(Self.gap * (wanted.count - 1)) { $0 + least($1) } }
    while wanted.count > 1, sum() > total { wanted.removeLast() }
    var widths = wanted.map(least)
    if wanted.count == 1 { widths = [min(wanted[0].width, total)] }
    // The rest goes to those that need it, as evenly as that is possible.
    var rest = total - widths.reduce(Self.gap * (wanted.count - 1), +)
    while rest > 0, case let needy = wanted.indices.filter({ widths[$0] < wanted[$0].width }), !needy.isEmpty {
      for place in needy.prefix(rest) { widths[place] += 1 }
      rest -= min(rest, needy.count)
    }
    shown = zip(wanted, widths).map { ($0.column, $1) }
  }
}
