import Bonjourish
import Console

/// `bonjourish browse`
struct Browse {
  /// A type, and the subtype if only its services are sought.
  struct Sought: Hashable {
    let type: ServiceType
    let subtype: ServiceSubtype?

    /// Parses a type, `http` for `_http._tcp`, or `SUBTYPE._sub.TYPE`.
    init(_ text: String) throws(DiscoveryError) {
      var labels = text.split(separator: ".", omittingEmptySubsequences: false)
      if labels.last == "" { labels.removeLast() }
      if labels.count > 3, labels[labels.count - 3].lowercased() == "_sub" {
        type = try ServiceType(labels.suffix(2).joined(separator: "."))
        subtype = try ServiceSubtype(labels.dropLast(3).joined(separator: "."))
      } else {
        type = try ServiceType(shorthand: text)
        subtype = nil
      }
    }

    /// The type as it is asked for: `_printer._sub._http._tcp`.
    var text: String { subtype.map { "\($0)._sub.\(type)" } ?? "\(type)" }
  }

  private let sought: [Sought]
  private let domain: DomainName
  private let interfaces: InterfaceSelection
  private let showsReach: Bool
  private let resolves: Bool
  private let hints: Bool
  private let once: Bool
  private let limit: Duration?
  private let report: BrowseReport

  /// The longest time that `--once` waits for services that do not answer.
  private static let longestOnce: Duration = .seconds(10)

  init(_ arguments: Arguments) throws {
    sought = try arguments[Commands.sought].map { text throws(DiscoveryError) in try Sought(text) }
    domain = try arguments.domain()
    interfaces = try arguments.interfaces()
    showsReach = arguments[Commands.json] && arguments[Commands.verbose]
    hints = arguments[Commands.hints]
    once = arguments[Commands.once]
    limit = once ? Self.longestOnce : arguments[Commands.duration]
    for (place, one) in sought.enumerated() where sought[..<place].contains(where: { $0.type == one.type }) {
      throw Commands.browse.usageError("the type \(one.type) is given more than once; give it once")
    }
    let order = arguments[Commands.order]
    guard order == nil || limit != nil || arguments[Commands.count] != nil else {
      throw Commands.browse.usageError("--sort needs an end; give --once, --for or --count too")
    }
    var selection = BrowseSelection(filters: arguments[Commands.filters])
    selection.origin = arguments[Commands.own] ? .own : arguments[Commands.noOwn] ? .others : .all
    resolves = arguments[Commands.resolve] || selection.needsEndpoint || order?.needsEndpoint == true
    let output = BrowseReport.Output(
      json: arguments[Commands.json], showsEndpoint: resolves, showsHints: hints, order: order, count: arguments[Commands.count]
    )
    report = BrowseReport(output, selection, typeCount: sought.count, stopsWhenSettled: once)
  }

  func run(on bonjour: Bonjour) async throws {
    try await forAtMost(limit) {
      try await withThrowingTaskGroup { group in
        for one in sought { group.addTask { try await follow(one, on: bonjour) } }
        while let isDone = try await group.next() {
          if isDone { return group.cancelAll() }
        }
      }
    }
    // Interrupted by the user, who has seen what there is.
    if Task.isCancelled { return }
    let outage = await report.end()
    // An empty list would be taken for the truth.
    if once, let outage { throw outage }
    if limit != nil, await report.isEmpty {
      let names = sought.map(\.text)
      let list = names.count > 1 ? "\(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1])" : names[0]
      await report.showNothingFound(list)
    }
  }

  /// Browses for one type until it is enough; returns whether it is enough for all.
  private func follow(_ one: Sought, on bonjour: Bonjour) async throws -> Bool {
    do {
      return try await bonjour.withBrowser(
        for: one.type, subtype: one.subtype, domain: domain, interfaces: interfaces, resolving: resolves, hints: hints
      ) { browser in
        async let _: Void = showReach(of: browser.reachChanges, if: showsReach && one == sought[0])
        for try await change in browser.changes {
          if await report.show(change, of: one.type) { return true }
        }
        return false
      }
    } catch let error as DiscoveryError where error.code == .cancelled && Task.isCancelled {
      return false
    }
  }
}
