import _BonjourishDiscovery
import _BonjourishEventLoop

/// A lookup in progress: passes the backend's events to the state machine, and its results to the subscribers.
///
/// Runs on the backend's executor, so an event reaches every subscriber within one tick, in order.
actor LookupCore<Element: Identifiable & Hashable & Sendable>: Subscribable where Element.ID: Sendable {
  /// What a lookup that is made once waits for, besides settling.
  struct Demand: Sendable {
    /// Whether an empty answer is not enough.
    var isElementNeeded = false
    /// Whether an element is good enough to wait no longer than ``Demand/settlingTime`` for others.
    var suffices: @Sendable (Element) -> Bool = { _ in false }

    /// The time to wait for others.
    static var settlingTime: Duration { .milliseconds(150) }
  }

  private let backend: any DiscoveryBackend
  private let asked: [RecordQuestion]
  private let action: String
  private let time: MonotonicClock
  private var state: LookupState<Element>
  private var questions: OpenQuestions
  private let timer: DeadlineTimer

  /// The elements that were reported to subscribers.
  private var elements: [Element.ID: Element] = [:]
  private var isSettled = false
  private var interruption: DiscoveryError?
  private let changes = Subscribers<PendingChanges<Element>>()
  private let snapshots = Subscribers<PendingNews>()
  private var hasEnded = false
  private var failure: DiscoveryError?

  private var demand = Demand()
  /// The deadline of `elements(_:until:)`.
  private var limit: ContinuousClock.Instant?
  /// The time at which what is known is enough.
  private var enoughAt: ContinuousClock.Instant?
  /// Whether that time has passed.
  private var isEnough = false
  private let gatherer = Waiter()

  nonisolated var unownedExecutor: UnownedSerialExecutor { backend.executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - questions: The questions, at least one.
  ///   - reading: How records become elements.
  ///   - action: What the lookup is for, such as `looking for service types`.
  ///   - backend: The backend.
  ///   - time: The clock.
  ///   - counters: Counts the changes; nil if nobody is told of them.
  init(
    _ questions: [RecordQuestion], _ reading: LookupState<Element>.Reading, during action: String,
    on backend: any DiscoveryBackend, time: MonotonicClock, counting counters: DeliveryCounters? = nil
  ) {
    self.backend = backend
    asked = questions
    self.action = action
    self.time = time
    state = LookupState(questions, reading)
    self.questions = OpenQuestions(to: backend)
    timer = DeadlineTimer(time)
    changes.counters = counters
  }

  func start() {
    for question in asked {
      questions.ask(question) { [self] event, id in assumeIsolated { $0.receive(event, to: question, of: id) } }
    }
  }

  /// Ends all operations, and returns when the backend has ended them.
  func stop() async {
    finish()
    await backend.drain()
  }

  // MARK: - Events

  private func receive(_ event: LookupEvent, to question: RecordQuestion, of id: OperationID) {
    guard !hasEnded, questions.isOpen(question, as: id) else { return }
    if case .failed(let error) = event { return finish(throwing: error) }
    for change in state.handle(event, to: question, at: time.now()) { tell(change) }
    setTimer()
  }

  private func timePasses() {
    guard !hasEnded else { return }
    let now = time.now()
    for change in state.advance(to: now) { tell(change) }
    if let limit, limit <= now { self.limit = nil }
    if let enoughAt, enoughAt <= now { (self.enoughAt, isEnough) = (nil, true) }
    gatherer.wake()
    setTimer()
  }

  private func setTimer() {
    timer.set([state.nextDeadline, limit, limit == nil ? nil : enoughAt].compactMap { $0 }.min(), on: self) { $0.timePasses() }
  }

  private func finish(throwing error: DiscoveryError? = nil) {
    guard !hasEnded else { return }
    hasEnded = true
    timer.cancel()
    questions.endAll()
    failure = error
    gatherer.wake()
    changes.finish(throwing: error)
    snapshots.finish(throwing: error)
  }

  private func tell(_ change: DiscoveryChange<Element>) {
    switch change {
    case .found(let element), .updated(let element):
      elements[element.id] = element
      if enoughAt == nil, !isEnough, demand.suffices(element) { enoughAt = time.now() + Demand.settlingTime }
    case .lost(let element):
      elements[element.id] = nil
      if !elements.values.contains(where: demand.suffices) { (enoughAt, isEnough) = (nil, false) }
    case .settled: isSettled = true
    case .interrupted(let error): (interruption, isSettled) = (error, false)
    case .restored: interruption = nil
    }
    changes.tell(change)
    snapshots.tell(())
    gatherer.wake()
  }

  // MARK: - Once

  /// Waits until the demand is met or the deadline has passed, and returns what was found, sorted.
  func elements(_ demand: Demand = Demand(), until deadline: ContinuousClock.Instant) async throws(DiscoveryError) -> [Element]
  {
    self.demand = demand
    limit = deadline
    (enoughAt, isEnough) = (nil, false)
    if elements.values.contains(where: demand.suffices) { enoughAt = time.now() + Demand.settlingTime }
    setTimer()
    await gatherer.wait { !hasEnded && limit != nil && !isDemandMet }
    if let failure { throw failure }
    guard !Task.isCancelled else { throw DiscoveryError(.cancelled, "\(action) was cancelled") }
    if let interruption {
      throw DiscoveryError(
        interruption.code == .noNetwork ? .noNetwork : .unavailable,
        "\(action): discovery was still unavailable at the end of the time limit; \(interruption.message)",
        because: interruption)
    }
    return snapshot.elements
  }

  private var isDemandMet: Bool {
    if isEnough, interruption == nil { return true }
    return isSettled && (!demand.isElementNeeded || !elements.isEmpty)
  }

  // MARK: - Subscribers

  private var snapshot: LookupSnapshot<Element> {
    LookupSnapshot(elements: state.sorted(elements.values), isSettled: isSettled, interruption: interruption)
  }

  func nextChange(for id: OperationID) async throws(DiscoveryError) -> DiscoveryChange<Element>? {
    try await changes.next(for: id) {
      var pending = PendingChanges<Element>()
      for element in snapshot.elements { pending.append(.found(element)) }
      if isSettled { pending.append(.settled) }
      if let interruption { pending.append(.interrupted(interruption)) }
      return pending
    }
  }

  func nextSnapshot(for id: OperationID) async throws(DiscoveryError) -> LookupSnapshot<Element>? {
    try await snapshots.nextNews(for: id, time) ? snapshot : nil
  }

  func unsubscribe(_ id: OperationID) {
    changes.remove(id)
    snapshots.remove(id)
  }
}
