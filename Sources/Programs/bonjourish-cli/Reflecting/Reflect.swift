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
    let loop: EventLoop
    do {
      loop = try EventLoop(name: "reflector")
    } catch {
      throw Failure(.unavailable, "starting to reflect failed: \(error); end some programs")
    }
    let state = Confined()
    let shower = Task { [showsStatistics, report] in
      guard showsStatistics else { return }
      for await signal in AdministratorSignal.all where signal == .statistics {
        if let counters = await state.counters(on: loop) { report.show(counters) }
      }
    }
    defer { shower.cancel() }
    do {
      try await start(state, on: loop)
    } catch {
      await loop.shutdown()
      throw error
    }
    try await forAtMost(limit) { await Waiter().wait { true } }
    ServiceManager.current?.tell(.stopping)
    let counters = await state.counters(on: loop)
    let dropped = await withCheckedContinuation { continuation in
      loop.execute { continuation.resume(returning: state.stop()) }
    }
    await loop.shutdown()
    if showsStatistics, let counters { report.show(counters) }
    if dropped > 0 { diagnostics.warning("\(dropped) datagrams came faster than they were read, and did not cross") }
  }

  /// What the loop's thread alone uses.
  private final class Confined: @unchecked Sendable {  // Confined to the loop.
    var reflector: ReflectorLoop?

    func counters(on loop: EventLoop) async -> ReflectionCounters? {
      await withCheckedContinuation { continuation in
        loop.execute { continuation.resume(returning: self.reflector?.counters) }
      }
    }

    func stop() -> Int {
      defer { reflector = nil }
      reflector?.stop()
      return reflector?.dropped ?? 0
    }
  }

  private func start(_ state: Confined, on loop: EventLoop) async throws {
    let failure: SystemError? = await withCheckedContinuation { continuation in
      loop.execute { [self] in
        do throws(SystemError) {
          state.reflector = try ReflectorLoop(
            on: loop, between: plan.names, over: family, plan.rules, isDry: isDry, isTelling: report.showsNotes,
            ReflectorLoop.Handlers(
              noted: { [report] in report.show($0) }, warned: { diagnostics.warning($0) },
              usable: { [report] in report.show(usable: $0) }))
          continuation.resume(returning: nil)
        } catch {
          continuation.resume(returning: error)
        }
      }
    }
    if let failure { throw Failure(.unavailable, "starting to reflect failed: \(failure)") }
  }
}
