import Bonjourish
import Console

/// Writes what `browse` finds, of all its types in one list.
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
    var write: @Sendable (String) -> Void = { Console.Output.standard.line($0) }
    var warn: @Sendable (String) -> Void = { diagnostics.warning($0) }
  }

  private let output: Output
  private var selection: BrowseSelection
  private let typeCount: Int
  private let stopsWhenSettled: Bool
  private var settled: Set<ServiceType> = []
  private var outages: [ServiceType: DiscoveryError] = [:]
  private var foundCount = 0
  private var isDone = false

  init(_ output: Output, _ selection: BrowseSelection, typeCount: Int, stopsWhenSettled: Bool) {
    self.output = output
    self.selection = selection
    self.typeCount = typeCount
    self.stopsWhenSettled = stopsWhenSettled
  }

  /// Whether no service was found.
  var isEmpty: Bool { foundCount == 0 }

  /// Takes a change of one type; returns whether it is enough.
  func show(_ change: BrowseChange, of type: ServiceType) -> Bool {
    let former = if case .updated(let service) = change { selection.shown[service.instance] } else { nil as DiscoveredService? }
    guard !isDone, let change = selection.apply(change) else { return isDone }
    switch change {
    case .found:
      foundCount += 1
      if output.order == nil { write(change, of: type) }
      isDone = foundCount == output.count
      if isDone { writeSorted() }
    case .updated(let service):
      let isVisible = former?.looksLike(service) != true
      if output.order == nil, isVisible { write(change, of: type) }
    case .lost:
      if output.order == nil { write(change, of: type) }
    case .settled:
      settled.insert(type)
      isDone = stopsWhenSettled && settled.count == typeCount
      if isDone { writeSorted() }
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

  /// Ends the list; returns the reason why it may be incomplete.
  func end() -> DiscoveryError? {
    if !isDone {
      isDone = true
      writeSorted()
    }
    return outages.values.first
  }

  /// Tells that there is nothing, unless a program reads.
  func showNothingFound(_ types: String) {
    guard !output.json else { return }
    Console.Output.error.line("No \(selection.needsMatch ? "matching " : "")\(types) services found.")
  }

  private func writeSorted() {
    guard let order = output.order else { return }
    for service in order.sorted(selection.shown.values) { write(.found(service), of: service.instance.type) }
  }

  private func write(_ change: BrowseChange, of type: ServiceType) {
    if output.json {
      return output.write(JSONLine.text(of: Record(ChangeRecord(change, of: type, hints: output.showsHints))))
    }
    switch change {
    case .found(let service): output.write("+ \(Line.service(service, resolves: output.showsEndpoint))")
    case .updated(let service): output.write("~ \(Line.service(service, resolves: output.showsEndpoint))")
    case .lost(let service): output.write("- \(Line.quoted(service.instance.name.text)) \(Line.type(service.instance))")
    // Only `--json` shows this.
    case .settled: return
    case .interrupted(let error): output.warn(error.message)
    case .restored: output.warn("discovery works again")
    }
  }
}

extension DiscoveredService {
  /// Whether two states differ at most in the address families, which are not shown.
  fileprivate func looksLike(_ other: DiscoveredService) -> Bool {
    var copy = self
    copy.links = other.links
    return copy == other && interfaces == other.interfaces
  }
}
