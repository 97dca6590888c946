import Discovery
import EventLoop

/// A browse in progress: feeds the machines with the backend's events, and the subscribers with what comes of it.
///
/// Lives where the backend's handlers run, so that an event reaches every subscriber's list within one turn, in order.
actor BrowserCore {
  private struct Subscriber {
    var changes = PendingChanges()
    var hasNewSnapshot = true
    var waiter = Waiter()
  }

  private enum End {
    case stopped
    case failed(DiscoveryError)
  }

  private let backend: any DiscoveryBackend
  private let query: BrowseQuery
  private let time: Timekeeper
  private let id = OperationID()

  private var browser: BrowserState
  private var resolver: ResolverState?
  private var questions: OpenQuestions
  private var alarm: Alarm
  /// Found, and not told because they are being resolved.
  private var unresolved: [ServiceInstance: DiscoveredService] = [:]
  private var settlesWhenResolved = false

  /// What subscribers have been told, or have in their lists.
  private var services: [ServiceInstance: DiscoveredService] = [:]
  private var isSettled = false
  private var interruption: DiscoveryError?
  private var subscribers: [OperationID: Subscriber] = [:]
  private var end: End?

  nonisolated var unownedExecutor: UnownedSerialExecutor { backend.executor.asUnownedSerialExecutor() }

  init(_ query: BrowseQuery, resolving: Bool, hints: Bool, on backend: any DiscoveryBackend, time: Timekeeper) {
    self.backend = backend
    self.query = query
    self.time = time
    browser = BrowserState(tellsDoubts: hints)
    resolver = resolving ? ResolverState(on: query.interface) : nil
    questions = OpenQuestions(to: backend)
    alarm = Alarm(time)
  }

  func start() {
    backend.browse(query, as: id) { [self] event in assumeIsolated { $0.receive(event) } }
  }

  /// Ends everything, and returns when the backend has done so, too.
  func stop() async {
    finish(.stopped)
    await backend.drain()
  }

  // MARK: - Events

  private func receive(_ event: BrowseEvent) {
    guard end == nil else { return }
    if case .failed(let error) = event { return finish(.failed(error)) }
    apply(browser.handle(event, at: time.now()))
    setAlarm()
  }

  private func receive(_ event: LookupEvent, to question: RecordQuestion, of id: OperationID) {
    guard end == nil, questions.isOpen(question, as: id) else { return }
    perform(resolver?.handle(event, to: question, at: time.now()) ?? [])
    setAlarm()
  }

  private func timePasses() {
    guard end == nil, alarm.fired() else { return }
    let now = time.now()
    apply(browser.advance(to: now))
    perform(resolver?.advance(to: now) ?? [])
    setAlarm()
  }

  private func setAlarm() {
    let deadline = [browser.nextDeadline, resolver?.nextDeadline].compactMap { $0 }.min()
    alarm.set(deadline) { [weak self] in await self?.timePasses() }
  }

  private func finish(_ end: End) {
    guard self.end == nil else { return }
    self.end = end
    alarm.cancel()
    backend.end(id)
    questions.endAll()
    for subscriber in subscribers.keys { subscribers[subscriber]!.waiter.wake() }
  }

  // MARK: - Changes

  private func apply(_ changes: [BrowseChange]) {
    for change in changes {
      if resolver == nil { tell(change) } else { resolve(change) }
    }
  }

  /// Holds back what has no endpoint yet.
  private func resolve(_ change: BrowseChange) {
    switch change {
    case .found(let service):
      unresolved[service.instance] = service
      perform(resolver!.want(service.instance, at: time.now()))
    case .updated(let service):
      if unresolved[service.instance] != nil {
        unresolved[service.instance] = service
      } else {
        tell(.updated(service.with(resolver!.endpoint(of: service.instance))))
      }
    case .lost(let service):
      let wasTold = unresolved.removeValue(forKey: service.instance) == nil
      if wasTold { tell(.lost(service.with(resolver!.endpoint(of: service.instance)))) }
      perform(resolver!.forget(service.instance, at: time.now()))
    case .settled:
      settlesWhenResolved = true
      perform([])
    case .interrupted, .restored:
      tell(change)
    }
  }

  private func perform(_ effects: [ResolverState.Effect]) {
    for effect in effects {
      switch effect {
      case .ask(let question):
        questions.ask(question) { [self] event, id in assumeIsolated { $0.receive(event, to: question, of: id) } }
      case .endAsking(let question):
        questions.end(question)
      case .resolved(let instance, let endpoint):
        // RFC 6762 §10.4: what points to something that does not answer is in doubt itself.
        if endpoint == nil { backend.reconfirm(instance, on: query.interface) }
        if let service = unresolved.removeValue(forKey: instance) {
          tell(.found(service.with(endpoint)))
        } else if let service = services[instance] {
          tell(.updated(service.with(endpoint)))
        }
      }
    }
    if settlesWhenResolved, resolver?.isBusy == false {
      settlesWhenResolved = false
      tell(.settled)
    }
  }

  private func tell(_ change: BrowseChange) {
    switch change {
    case .found(let service), .updated(let service): services[service.instance] = service
    case .lost(let service): services[service.instance] = nil
    case .settled: isSettled = true
    case .interrupted(let error): (interruption, isSettled) = (error, false)
    case .restored: interruption = nil
    }
    // A copy of the keys alone: a view of them would make every change below copy all subscribers with their lists.
    for id in Array(subscribers.keys) {
      subscribers[id]!.changes.append(change)
      subscribers[id]!.hasNewSnapshot = true
      subscribers[id]!.waiter.wake()
    }
  }

  private var snapshot: BrowseSnapshot {
    BrowseSnapshot(
      services: services.values.sorted { $0.instance.name.text < $1.instance.name.text }, isSettled: isSettled,
      interruption: interruption)
  }

  // MARK: - Subscribers

  func nextChange(for id: OperationID) async throws(DiscoveryError) -> BrowseChange? {
    subscribe(id)
    while !Task.isCancelled {
      if let change = subscribers[id]?.changes.popFirst() { return change }
      if try hasEnded() { return nil }
      await wait(as: id) { $0.changes.isEmpty }
    }
    return nil
  }

  func nextSnapshot(for id: OperationID) async throws(DiscoveryError) -> BrowseSnapshot? {
    let isFirst = subscribe(id)
    if !isFirst {
      while !Task.isCancelled, subscribers[id]?.hasNewSnapshot == false {
        if try hasEnded() { return nil }
        await wait(as: id) { !$0.hasNewSnapshot }
      }
      // What comes in company is shown in company.
      if !Task.isCancelled { await time.sleep(time.now() + .milliseconds(30)) }
    }
    if Task.isCancelled { return nil }
    if try hasEnded() { return nil }
    subscribers[id]?.hasNewSnapshot = false
    // Nobody takes changes from a subscription to snapshots.
    subscribers[id]?.changes = PendingChanges()
    return snapshot
  }

  func unsubscribe(_ id: OperationID) {
    subscribers[id] = nil
  }

  /// Makes a subscriber that begins with what is known, and says whether it is new.
  @discardableResult
  private func subscribe(_ id: OperationID) -> Bool {
    guard subscribers[id] == nil else { return false }
    var subscriber = Subscriber()
    for service in snapshot.services { subscriber.changes.append(.found(service)) }
    if isSettled { subscriber.changes.append(.settled) }
    if let interruption { subscriber.changes.append(.interrupted(interruption)) }
    subscribers[id] = subscriber
    return true
  }

  /// Whether there is nothing more to come.
  private func hasEnded() throws(DiscoveryError) -> Bool {
    switch end {
    case nil: return false
    case .stopped: return true
    case .failed(let error): throw error
    }
  }

  /// Returns when a subscriber is woken, or its task cancelled; at once when there is no need to wait any more.
  private func wait(as id: OperationID, while hasNoNews: (Subscriber) -> Bool) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Looked at here once more: the way from the caller to this place is one on which other jobs can run.
        guard let subscriber = subscribers[id], hasNoNews(subscriber), end == nil, !Task.isCancelled else {
          return continuation.resume()
        }
        subscribers[id]!.waiter.set(continuation)
      }
    } onCancel: {
      Task { await wake(id) }
    }
  }

  private func wake(_ id: OperationID) {
    subscribers[id]?.waiter.wake()
  }
}

extension DiscoveredService {
  fileprivate func with(_ endpoint: Endpoint?) -> DiscoveredService {
    DiscoveredService(instance: instance, interfaces: interfaces, endpoint: endpoint, presence: presence)
  }
}
