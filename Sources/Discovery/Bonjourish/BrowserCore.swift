import _BonjourishDiscovery
import _BonjourishEventLoop

/// A browse in progress: passes the backend's events to the state machines, and their results to the subscribers.
///
/// Runs on the backend's executor, so an event reaches every subscriber within one tick, in order.
actor BrowserCore: Subscribable {
  private let backend: any DiscoveryBackend
  private let query: BrowseQuery
  private let own: OwnServices
  private let filter: AddressFilter
  private let time: MonotonicClock
  private let id = OperationID()
  nonisolated let reach: ReachFollower

  private var browser: BrowserState
  private var resolver: ResolverState?
  private var questions: OpenQuestions
  private let timer: DeadlineTimer
  /// The instances that were found but not reported yet, because they are being resolved.
  private var unresolved: [ServiceInstance: DiscoveredService] = [:]
  /// The instances that were reported as lost because no host answers for them, while the backend still lists them.
  private var unanswered: Set<ServiceInstance> = []
  /// The endpoints that a directory lists, with the addresses that count. They need no questions.
  private var listed: [ServiceInstance: Endpoint] = [:]
  private var settlesWhenResolved = false

  /// What was reported to subscribers.
  private var reported = ReportedServices()
  private let changes = Subscribers<PendingChanges<DiscoveredService>>()
  private let snapshots = Subscribers<PendingNews>()
  private var hasEnded = false
  private var failure: DiscoveryError?

  /// The deadline of `services(until:)`.
  private var limit: ContinuousClock.Instant?
  private let gatherer = Waiter()

  nonisolated var unownedExecutor: UnownedSerialExecutor { backend.executor.asUnownedSerialExecutor() }

  init(
    _ query: BrowseQuery, resolving: Bool, hints: Bool, on backend: any DiscoveryBackend, own: OwnServices,
    filter: AddressFilter, time: MonotonicClock
  ) {
    self.backend = backend
    self.query = query
    reach = ReachFollower(query.interfaces, on: backend)
    self.own = own
    self.filter = filter
    self.time = time
    browser = BrowserState(tellsDoubts: hints)
    resolver = resolving ? ResolverState(interfaces: query.interfaces, filter: filter) : nil
    questions = OpenQuestions(to: backend)
    timer = DeadlineTimer(time)
    changes.counters = own.deliveries
  }

  func start() {
    own.observe(as: id) { [weak self] instance, isOwn in self?.assumeIsolated { $0.ownershipChanged(of: instance, isOwn) } }
    do throws(DiscoveryError) {
      backend.lookUp(try query.question(), as: id) { [self] event in
        if let event = query.event(event) { assumeIsolated { $0.receive(event) } }
      }
    } catch {
      finish(throwing: error)
    }
  }

  /// Ends all operations, and returns when the backend has ended them.
  func stop() async {
    finish()
    await backend.drain()
  }

  // MARK: - Events

  private func receive(_ event: BrowseEvent) {
    guard !hasEnded else { return }
    if case .failed(let error) = event { return finish(throwing: error) }
    if case .described(let instance, let endpoint, let source) = event { return list(instance, endpoint, in: source) }
    apply(browser.handle(event, at: time.now()))
    setTimer()
  }

  private func receive(_ event: LookupEvent, to question: RecordQuestion, of id: OperationID) {
    guard !hasEnded, questions.isOpen(question, as: id) else { return }
    perform(resolver?.handle(event, to: question, at: time.now()) ?? [])
    setTimer()
  }

  private func timePasses() {
    guard !hasEnded else { return }
    let now = time.now()
    apply(browser.advance(to: now))
    perform(resolver?.advance(to: now) ?? [])
    if let limit, limit <= now {
      self.limit = nil
      gatherer.wake()
    }
    setTimer()
  }

  private func setTimer() {
    let deadline = [browser.nextDeadline, resolver?.nextDeadline, limit].compactMap { $0 }.min()
    timer.set(deadline, on: self) { $0.timePasses() }
  }

  private func finish(throwing error: DiscoveryError? = nil) {
    guard !hasEnded else { return }
    hasEnded = true
    timer.cancel()
    own.stopObserving(as: id)
    backend.end(id)
    reach.assumeIsolated { $0.stop() }
    questions.endAll()
    failure = error
    gatherer.wake()
    changes.finish(throwing: error)
    snapshots.finish(throwing: error)
  }

  // MARK: - Changes

  private func apply(_ changes: [BrowseChange]) {
    for change in changes {
      if resolver == nil { tell(change) } else { resolve(change) }
    }
  }

  /// Holds back instances that have no endpoint yet.
  private func resolve(_ change: BrowseChange) {
    switch change {
    case .found(let service):
      if let endpoint = listedEndpoint(of: service) { return tell(.found(service.with(endpoint))) }
      unresolved[service.instance] = service
      perform(resolver!.want(service.instance, at: time.now()))
    case .updated(let service):
      if unresolved[service.instance] != nil {
        unresolved[service.instance] = service
      } else if !unanswered.contains(service.instance) {
        let endpoint = endpoint(of: service.instance)
        tell(.updated(service.with(endpoint, refusing: refusedAddresses(of: service.instance, with: endpoint))))
        // It is seen on the local network now, whose answers go first.
        if listedEndpoint(of: service) == nil { perform(resolver!.want(service.instance, at: time.now())) }
      }
    case .lost(let service):
      let wasTold = unresolved.removeValue(forKey: service.instance) == nil
      if wasTold, unanswered.remove(service.instance) == nil {
        tell(.lost(service.with(endpoint(of: service.instance))))
      }
      listed[service.instance] = nil
      perform(resolver!.forget(service.instance, at: time.now()))
    case .settled:
      settlesWhenResolved = true
      perform([])
    case .interrupted:
      // The backend browses again afterwards, and then settles again.
      settlesWhenResolved = false
      tell(change)
    case .restored:
      tell(change)
    }
  }

  /// Stores the endpoint that a directory lists, and tells it if that is what was told before.
  private func list(_ instance: ServiceInstance, _ endpoint: Endpoint, in source: DiscoverySource) {
    guard let resolver else { return }
    let addresses = endpoint.addresses.filter { filter.permits($0, heardOn: source) }.inOrderOfPreference
    listed[instance] =
      addresses.isEmpty
      ? nil : Endpoint(host: endpoint.host, port: endpoint.port, txt: endpoint.txt, addresses: addresses)
    guard let service = reported.services[instance], !resolver.wants(instance), service.endpoint != listed[instance] else {
      return
    }
    apply([.updated(service)])
    setTimer()
  }

  /// The endpoint of an instance that directories alone list; nil if it must be asked for.
  private func listedEndpoint(of service: DiscoveredService) -> Endpoint? {
    guard resolver?.wants(service.instance) == false else { return nil }
    return service.links.contains { $0.source.interface != nil } ? nil : listed[service.instance]
  }

  /// The endpoint to tell of an instance: what it resolves to, or what was told until that is known.
  private func endpoint(of instance: ServiceInstance) -> Endpoint? {
    guard let resolver, resolver.wants(instance) else { return listed[instance] ?? reported.services[instance]?.endpoint }
    return resolver.endpoint(of: instance) ?? reported.services[instance]?.endpoint
  }

  /// The addresses that count for nothing, if they are the reason why there is no endpoint.
  private func refusedAddresses(of instance: ServiceInstance, with endpoint: Endpoint?) -> [IPAddress] {
    endpoint == nil ? resolver?.refusedAddresses(of: instance) ?? [] : []
  }

  private func perform(_ effects: [ResolverState.Effect]) {
    for effect in effects {
      switch effect {
      case .ask(let question):
        questions.ask(question) { [self] event, id in assumeIsolated { $0.receive(event, to: question, of: id) } }
      case .endAsking(let question):
        questions.end(question)
      case .resolved(let instance, let endpoint):
        resolved(instance, endpoint)
      case .suspected(let instance):
        backend.reconfirm(instance, interfaces: query.interfaces)
        apply(browser.setUnanswered(instance, true))
      case .lost(let instance):
        guard let service = reported.services[instance] else { continue }
        unanswered.insert(instance)
        tell(.lost(service))
      }
    }
    if settlesWhenResolved, resolver?.isBusy == false {
      settlesWhenResolved = false
      tell(.settled)
    }
  }

  private func resolved(_ instance: ServiceInstance, _ endpoint: Endpoint?) {
    // RFC 6762 §10.4: no host answers for the instance, so its PTR record may be stale.
    if endpoint == nil { backend.reconfirm(instance, interfaces: query.interfaces) }
    _ = browser.setUnanswered(instance, false)
    let refused = refusedAddresses(of: instance, with: endpoint)
    guard let service = browser.service(instance)?.with(endpoint, refusing: refused) else { return }
    let isNew = unresolved.removeValue(forKey: instance) != nil || unanswered.remove(instance) != nil
    tell(isNew ? .found(service) : .updated(service))
  }

  private func ownershipChanged(of instance: ServiceInstance, _ isOwn: Bool) {
    guard !hasEnded, var service = reported.services[instance], service.isOwn != isOwn else { return }
    service.isOwn = isOwn
    announce(.updated(service))
  }

  /// Sets ``DiscoveredService/isOwn``: to the last reported value, or for a new service from ``OwnServices``.
  private func marked(_ service: DiscoveredService) -> DiscoveredService {
    var service = service
    service.isOwn = reported.services[service.instance]?.isOwn ?? own.contains(service.instance)
    return service
  }

  private func tell(_ change: BrowseChange) {
    switch change {
    case .found(let service): announce(.found(marked(service)))
    case .updated(let service): announce(.updated(marked(service)))
    case .lost(let service): announce(.lost(marked(service)))
    case .settled, .interrupted, .restored: announce(change)
    }
  }

  private func announce(_ change: BrowseChange) {
    reported.apply(change)
    changes.tell(change)
    snapshots.tell(())
    if reported.isSettled { gatherer.wake() }
  }

  /// Waits until browsing has settled or the deadline has passed, and returns the services.
  func services(until deadline: ContinuousClock.Instant) async throws(DiscoveryError) -> [DiscoveredService] {
    limit = deadline
    setTimer()
    await gatherer.wait { !reported.isSettled && !hasEnded && limit != nil }
    if let failure { throw failure }
    guard !Task.isCancelled else { throw DiscoveryError(.cancelled, "browsing \(query.typeName) was cancelled") }
    if let interruption = reported.interruption {
      throw DiscoveryError(
        interruption.code == .noNetwork ? .noNetwork : .unavailable,
        "browsing \(query.typeName): discovery was still unavailable at the end of the time limit; \(interruption.message)",
        because: interruption)
    }
    return (Array(reported.services.values) + unresolved.values.map(marked)).sortedByName()
  }

  // MARK: - Subscribers

  func nextChange(
    for id: OperationID, in mailbox: Mailbox<PendingChanges<DiscoveredService>>
  ) async throws(DiscoveryError) -> BrowseChange? {
    try await changes.next(for: id, in: mailbox) { reported.pending }
  }

  func nextSnapshot(for id: OperationID) async throws(DiscoveryError) -> BrowseSnapshot? {
    try await snapshots.nextNews(for: id, time) ? reported.snapshot : nil
  }

  func unsubscribe(_ id: OperationID) {
    changes.remove(id)
    snapshots.remove(id)
  }
}

extension DiscoveredService {
  fileprivate func with(_ endpoint: Endpoint?, refusing addresses: [IPAddress] = []) -> DiscoveredService {
    var service = self
    (service.endpoint, service.refusedAddresses) = (endpoint, addresses)
    return service
  }
}
