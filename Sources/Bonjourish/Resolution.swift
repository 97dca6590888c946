import Discovery
import EventLoop

/// One instance being resolved, once. Lives where the backend's handlers run.
actor Resolution {
  enum Outcome {
    case resolved(Endpoint)
    case failed(DiscoveryError)
    case timedOut
    /// Nobody could be asked when the time was over.
    case outOfReach(DiscoveryError)
    case cancelled
  }

  private let instance: ServiceInstance
  private let backend: any DiscoveryBackend
  private let time: Timekeeper
  private var resolver: ResolverState
  private var questions: OpenQuestions
  private var deadline: ContinuousClock.Instant?
  private var alarm: Alarm
  private var outage: DiscoveryError?
  private var outcome: Outcome?
  private var waiter = Waiter()

  nonisolated var unownedExecutor: UnownedSerialExecutor { backend.executor.asUnownedSerialExecutor() }

  init(of instance: ServiceInstance, on interface: NetworkInterface?, backend: any DiscoveryBackend, time: Timekeeper) {
    self.instance = instance
    self.backend = backend
    self.time = time
    resolver = ResolverState(on: interface)
    questions = OpenQuestions(to: backend)
    alarm = Alarm(time)
  }

  /// Resolves the instance, or gives up at the deadline.
  func run(until deadline: ContinuousClock.Instant) async -> Outcome {
    self.deadline = deadline
    perform(resolver.want(instance, at: time.now()))
    setAlarm()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if outcome == nil, !Task.isCancelled { waiter.set(continuation) } else { continuation.resume() }
      }
    } onCancel: {
      Task { await decide(.cancelled) }
    }
    return outcome ?? .cancelled
  }

  /// Ends the questions, and returns when the backend has done so, too.
  func stop() async {
    alarm.cancel()
    questions.endAll()
    await backend.drain()
  }

  private func decide(_ outcome: Outcome) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    waiter.wake()
  }

  private func receive(_ event: LookupEvent, to question: RecordQuestion, of id: OperationID) {
    guard questions.isOpen(question, as: id) else { return }
    switch event {
    case .failed(let error): decide(.failed(error))
    case .interrupted(let error): outage = error
    case .restarted: outage = nil
    case .added, .removed, .cacheExhausted, .settled: break
    }
    perform(resolver.handle(event, to: question, at: time.now()))
    setAlarm()
  }

  private func timePasses() {
    guard alarm.fired() else { return }
    let now = time.now()
    perform(resolver.advance(to: now))
    if let deadline, deadline <= now { decide(outage.map { .outOfReach($0) } ?? .timedOut) }
    setAlarm()
  }

  private func setAlarm() {
    guard outcome == nil else { return alarm.cancel() }
    alarm.set([deadline, resolver.nextDeadline].compactMap { $0 }.min()) { [weak self] in await self?.timePasses() }
  }

  private func perform(_ effects: [ResolverState.Effect]) {
    for effect in effects {
      switch effect {
      case .ask(let question):
        questions.ask(question) { [self] event, id in assumeIsolated { $0.receive(event, to: question, of: id) } }
      case .endAsking(let question):
        questions.end(question)
      case .resolved(_, let endpoint?):
        decide(.resolved(endpoint))
      case .resolved(_, nil):
        // The machine's patience is over; ours may be longer, and the questions stay open.
        continue
      }
    }
  }
}
