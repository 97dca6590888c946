import Bonjourish
import _BonjourishConsole
import _BonjourishDiscoveryOptions
import _BonjourishExplorer

/// `bonjourish browse`
struct Browse {
  /// The types to browse for; nil for all.
  private let sought: [SoughtType]?
  private let domain: DomainName
  private let interfaces: InterfaceSelection
  private let usesLocalNetwork: Bool
  private let showsReach: Bool
  private let resolves: Bool
  private let hints: Bool
  private let once: Bool
  private let limit: Duration?
  private let order: ServiceOrder?
  /// What `--once` waits for besides; nil without a directory.
  private let directory: DirectoryAnswer?
  private let report: BrowseReport
  private let screen: ExplorerScreen?

  init(_ arguments: Arguments) throws {
    sought = try SoughtType.all(in: arguments)
    domain = try arguments.domain()
    let network = try arguments.network()
    interfaces = network.interfaces
    usesLocalNetwork = network.usesLocalNetwork
    showsReach = arguments[Commands.json] && arguments[Commands.verbose]
    hints = arguments[Commands.hints]
    once = arguments[Commands.once]
    directory = once && network.region != nil ? DirectoryAnswer() : nil
    limit = once ? .longestOnce : arguments[Commands.duration]
    let columns = try arguments[Commands.columns].map { try ServiceColumn.list($0) }
    // The columns of the screen are its own.
    let isOnScreen = columns == nil && ExplorerScreen.isWanted(arguments)
    let isTable = columns != nil && once && !arguments[Commands.plain] && Output.standard.isTerminal
    order = arguments[Commands.order] ?? (isTable ? .name : nil)
    guard order == nil || isOnScreen || limit != nil || arguments[Commands.count] != nil else {
      throw Commands.browse.usageError("--sort needs an end; give --once, --for or --count too")
    }
    var selection = BrowseSelection(filters: arguments[Commands.filters])
    selection.origin = arguments[Commands.own] ? .own : arguments[Commands.noOwn] ? .others : .all
    resolves =
      arguments[Commands.resolve] || selection.needsEndpoint || order?.needsEndpoint == true
      || columns?.contains(where: \.needsEndpoint) == true
    if isOnScreen {
      let settings = ExplorerSettings(
        arguments, sought: sought, resolves: resolves, isSelective: selection.needsMatch, region: network.region)
      screen = ExplorerScreen(settings, try Examination(network.backend, interfaces))
    } else {
      screen = nil
    }
    let output = BrowseReport.Output(
      json: arguments[Commands.json], showsEndpoint: resolves, showsHints: hints, order: order,
      count: arguments[Commands.count], columns: columns, isTable: isTable, screen: screen,
      // Outages of a directory alone are told as news of it.
      warn: { [usesLocalNetwork] in if usesLocalNetwork { diagnostics.warning($0) } })
    report = BrowseReport(output, selection, types: sought?.map(\.type), stopsWhenSettled: once, directory: directory)
  }

  /// Takes what is told about the directory; returns whether that is told at the end, as the reason of a failure.
  func take(_ news: DirectoryNews) -> Bool {
    directory?.take(news)
    return directory != nil
  }

  /// Whether the services are shown in the explorer.
  var isOnScreen: Bool { screen != nil }

  func run(on bonjour: Bonjour) async throws {
    if let screen {
      let isComplete = try await screen.run(on: bonjour, interfaces) { try await look(on: bonjour) }
      if isComplete { await report.writeLast(screen.shown) }
    } else {
      try await look(on: bonjour)
    }
    // A number of services may be enough before.
    await directory?.waitUntilKnown()
    // Interrupted by the user, who has seen what there is.
    if Task.isCancelled { return }
    let outage = await report.end()
    // An empty list would be taken for the truth.
    if once, let loss = directory?.loss ?? outage { throw loss }
    if limit != nil, await report.isEmpty {
      let names = sought?.map(\.text)
      await report.showNothingFound(
        names.map { $0.count > 1 ? "\($0.dropLast().joined(separator: ", ")) or \($0[$0.count - 1])" : $0[0] })
      throw Failure(.negative, "")
    }
  }

  /// Looks until it is enough.
  private func look(on bonjour: Bonjour) async throws {
    try await withThrowingTaskGroup { group in
      if usesLocalNetwork {
        group.addTask {
          if let finding = await ContainerCheck.finding(on: bonjour, interfaces) { await report.show(finding) }
        }
      }
      if showsReach {
        group.addTask {
          await bonjour.withReach(of: interfaces) { for await reach in $0 { Output.standard.event(ReachEvent(reach)) } }
        }
      }
      defer { group.cancelAll() }
      try await forAtMost(limit) {
        try await withThrowingTaskGroup { group in
          group.addTask {
            if let sought { try await follow(sought, on: bonjour) } else { try await followAll(on: bonjour) }
          }
          // Without it the list stays incomplete.
          if let directory { group.addTask { await directory.waitUntilLost() } }
          defer { group.cancelAll() }
          try await group.next()
        }
      }
      // The check takes longer than a list of nothing.
      if once, usesLocalNetwork, await report.isEmpty { try await group.next() }
    }
  }

  // MARK: - Named types

  private func follow(_ sought: [SoughtType], on bonjour: Bonjour) async throws {
    try await withThrowingTaskGroup { group in
      for one in sought { group.addTask { try await follow(one, on: bonjour) } }
      while let isDone = try await group.next() {
        if isDone { return group.cancelAll() }
      }
    }
  }

  /// Browses for one type until it is enough; returns whether it is enough for all.
  private func follow(_ one: SoughtType, on bonjour: Bonjour) async throws -> Bool {
    do {
      return try await bonjour.withBrowser(
        for: one.type, subtype: one.subtype, domain: domain, interfaces: interfaces, resolving: resolves, hints: hints
      ) { browser in
        for try await change in browser.changes {
          if await report.show(change, of: one.type) { return true }
        }
        return false
      }
    } catch let error as DiscoveryError where error.code == .cancelled && Task.isCancelled {
      return false
    }
  }

  // MARK: - All types

  /// Browses for each type that is announced, for as long as it is.
  private func followAll(on bonjour: Bonjour) async throws {
    let types = AnnouncedTypes(domain: domain, interfaces: interfaces) { diagnostics.warning($0) }
    try await types.run(
      on: bonjour,
      AnnouncedTypes.Handlers(
        search: { [report] in await report.showTypes($0) }, begin: { [report] in await report.begin($0) },
        follow: { try await follow(SoughtType($0), on: bonjour) }, end: { [report] in await report.end($0) }))
  }
}
