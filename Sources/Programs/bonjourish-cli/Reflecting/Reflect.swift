import Bonjourish
import _BonjourishConsole
import _BonjourishEventLoop
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

/// `bonjourish reflect`: makes the services of one link visible on another. It uses sockets of its own, and no backend.
struct Reflect {
  private let plan: ReflectPlan
  private let family: IPAddress.Family?
  private let limit: Duration?
  private let showsStatistics: Bool
  private let report: ReflectReport
  private let isDry: Bool

  init(_ arguments: Arguments) throws {
    plan = try ReflectPlan(arguments)
    family = arguments[Commands.family]
    limit = arguments[Commands.duration]
    showsStatistics = arguments[Commands.stats]
    isDry = arguments[Commands.dryRun]
    report = ReflectReport(
      plan, json: arguments[Commands.json], isDry: isDry, isVerbose: arguments[Commands.verbose])
    try ReflectorLoop.check(plan.names)
  }

  func run() async throws {
    let signals = AdministratorSignal.all
    let reflector = try await LoopConfined("reflector", during: "starting to reflect") { [self] loop throws(SystemError) in
      try ReflectorLoop(
        on: loop, between: plan.names, over: family, plan.rules, isDry: isDry, isTelling: report.showsNotes,
        ReflectorLoop.Handlers(
          noted: { [report] in report.show($0) }, warned: { diagnostics.warning($0) },
          usable: { [report] in report.show(usable: $0) }))
    }
    let shower = Task { [showsStatistics, report] in
      guard showsStatistics else { return }
      for await signal in signals where signal == .statistics { report.show(await reflector.ask(\.counters)) }
    }
    try await forAtMost(limit) { await Waiter().wait { true } }
    ServiceManager.current?.tell(.stopping)
    shower.cancel()
    await shower.value
    let (counters, dropped) = await reflector.end { reflector in
      defer { reflector.stop() }
      return (reflector.counters, reflector.dropped)
    }
    if showsStatistics { report.show(counters) }
    if dropped > 0 { diagnostics.warning("\(dropped) datagrams came faster than they were read, and did not cross") }
  }
}
