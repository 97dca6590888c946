import Bonjourish
import _BonjourishConsole

/// `bonjourish types`
struct Types {
  private let domain: DomainName
  private let interfaces: InterfaceSelection
  private let limit: Duration?
  private let report: TypesReport

  init(_ arguments: Arguments) throws {
    domain = try arguments.domain()
    interfaces = try arguments.localInterfaces()
    let once = arguments[Commands.once]
    limit = once ? .longestOnce : arguments[Commands.duration]
    let form: TypesReport.Form =
      if arguments[Commands.json] { .json } else if !once { .changes } else {
        !arguments[Commands.asLines] && Output.standard.isTerminal ? .table : .list
      }
    report = TypesReport(TypeCounts(in: domain), form, stopsWhenSettled: once)
  }

  func run(on bonjour: Bonjour) async throws {
    let types = AnnouncedTypes(domain: domain, interfaces: interfaces) { diagnostics.warning($0) }
    let handlers = AnnouncedTypes.Handlers(
      search: { await report.search($0) }, begin: { await report.begin($0) },
      follow: { type in
        try await bonjour.withBrowser(for: type, domain: domain, interfaces: interfaces) { browser in
          for try await change in browser.changes where await report.count(change, of: type) { return true }
          return false
        }
      }, end: { await report.end($0) })
    try await forAtMost(limit) { try await types.run(on: bonjour, handlers) }
    if Task.isCancelled { return }
    try await report.finish(isLimited: limit != nil)
  }

  /// The type, the interfaces, the number of services, and what a service of a well-known type is.
  static func line(_ counted: CountedType) -> String {
    let found = counted.found
    let interfaces = found.interfaces.map { Line.word($0.name) }.joined(separator: ",")
    let words = [name(found), interfaces.isEmpty ? "-" : interfaces, counted.instances.map(String.init) ?? "-"]
    return (words + (KnownType.title(of: found.type).map { [Line.quoted($0)] } ?? [])).joined(separator: " ")
  }

  static func table(_ types: [CountedType]) -> TextTable {
    TextTable([
      .init(heading: "Type", cells: types.map { name($0.found) }),
      .init(heading: "Services", cells: types.map { $0.instances.map(String.init) ?? "-" }, isNumeric: true),
      .init(heading: "What it is", cells: types.map { KnownType.title(of: $0.found.type) ?? "" }),
      .init(heading: "On", cells: types.map { $0.found.interfaces.map(\.name).joined(separator: ", ") }),
    ])
  }

  /// The type, with the domain unless it is local.
  private static func name(_ found: DiscoveredServiceType) -> String {
    found.domain == .local ? Line.word("\(found.type)") : Line.word("\(found.type).\(found.domain.text)")
  }
}

/// Writes the types that ``TypeCounts`` tells.
actor TypesReport {
  enum Form {
    case json
    /// A line of each change.
    case changes
    /// Lines at the end.
    case list
    /// A table at the end.
    case table
  }

  private var counts: TypeCounts
  private let form: Form
  private let stopsWhenSettled: Bool
  private var wasFound = false
  private var isDone = false

  init(_ counts: TypeCounts, _ form: Form, stopsWhenSettled: Bool) {
    (self.counts, self.form, self.stopsWhenSettled) = (counts, form, stopsWhenSettled)
  }

  // MARK: - What happens

  /// See ``AnnouncedTypes/Handlers/search``.
  func search(_ change: DiscoveryChange<DiscoveredServiceType>) -> Bool { show(counts.search(change)) }

  /// See ``AnnouncedTypes/Handlers/begin``.
  func begin(_ type: ServiceType) { counts.begin(type) }

  /// Takes a change of the services of a type; returns whether it is enough.
  func count(_ change: BrowseChange, of type: ServiceType) -> Bool { show(counts.count(change, of: type)) }

  /// See ``AnnouncedTypes/Handlers/end``.
  func end(_ type: ServiceType) -> Bool { show(counts.end(type)) }

  /// Writes what is to be written at the end.
  ///
  /// - Parameter isLimited: Whether the time was limited, so that it is told that nothing was found.
  /// - Throws: The reason why something may be missing, if the list was to be complete; a ``Failure`` with code ``ExitCode/negative`` if
  ///   nothing was found.
  func finish(isLimited: Bool) throws {
    let isComplete = isDone
    isDone = true
    let all = counts.all
    wasFound = wasFound || !all.isEmpty
    switch form {
    // Types that were not counted to the end have not been told.
    case .json, .changes: if !isComplete { for event in counts.finish() { write(event) } }
    case .list: for type in all { Output.standard.line("+ \(Types.line(type))") }
    case .table: if !all.isEmpty { for line in Types.table(all).lines { Output.standard.line(line) } }
    }
    if stopsWhenSettled, let outage = counts.outage { throw outage }
    guard isLimited, !wasFound else { return }
    if form != .json { Output.error.line("No services found.") }
    throw Failure(.negative, "")
  }

  // MARK: - What is written

  private func show(_ events: [TypeCounts.Event]) -> Bool {
    for event in events where !isDone {
      write(event)
      if stopsWhenSettled, event == .settled { isDone = true }
    }
    return isDone
  }

  private func write(_ event: TypeCounts.Event) {
    switch event {
    case .found(let type): write("found", "+", type)
    case .updated(let type): write("updated", "~", type)
    case .lost(let type): write("lost", "-", type)
    case .settled: if form == .json { Output.standard.event(InterruptionEvent(event: "settled", reason: nil)) }
    case .interrupted(let error): write("interrupted", error.message)
    case .restored: write("restored", nil)
    }
  }

  private func write(_ event: String, _ sign: String, _ type: CountedType) {
    wasFound = true
    switch form {
    case .json: Output.standard.event(TypeEvent(event, type))
    case .changes: Output.standard.line("\(sign) \(Types.line(type))")
    case .list, .table: break
    }
  }

  private func write(_ event: String, _ reason: String?) {
    if form == .json {
      Output.standard.event(InterruptionEvent(event: event, reason: reason))
    } else {
      diagnostics.warning(reason ?? "discovery works again")
    }
  }
}
