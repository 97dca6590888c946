import _BonjourishDiscovery
import _BonjourishEventLoop

/// The resolution of one instance in progress: once, or followed. Runs on the backend's executor.
actor Resolution: Subscribable {
  enum Outcome {
    case resolved(Endpoint)
    case failed(DiscoveryError)
    /// With the addresses in answers that this machine does not connect to.
    case timedOut(refused: [IPAddress])
    /// The backend was interrupted at the deadline.
    case outOfReach(DiscoveryError)
    case cancelled
  }

  private let instance: ServiceInstance
  private let interfaces: InterfaceSelection
  private let backend: any DiscoveryBackend
  private let time: MonotonicClock
  private var resolver: ResolverState
  private var questions: OpenQuestions
  private let timer: DeadlineTimer

  /// The current endpoint; nil while none is known.
  private(set) var endpoint: Endpoint?
  /// Whether no host has answered in time.
  private var isLost = false
  /// The questions that cannot be asked now.
  private var interrupted: Set<RecordQuestion> = []
  private var outage: DiscoveryError?
  private var failure: DiscoveryError?
  private var hasEnded = false
  private let changes = Subscribers<PendingResolutionChanges>()

  /// The deadline of `run(until:)`.
  private var limit: ContinuousClock.Instant?
  private let waiter = Waiter()

  nonisolated var unownedExecutor: UnownedSerialExecutor { backend.executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - filter: Decides which addresses count.
  ///   - timeout: The time to wait for addresses of the other family after the first address.
  ///   - counters: Counts the changes; nil if nobody is told of them.
  init(
    of instance: ServiceInstance, interfaces: InterfaceSelection, backend: any DiscoveryBackend, filter: AddressFilter,
    time: MonotonicClock, waitingForFamilies timeout: Duration = ResolverState.Limits().addressTimeout,
    counting counters: DeliveryCounters? = nil
  ) {
    self.instance = instance
    self.interfaces = interfaces
    self.backend = backend
    self.time = time
    var limits = ResolverState.Limits()
    limits.addressTimeout = timeout
    resolver = ResolverState(interfaces: interfaces, filter: filter, limits: limits)
    questions = OpenQuestions(to: backend)
    timer = DeadlineTimer(time)
    changes.counters = counters
  }

  func start() {
    perform(resolver.want(instance, at: time.now()))
    setTimer()
  }

  /// Resolves the instance, or gives up at the deadline.
  func run(until deadline: ContinuousClock.Instant) async -> Outcome {
    limit = deadline
    start()
    await waiter.wait { endpoint == nil && failure == nil && limit != nil && !hasEnded }
    if let endpoint { return .resolved(endpoint) }
    if let failure { return .failed(failure) }
    if limit != nil { return .cancelled }
    return outage.map { .outOfReach($0) } ?? .timedOut(refused: refusedAddresses)
  }

  /// The addresses in answers that this machine does not connect to, while no endpoint is known.
  var refusedAddresses: [IPAddress] { endpoint == nil ? resolver.refusedAddresses(of: instance) : [] }

  /// Ends the questions, and returns when the backend has ended them.
  func stop() async {
    finish()
    await backend.drain()
  }

  private func finish(throwing error: DiscoveryError? = nil) {
    guard !hasEnded else { return }
    hasEnded = true
    failure = error
    timer.cancel()
    questions.endAll()
    waiter.wake()
    changes.finish(throwing: error)
  }

  // MARK: - Events

  private func receive(_ event: LookupEvent, to question: RecordQuestion, of id: OperationID) {
    guard !hasEnded, questions.isOpen(question, as: id) else { return }
    switch event {
    case .failed(let error): return finish(throwing: error)
    case .interrupted(let error):
      interrupted.insert(question)
      outage = error
      if interrupted.count == 1 { changes.tell(.interrupted(error)) }
    case .restarted: resume(question)
    case .added, .removed, .doubted, .described, .cacheExhausted, .settled: break
    }
    perform(resolver.handle(event, to: question, at: time.now()))
    setTimer()
  }

  /// Notes that a question is asked again, or no longer needed.
  private func resume(_ question: RecordQuestion) {
    guard interrupted.remove(question) != nil, interrupted.isEmpty else { return }
    outage = nil
    changes.tell(.restored)
  }

  private func timePasses() {
    guard !hasEnded else { return }
    let now = time.now()
    perform(resolver.advance(to: now))
    if let limit, limit <= now {
      self.limit = nil
      waiter.wake()
    }
    setTimer()
  }

  private func setTimer() {
    timer.set([limit, resolver.nextDeadline].compactMap { $0 }.min(), on: self) { $0.timePasses() }
  }

  private func perform(_ effects: [ResolverState.Effect]) {
    for effect in effects {
      switch effect {
      case .ask(let question):
        questions.ask(question) { [self] event, id in assumeIsolated { $0.receive(event, to: question, of: id) } }
      case .endAsking(let question):
        questions.end(question)
        resume(question)
      case .resolved(_, let endpoint?):
        (self.endpoint, isLost) = (endpoint, false)
        changes.tell(.resolved(endpoint))
        waiter.wake()
      case .resolved(_, nil), .lost:
        // The questions stay open, or are asked again from time to time.
        (endpoint, isLost) = (nil, true)
        changes.tell(.lost)
      case .suspected(let instance):
        backend.reconfirm(instance, interfaces: interfaces)
      }
    }
  }

  // MARK: - Subscribers

  /// Waits for the next change. A new subscriber first gets the current state.
  func nextChange(for id: OperationID) async throws(DiscoveryError) -> ResolutionChange? {
    try await changes.next(for: id) {
      var pending = PendingResolutionChanges()
      if let endpoint { pending.append(.resolved(endpoint)) } else if isLost { pending.append(.lost) }
      if let outage { pending.append(.interrupted(outage)) }
      return pending
    }
  }

  func unsubscribe(_ id: OperationID) {
    changes.remove(id)
  }
}
