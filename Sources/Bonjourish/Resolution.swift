import Discovery
import EventLoop

/// One attempt to resolve one instance. Runs on the backend's executor.
actor Resolution {
  enum Outcome {
    case resolved(Endpoint)
    case failed(DiscoveryError)
    case timedOut
    /// The backend was interrupted at the deadline.
    case outOfReach(DiscoveryError)
    case cancelled
  }

  private let instance: ServiceInstance
  private let backend: any DiscoveryBackend
  private let time: MonotonicClock
  private var resolver: ResolverState
  private var questions: OpenQuestions
  private var deadline: ContinuousClock.Instant?
  private let timer: DeadlineTimer
  private var outage: DiscoveryError?
  private var outcome: Outcome?
  private let waiter = Waiter()

  nonisolated var unownedExecutor: UnownedSerialExecutor { backend.executor.asUnownedSerialExecutor() }

  init(of instance: ServiceInstance, interface: NetworkInterface?, backend: any DiscoveryBackend, time: MonotonicClock) {
    self.instance = instance
    self.backend = backend
    self.time = time
    resolver = ResolverState(interface: interface)
    questions = OpenQuestions(to: backend)
    timer = DeadlineTimer(time)
  }

  /// Resolves the instance, or gives up at the deadline.
  func run(until deadline: ContinuousClock.Instant) async -> Outcome {
    self.deadline = deadline
    perform(resolver.want(instance, at: time.now()))
    setTimer()
    await waiter.wait { outcome == nil }
    return outcome ?? .cancelled
  }

  /// Ends the questions, and returns when the backend has ended them.
  func stop() async {
    timer.cancel()
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
    setTimer()
  }

  private func timePasses() {
    let now = time.now()
    perform(resolver.advance(to: now))
    if let deadline, deadline <= now { decide(outage.map { .outOfReach($0) } ?? .timedOut) }
    setTimer()
  }

  private func setTimer() {
    guard outcome == nil else { return timer.cancel() }
    timer.set([deadline, resolver.nextDeadline].compactMap { $0 }.min(), on: self) { $0.timePasses() }
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
        // The resolver has given up. The caller's deadline may be later, so the questions stay open.
        continue
      case .suspected, .lost:
        // The outcome is decided.
        continue
      }
    }
  }
}
