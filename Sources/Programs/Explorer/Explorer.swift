package import _BonjourishDiscovery
import _BonjourishTerminal

/// What `bonjourish browse` shows on a terminal, as a value: events and their times go in, effects and pictures come out.
package struct Explorer: Sendable {
  /// Which part of the screen the keys are for.
  enum Focus: Sendable {
    case list, details
  }

  /// What the keys mean, and what the bottom of the screen or the whole of it shows.
  enum Mode: Sendable {
    case exploring
    /// A line is being written.
    case writing(Prompt)
    case choosing(Menu)
    case reading(Pane)
  }

  /// Changes that wait until the list goes on.
  struct Frozen: Sendable {
    var changes: [ServiceInstance: BrowseChange] = [:]
    var count = 0

    /// The present state of a service that has changed; nil if it has not, or is gone.
    func service(_ instance: ServiceInstance) -> DiscoveredService? {
      switch changes[instance] {
      case .found(let service), .updated(let service): service
      default: nil
      }
    }
  }

  /// A service that is published from here.
  struct PublishedHere: Sendable {
    let number: Int
    let words: [String]
    /// Nil while its name is not established.
    var instance: ServiceInstance?
  }

  let settings: ExplorerSettings
  var tree: ServiceTree
  var history = HistoryBook()
  var mode = Mode.exploring
  var focus = Focus.list
  /// The row that is selected; nil for the first one.
  var cursor: ServiceTree.Anchor?
  /// The number of the selected row when it was last looked for.
  var cursorIndex = 0
  /// The number of rows above the first one that is shown.
  var scroll = 0
  /// Whether the selected row must be seen.
  var keepsCursorInSight = true
  /// Where the last picture had what.
  var layout = Layout()
  /// The line of the details that is selected, and the number of those above the first that is shown.
  var detailCursor = 0
  var detailScroll = 0
  /// Whether details are shown in place of a list that leaves no space for them.
  var showsDetailsAlone = false

  /// The service that the shell follows.
  var followed: ServiceInstance?
  var records: [ResourceRecord] = []
  var recordsTime: Duration = .zero
  /// How long the records are still believed, of those of which it is known.
  var lifetimes: [ResourceRecord.ID: Duration] = [:]
  /// What resolving single services has brought.
  var resolved: [ServiceInstance: (endpoint: Endpoint?, refused: [IPAddress], time: Duration)] = [:]
  /// Whether the person, or the command line, wants all services resolved.
  var asksToResolveAll: Bool
  /// Whether all services are resolved: what is listed may need it.
  var resolvesAll: Bool { asksToResolveAll || needsEndpoints }
  /// What that was at the last event.
  private var resolvedAll = false
  /// The services that are being resolved because all are to be.
  var resolving: Set<ServiceInstance> = []

  var frozen: Frozen?
  var marked: Set<ServiceInstance> = []
  var publications: [PublishedHere] = []
  var nextPublication = 1
  var hasMouse = true
  var isExamining = false
  var report: [String] = []

  var backend: String?
  /// Those of this machine.
  var addresses: Set<IPAddress> = []
  var reach: Reach?
  var outage: DiscoveryError?
  var messages: [String] = []
  /// What came of the last thing that the user asked for, and until when that is shown.
  var note: (text: String, end: Duration)?
  /// Whether all that was there at the beginning has answered.
  var isSettled = false
  var settled: Set<ServiceType?> = []
  /// The services with marks, in the order in which these end, and those that come and go.
  var endings = Endings()
  var flapEndings = Endings()

  /// The time for which a change is marked.
  static let markTime: Duration = .seconds(5)
  /// The time for which is shown what came of something.
  static let noteTime: Duration = .seconds(6)
  /// The largest number of messages that are kept.
  static let mostMessages = 8
  /// The largest number of services that are resolved at a time because all are to be.
  static let mostResolving = 16

  package init(_ settings: ExplorerSettings) {
    self.settings = settings
    asksToResolveAll = settings.resolves
    tree = ServiceTree(settings.sought?.count == 1 ? .flat : .type, settings.order ?? .name)
  }

  /// Whether something is being written or chosen at the bottom, which Ctrl-C leaves.
  package var isAsking: Bool {
    switch mode {
    case .writing, .choosing: true
    case .exploring, .reading: false
    }
  }

  /// The number of services that are there and listed.
  package var count: Int { tree.listedCount }

  /// The services that are listed and there, in the order of the list without its groups.
  package var shown: [DiscoveredService] { tree.listed.filter { $0.mark != .lost }.map(\.service) }

  /// Takes an event.
  ///
  /// - Parameter now: The time since the beginning.
  /// - Returns: What is to be done.
  package mutating func handle(_ event: ExplorerEvent, at now: Duration) -> [ExplorerEffect] {
    var effects: [ExplorerEffect] = []
    switch event {
    case .changed(let change, let type): apply(change, of: type, at: now)
    case .settled: isSettled = true
    case .key(let key): effects = handle(key, at: now)
    case .resolved(let instance, let endpoint, let refused): note(endpoint, refusing: refused, of: instance, at: now)
    case .records(let instance, let records):
      if instance == followed { (self.records, recordsTime) = (records, now) }
    case .lifetimes(let instance, let lifetimes): if instance == followed { self.lifetimes = lifetimes }
    case .publication(let number, let state): note(state, of: number, at: now)
    case .examined(let lines): (report, isExamining) = (lines, false)
    case .reach(let reach): self.reach = reach
    case .addresses(let addresses): self.addresses = addresses
    case .backend(let backend): self.backend = backend
    case .message(let message): messages = messages.suffix(Self.mostMessages - 1) + [message]
    case .note(let text): tell(text, at: now)
    case .tick: break
    }
    advance(to: now)
    if resolvesAll != resolvedAll { (resolvedAll, unresolvedMayExist) = (resolvesAll, true) }
    return effects + followSelection() + resolveNext()
  }

  mutating func tell(_ text: String, at now: Duration) { note = (text, now + Self.noteTime) }

  // MARK: - Resolving

  /// Whether the list is about what only resolving finds. A filter that is still being written is not.
  var needsEndpoints: Bool {
    if tree.grouping == .host || tree.order.needsEndpoint { return true }
    if case .writing = mode { return false }
    return tree.filter?.conditions.contains(where: \.needsEndpoint) == true
  }

  /// Follows what is selected now.
  private mutating func followSelection() -> [ExplorerEffect] {
    let selected = selectedEntry?.service.instance
    guard selected != followed else { return [] }
    (followed, records, lifetimes) = (selected, [], [:])
    (detailCursor, detailScroll) = (0, 0)
    return [.follow(selected)]
  }

  /// Resolves some of those that are not resolved yet, if all are to be and their browser does not do it.
  private mutating func resolveNext() -> [ExplorerEffect] {
    guard resolvesAll, !settings.resolves, resolving.count < Self.mostResolving, unresolvedMayExist else { return [] }
    var next: [ServiceInstance] = []
    for entry in tree.entries where entry.service.endpoint == nil && entry.mark != .lost {
      let instance = entry.service.instance
      guard resolved[instance] == nil, !resolving.contains(instance) else { continue }
      next.append(instance)
      if resolving.count + next.count >= Self.mostResolving { break }
    }
    unresolvedMayExist = !next.isEmpty
    resolving.formUnion(next)
    return next.map { .resolve($0) }
  }

  /// Whether a search for services that are not resolved may find one.
  var unresolvedMayExist = true

  // MARK: - What is selected

  /// The row that is selected; nil if there is none.
  var selectedRow: ServiceTree.Row? { tree.rows(from: cursorIndex, count: 1).first }

  /// The service that is selected; nil for a group.
  var selectedEntry: Entry? {
    if case .service(_, let slot)? = selectedRow { tree[slot] } else { nil }
  }

  /// The group that is selected; nil for a service.
  var selectedGroup: ServiceTree.Group? {
    if case .group(let place)? = selectedRow { tree.groups[place] } else { nil }
  }
}
