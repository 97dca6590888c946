import Bonjourish
import _BonjourishConsole
import _BonjourishDiscoveryOptions

/// `bonjourish publish`
struct Publish {
  private let plan: PublishPlan
  private let interfaces: InterfaceSelection
  private let json: Bool
  private let showsReach: Bool
  /// Whether outages are told here; those of a directory alone are told as news of it.
  private let tellsOutages: Bool
  let duration: Duration?
  /// What ends the command; nil if nothing does.
  let end: AwaitedEnd?

  init(_ arguments: Arguments) async throws {
    plan = try await PublishPlan(arguments)
    let network = try arguments.network()
    interfaces = network.interfaces
    tellsOutages = network.usesLocalNetwork
    json = arguments[Commands.json]
    showsReach = json && arguments[Commands.verbose]
    duration = arguments[Commands.duration]
    end = try arguments[Commands.until]?.begin()
  }

  func run(on bonjour: Bonjour) async throws {
    let subjects: [PublishReport.Subject] =
      plan.services.map { .service($0) } + plan.hosts.map { .host($0) }
      + (plan.records.isEmpty ? [] : [.records(plan.records.count)])
    let report = PublishReport(
      subjects,
      PublishReport.Output(
        json: json, write: { Output.standard.line($0) },
        warn: { [tellsOutages] in if tellsOutages { diagnostics.warning($0) } },
        tell: { states in for state in states { ServiceManager.current?.tell(state) } }))
    let outage = PublishOutage()
    do {
      try await withTaskCancellationHandler {
        try await publish(on: bonjour, report, outage)
      } onCancel: {
        ServiceManager.current?.tell(.stopping)
      }
    } catch let error as DiscoveryError where error.code == .cancelled && duration != nil {
      // Its time was over before it was established.
      await outage.note(late: error)
    }
    guard duration != nil, await !report.isComplete else { return }
    if let error = await outage.error { throw error }
    let count = subjects.count
    let published = await report.publishedCount
    let missing = count == 1 || published == 0 ? "nothing was published" : "\(published) of \(count) were published"
    throw Failure(
      .unavailable,
      "\(missing) before the time of --for was over\(await outage.late.map { "; \($0.message)" } ?? ""); that takes "
        + "about a second where there is a network: give it more time")
  }

  /// Publishes everything at once. The first failure withdraws the rest.
  private func publish(on bonjour: Bonjour, _ report: PublishReport, _ outage: PublishOutage) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      if !plan.services.isEmpty {
        group.addTask {
          try await bonjour.withPublishedServices(plan.services, interfaces: interfaces) { services in
            try await withThrowingTaskGroup(of: Void.self) { group in
              let first = services[0]
              group.addTask { await showReach(of: first.reachChanges, if: showsReach) }
              for (index, service) in services.enumerated() {
                group.addTask {
                  await report.began(index, as: service.name, interruption: service.interruption)
                  for try await event in service.events { await report.show(event, of: index) }
                  await outage.note(service.interruption)
                }
              }
              for try await _ in group {}
            }
          }
          for index in plan.services.indices { await report.withdrew(index) }
        }
      }
      for (index, host) in zip(plan.services.count..., plan.hosts) {
        group.addTask {
          try await bonjour.withPublishedHost(named: host.name, addresses: host.addresses, interfaces: interfaces) {
            published in
            await report.began(index, as: nil, interruption: published.interruption)
            for try await event in published.events { await report.show(event, of: index) }
            await outage.note(published.interruption)
          }
          await report.withdrew(index)
        }
      }
      if !plan.records.isEmpty {
        let index = plan.services.count + plan.hosts.count
        group.addTask {
          try await bonjour.withPublishedRecords(plan.records, interfaces: interfaces) { published in
            await report.began(index, as: nil, interruption: published.interruption)
            for try await event in published.events { await report.show(event, of: index) }
            await outage.note(published.interruption)
          }
          await report.withdrew(index)
        }
      }
      for try await _ in group {}
    }
  }
}

/// The reason why something could not be found at the end.
private actor PublishOutage {
  private(set) var error: DiscoveryError?
  /// That of something that was not established in time.
  private(set) var late: DiscoveryError?

  func note(_ error: DiscoveryError?) {
    if let error { self.error = error }
  }

  func note(late error: DiscoveryError) { late = error }
}
