import _BonjourishDiscovery
import _BonjourishTerminal

/// A column of the list. The first of those that do not fit are left out last.
enum Column: Int, CaseIterable, Sendable {
  case name, type, remarks, host, port, addresses, title, interfaces, txt

  /// The columns in their order. Where services are is told before their addresses if some may be elsewhere.
  static func inOrder(usesDirectory: Bool) -> [Column] {
    usesDirectory ? [.name, .type, .remarks, .interfaces, .host, .port, .addresses, .title, .txt] : allCases
  }

  /// Whether it tells more than the groups do.
  func isUseful(in grouping: Grouping) -> Bool {
    switch self {
    case .type, .title: grouping != .type
    case .host, .addresses: grouping != .host
    case .port: grouping == .host
    case .interfaces: grouping != .interface
    case .name, .remarks, .txt: true
    }
  }

  /// Whether only resolving finds what it tells.
  var needsEndpoint: Bool {
    switch self {
    case .host, .port, .addresses, .txt: true
    case .name, .type, .remarks, .title, .interfaces: false
    }
  }

  var heading: String {
    switch self {
    case .name: "Name"
    case .type: "Type"
    case .remarks: "Remarks"
    case .host: "Host and port"
    case .port: "Port"
    case .addresses: "Addresses"
    case .title: "What it is"
    case .interfaces: "On"
    case .txt: "TXT record"
    }
  }

  /// The smallest useful width.
  var minimum: Int {
    switch self {
    case .name: 16
    case .title: 12
    // The port is at the end.
    case .host: 17
    // As long as types can be in the domain local: what a service is matters more than where it is.
    case .type: 21
    case .remarks: 14
    case .addresses, .txt: 10
    case .port: 5
    case .interfaces: 4
    }
  }

  /// The text about a service, without characters that control a terminal.
  ///
  /// - Parameters:
  ///   - title: What services of its type are, in words.
  ///   - resolves: Whether its endpoint is expected.
  func text(of service: DiscoveredService, _ remarks: Entry.Remarks, title: String?, resolves: Bool) -> String {
    switch self {
    case .name: service.instance.name.description
    case .type: Texts.type(of: service.instance)
    case .remarks: Self.remarks(on: service, remarks, resolves: resolves).joined(separator: ", ")
    case .host: service.endpoint.map { "\($0.host):\($0.port)" } ?? ""
    case .port: service.endpoint.map { String($0.port) } ?? ""
    case .addresses: (service.endpoint?.addresses ?? []).map(\.description.escapedForDisplay).joined(separator: ", ")
    case .title: title ?? ""
    case .interfaces: service.sources.map(\.description).joined(separator: ", ")
    case .txt: service.endpoint.map { Texts.entries(of: $0.txt).joined(separator: " ") } ?? ""
    }
  }

  /// What is to be remarked about a service.
  static func remarks(on service: DiscoveredService, _ known: Entry.Remarks, resolves: Bool) -> [String] {
    let flapping = known.flapsUntil > .zero ? ["comes and goes"] : []
    // The rest was true while it was there.
    if known.isGone { return flapping }
    var remarks: [String] = []
    if service.isOwn { remarks.append("published here") }
    if known.isSilent || resolves, service.endpoint == nil { remarks.append(service.absence) }
    switch service.presence {
    case .present: break
    case .leaving: remarks.append("said goodbye")
    case .suspect: remarks.append("may be gone")
    }
    return remarks + flapping
  }
}

/// The widths of the columns on a screen.
struct ColumnWidths {
  /// The columns that are shown, from left to right, with their widths.
  let shown: [(column: Column, width: Int)]

  static let gap = 2
  /// What the names of most services have room in. They are what people look for.
  private static let usualName = 24

  /// Distributes the columns of a line.
  ///
  /// - Parameters:
  ///   - natural: The columns that are wanted, in their order, with the widths that they need.
  ///   - total: The width of the line.
  ///   - usesDirectory: Whether the names of interfaces may be those of a directory, which are longer.
  ///   - sparse: Those that most services have nothing in. They are shown only if no other column is cut for them.
  init(
    _ natural: [(column: Column, width: Int)], within total: Int, usesDirectory: Bool = false, sparse: Set<Column> = []
  ) {
    var wanted = natural
    func least(_ one: (column: Column, width: Int)) -> Int {
      min(one.width, usesDirectory && one.column == .interfaces ? 14 : one.column.minimum)
    }
    func sum(_ width: ((column: Column, width: Int)) -> Int) -> Int {
      wanted.reduce(Self.gap * (wanted.count - 1)) { $0 + width($1) }
    }
    while let last = wanted.lastIndex(where: { sparse.contains($0.column) }),
      sum({ sparse.contains($0.column) ? least($0) : $0.width }) > total
    { wanted.remove(at: last) }
    while wanted.count > 1, sum(least) > total { wanted.removeLast() }
    var widths = wanted.map(least)
    if wanted.count == 1 { widths = [min(wanted[0].width, max(0, total))] }
    // The rest goes to those that need it, as evenly as that is possible; first to those that most services have something in.
    var rest = total - widths.reduce(Self.gap * (wanted.count - 1), +)
    if let name = wanted.first, name.column == .name {
      let more = min(rest, max(0, min(name.width, Self.usualName) - widths[0]))
      widths[0] += more
      rest -= more
    }
    while rest > 0, case let needy = wanted.indices.filter({ widths[$0] < wanted[$0].width }), !needy.isEmpty {
      let dense = needy.filter { !sparse.contains(wanted[$0].column) }
      let served = (dense.isEmpty ? needy : dense).prefix(rest)
      for place in served { widths[place] += 1 }
      rest -= served.count
    }
    shown = zip(wanted, widths).map { ($0.column, $1) }
  }
}
