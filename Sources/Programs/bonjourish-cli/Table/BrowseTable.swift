import Bonjourish
import _BonjourishTerminal

/// What `browse` shows on a terminal, as a value: changes and times go in, pictures come out.
struct BrowseTable {
  /// What has just happened to a service.
  enum Mark: String {
    case found = "+"
    case changed = "~"
    case lost = "-"
  }

  struct Row {
    var service: DiscoveredService
    /// The texts of ``Column/allCases``, escaped.
    var cells: [String]
    /// Their widths in columns of the terminal.
    var widths: [Int]
    var mark: Mark?
    /// The time at which the mark, or the row of a lost service, disappears.
    var end: Duration
  }

  /// The time for which a change is marked.
  static let markTime: Duration = .seconds(5)
  /// The largest number of messages that are kept.
  static let mostMessages = 8

  /// The types as they are asked for; nil for all.
  let sought: [String]?
  let resolves: Bool
  /// Whether only some of the services are shown.
  let isSelective: Bool
  let order: ServiceOrder
  /// The part of the directory that is used; nil for none.
  let region: String?

  /// The backend's name, `avahi` or `builtin`; nil while it is not known.
  var backend: String?
  private let isUnicode: Bool
  /// Where the network is reached; nil while it is not known.
  var reach: Reach?
  /// The number of rows above the first one that is shown.
  var scroll = 0
  /// The number of rows that the last picture had place for.
  private(set) var page = 1

  private(set) var rows: [Row] = []
  private(set) var outage: DiscoveryError?
  private(set) var messages: [String] = []
  /// Whether all that was there at the beginning has answered.
  private(set) var isSettled = false
  private var settled: Set<ServiceType?> = []

  /// - Parameters:
  ///   - order: The order of the rows; nil for that of names, or of types and names if there are several types.
  ///   - region: The part of the directory that is used; nil for none.
  ///   - isUnicode: Whether more than ASCII can be shown.
  init(
    sought: [String]?, resolves: Bool, order: ServiceOrder? = nil, isSelective: Bool = false, region: String? = nil,
    isUnicode: Bool = true
  ) {
    self.isUnicode = isUnicode
    self.region = region
    self.sought = sought
    self.resolves = resolves
    self.isSelective = isSelective
    self.order = order ?? (sought?.count == 1 ? .name : .type)
  }

  /// Whether services of several types may be shown.
  var hasTypes: Bool { sought?.count != 1 }

  /// The number of services that are there.
  var count: Int { rows.count { $0.mark != .lost } }

  // MARK: - Changes

  /// Takes a change of a type, or of the search for types.
  mutating func apply(_ change: BrowseChange, of type: ServiceType?, at now: Duration) {
    switch change {
    case .found(let service):
      // What was there before is not marked.
      put(service, isSettled || settled.contains(type) ? .found : nil, at: now)
    case .updated(let service):
      let mark = rows.first { $0.service.instance == service.instance && now < $0.end }?.mark
      put(service, mark == .found ? .found : .changed, at: now)
    case .lost(let service):
      guard let place = rows.firstIndex(where: { $0.service.instance == service.instance }) else { return }
      (rows[place].mark, rows[place].end) = (.lost, now + Self.markTime)
    case .settled: settled.insert(type)
    case .interrupted(let error): outage = error
    case .restored: outage = nil
    }
  }

  private mutating func put(_ service: DiscoveredService, _ mark: Mark?, at now: Duration) {
    rows.removeAll { $0.service.instance == service.instance }
    let cells = Column.allCases.map { $0.text(of: service, resolves: resolves) }.map { isUnicode ? $0 : $0.escapedForASCII }
    let row = Row(service: service, cells: cells, widths: cells.map(\.columns), mark: mark, end: now + Self.markTime)
    let key = order.key(of: service)
    // Rows are in order, so that the place is found in few steps.
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if order.key(of: rows[middle].service).lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
    }
    rows.insert(row, at: low)
  }

  /// Notes that all that is there has answered.
  mutating func settle() {
    isSettled = true
  }

  /// Takes a message for the person, escaped for display.
  mutating func tell(_ message: String) {
    messages = messages.suffix(Self.mostMessages - 1) + [message]
  }

  /// Lets time pass: marks disappear, and lost services.
  mutating func advance(to now: Duration) {
    rows.removeAll { $0.mark == .lost && $0.end <= now }
    for place in rows.indices where rows[place].mark != nil && rows[place].end <= now { rows[place].mark = nil }
  }

  // MARK: - Moving

  enum Movement {
    case up, down, pageUp, pageDown, top, bottom
  }

  /// Moves the rows on a screen that is too small for all.
  mutating func move(_ movement: Movement) {
    switch movement {
    case .up: scroll -= 1
    case .down: scroll += 1
    case .pageUp: scroll -= page
    case .pageDown: scroll += page
    case .top: scroll = 0
    case .bottom: scroll = rows.count
    }
    fit(page)
  }

  /// Notes for how many rows there is place.
  mutating func fit(_ page: Int) {
    self.page = max(1, page)
    scroll = max(0, min(scroll, rows.count - self.page))
  }
}
