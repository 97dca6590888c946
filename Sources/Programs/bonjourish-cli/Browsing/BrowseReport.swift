import Bonjourish
import _BonjourishConsole
import _BonjourishDoctor
import _BonjourishExplorer
import _BonjourishJSONOutput

/// Shows what `browse` finds, of all its types in one list.
actor BrowseReport {
  struct Output {
    let json: Bool
    /// Whether services are resolved.
    let showsEndpoint: Bool
    let showsHints: Bool
    /// The order of the list at the end; nil to write each change when it happens.
    let order: ServiceOrder?
    /// The number of services after which it is enough.
    let count: Int?
    /// What a line shows of a service; nil for the usual.
    var columns: [ServiceColumn]?
    /// Whether the list at the end is a table for people.
    var isTable = false
    /// Shows the changes in place of ``write`` and ``warn``.
    var screen: ExplorerScreen?
    var write: @Sendable (String) -> Void = { _BonjourishConsole.Output.standard.line($0) }
    var warn: @Sendable (String) -> Void = { diagnostics.warning($0) }

    /// The line about a service, without its sign.
    func line(_ service: DiscoveredService) -> String {
      columns.map { ServiceColumn.line($0, of: service) } ?? Line.service(service, resolves: showsEndpoint)
    }
  }

  private let output: Output
  private var selection: BrowseSelection
  /// The types that are browsed now.
  private var types: Set<ServiceType>
  /// Whether all types have been found that answer at once.
  private var areTypesKnown: Bool
  private let stopsWhenSettled: Bool
  /// The directory whose services the list must not lack.
  private let directory: DirectoryAnswer?
  private var settled: Set<ServiceType> = []
  /// The reasons why services of a type may be missing; nil stands for the search for types.
  private var outages: [ServiceType?: DiscoveryError] = [:]
  private var foundCount = 0
  private var isDone = false

  /// - Parameters:
  ///   - types: The types to browse for; nil if they have to be found.
  ///   - stopsWhenSettled: Whether it is enough when all that is there has answered.
  ///   - directory: The directory whose services the list must not lack; nil for none.
  init(
    _ output: Output, _ selection: BrowseSelection, types: [ServiceType]?, stopsWhenSettled: Bool,
    directory: DirectoryAnswer? = nil
  ) {
    self.directory = directory
    self.output = output
    self.selection = selection
    self.types = Set(types ?? [])
    areTypesKnown = types != nil
    self.stopsWhenSettled = stopsWhenSettled
  }

  /// Whether no service was found.
  var isEmpty: Bool { foundCount == 0 }

  // MARK: - Types

  /// Notes that a further type is browsed.
  func begin(_ type: ServiceType) {
    types.insert(type)
  }

  /// Notes that a type is browsed no longer, and with it all its services are gone; returns whether it is enough.
  func end(_ type: ServiceType) -> Bool {
    for service in ServiceOrder.name.sorted(selection.shown.values.filter { $0.instance.type == type }) {
      _ = show(.lost(service), of: type)
    }
    types.remove(type)
    settled.remove(type)
    if outages[type] != nil { _ = show(.restored, of: type) }
    return endIfSettled()
  }

  /// Takes what happens to the search for types, except for the types; returns whether it is enough.
  func showTypes<Element>(_ change: DiscoveryChange<Element>) -> Bool {
    switch change {
    case .found, .updated, .lost: return isDone
    case .settled:
      // As below.
      guard directory?.isReached != false else { return isDone }
      areTypesKnown = true
      return endIfSettled()
    case .interrupted(let error): return show(.interrupted(error), of: nil)
    case .restored: return show(.restored, of: nil)
    }
  }

  private func endIfSettled() -> Bool {
    guard !isDone, areTypesKnown, settled == types else { return isDone }
    output.screen?.settle()
    guard stopsWhenSettled else { return false }
    isDone = true
    writeSorted()
    return true
  }

  // MARK: - Services

  /// Takes a change of one type, or of the search for types; returns whether it is enough.
  func show(_ change: BrowseChange, of type: ServiceType?) -> Bool {
    let former = if case .updated(let service) = change { selection.shown[service.instance] } else { nil as DiscoveredService? }
    guard !isDone, let change = selection.apply(change) else { return isDone }
    switch change {
    case .found:
      foundCount += 1
      if output.order == nil || output.screen != nil { write(change, of: type) }
      isDone = foundCount == output.count
      if isDone { writeSorted() }
    case .updated(let service):
      if output.screen != nil || output.order == nil && former.map({ isVisible($0, service) }) != false {
        write(change, of: type)
      }
    case .lost:
      if output.order == nil || output.screen != nil { write(change, of: type) }
    case .settled:
      // Discovery settles without a directory that is away, and again when it is there.
      guard directory?.isReached != false else { return isDone }
      if let type { settled.insert(type) }
      _ = endIfSettled()
      write(change, of: type)
    case .interrupted(let error):
      let isNew = outages.isEmpty
      outages[type] = error
      if isNew || output.json { write(change, of: type) }
    case .restored:
      let was = outages.removeValue(forKey: type)
      if was != nil && outages.isEmpty || output.json { write(change, of: type) }
    }
    return isDone
  }

  /// Whether a line tells what differs. It does not tell address families.
  private func isVisible(_ former: DiscoveredService, _ service: DiscoveredService) -> Bool {
    output.columns == nil
      ? former != service && !former.differsInFamilies(from: service) : output.line(former) != output.line(service)
  }

  // MARK: - The end

  /// Ends the list; returns the reason why it may be incomplete.
  func end() -> DiscoveryError? {
    if !isDone {
      isDone = true
      writeSorted()
    }
    return outages.values.first
  }

  /// The most services that are written when a screen is gone.
  static let mostLast = 100

  /// Writes what a screen has shown last when the time or the number is reached for which it was to be shown.
  func writeLast(_ services: [DiscoveredService]) {
    for service in services.prefix(Self.mostLast) { output.write("+ \(output.line(service))") }
    let rest = services.count - Self.mostLast
    if rest > 0 { output.warn("\(rest) more services were listed; give --plain to see all") }
  }

  /// Tells that there is nothing, unless a program reads.
  ///
  /// - Parameter sought: The types, such as "_http._tcp or _ipp._tcp"; nil for all.
  func showNothingFound(_ sought: String?) {
    guard !output.json else { return }
    let words = ["No", selection.needsMatch ? "matching" : nil, sought, "services found."]
    _BonjourishConsole.Output.error.line(words.compactMap(\.self).joined(separator: " "))
  }

  /// Tells why nothing is found, unless something was.
  func show(_ finding: Finding) {
    guard isEmpty else { return }
    if output.json { return output.write(JSONLine.text(of: JSONEvent(FindingEvent(finding)))) }
    for line in ContainerCheck.warning(finding) { output.warn(line) }
  }

  private func writeSorted() {
    guard let order = output.order, output.screen == nil else { return }
    if output.isTable, let columns = output.columns, !selection.shown.isEmpty {
      let table = ServiceColumn.table(columns, of: order.sorted(selection.shown.values))
      return table.lines.forEach(output.write)
    }
    for service in order.sorted(selection.shown.values) { write(.found(service), of: service.instance.type) }
  }

  private func write(_ change: BrowseChange, of type: ServiceType?) {
    if let screen = output.screen { return screen.show(change, of: type) }
    if output.json {
      return output.write(JSONLine.text(of: JSONEvent(ChangeEvent(change, of: type, hints: output.showsHints))))
    }
    switch change {
    case .found(let service): output.write("+ \(output.line(service))")
    case .updated(let service): output.write("~ \(output.line(service))")
    case .lost(let service) where output.columns != nil: output.write("- \(output.line(service))")
    case .lost(let service): output.write("- \(Line.quoted(service.instance.name.text)) \(Line.type(service.instance))")
    // Only `--json` shows this.
    case .settled: return
    case .interrupted(let error): output.warn(error.message)
    case .restored: output.warn("discovery works again")
    }
  }
}
