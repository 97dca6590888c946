import _BonjourishDiscovery
import _BonjourishEventLoop

/// A publication in progress: of a service, a host or records. Runs on the backend's executor.
actor Publisher: Subscribable {
  enum State {
    /// Not established yet. Goes to `interrupted` when the engine is away for ``timeout``.
    case starting(outage: DiscoveryError?)
    case established
    case interrupted(DiscoveryError)
    case stopped
    case failed(DiscoveryError)
  }

  let backend: any DiscoveryBackend
  nonisolated let reach: ReachFollower
  /// What is published, with the name that was asked for last.
  var registration: Registration
  private let own: OwnServices
  private let names: NameKeeper?
  var id = OperationID()
  let time: MonotonicClock
  var state = State.starting(outage: nil)
  let timer: DeadlineTimer
  private let starter = Waiter()
  let events = Subscribers<PendingServiceEvents>()
  /// The publishers that fail with this one: those of services of the host that it publishes.
  private var carried: [Publisher] = []

  /// The name that the app wants. After a conflict of an earlier run, another may be asked for.
  var requested: InstanceName
  /// The name that is established or being established.
  var name: InstanceName
  /// The instance that was established last. It counts as an own service.
  private var ownInstance: ServiceInstance?
  /// A further name that is being established.
  var candidate: Candidate?

  /// The current identity; nil unless a service is published.
  var instance: ServiceInstance? { instance(name) }

  /// The current name of a host; that of the domain unless a host is published.
  var hostName: DomainName { registration.renamed(to: name).hostName ?? registration.domain }

  private func instance(_ name: InstanceName) -> ServiceInstance? {
    registration.service.map { ServiceInstance(name, type: $0.type, domain: registration.domain) }
  }

  /// The reason why the service cannot be found; nil when it can.
  var interruption: DiscoveryError? {
    switch state {
    case .interrupted(let error), .failed(let error): error
    case .starting(let outage): outage
    case .established, .stopped: nil
    }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { backend.executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - registration: What to publish, with the name to ask for.
  ///   - requested: The name that the app wants.
  init(
    _ registration: Registration, requested: InstanceName, on backend: any DiscoveryBackend, own: OwnServices,
    names: NameKeeper?, time: MonotonicClock
  ) {
    self.backend = backend
    reach = ReachFollower(registration.interfaces, on: backend)
    self.own = own
    self.names = names
    self.registration = registration
    self.requested = requested
    self.time = time
    timer = DeadlineTimer(time)
    name = registration.name
    events.counters = own.deliveries
  }

  /// Starts publishers of one backend at once.
  func start(all publishers: [Publisher]) {
    for publisher in publishers { publisher.assumeIsolated { $0.publish($0.registration, as: $0.id) } }
  }

  func publish(_ registration: Registration, as id: OperationID) {
    backend.publish(registration, as: id) { [self] event in assumeIsolated { $0.receive(event, of: id) } }
  }

  /// Lets other publishers fail with this one.
  func carry(_ others: [Publisher]) {
    let host = registration.hostName
    carried = others.filter { other in other.assumeIsolated { $0.registration.service?.host } == host }
    if case .failed(let error) = state { failCarried(error) }
  }

  /// The longest time to wait for an engine that is away at the start. Browsers keep instances for the same time.
  static let timeout = BrowserState.grace

  /// Waits until the name is established for the first time, or the engine has been away for ``timeout``.
  func established() async throws(DiscoveryError) {
    await starter.wait {
      if case .starting = state { true } else { false }
    }
    switch state {
    case .starting(let outage?):
      throw DiscoveryError(.cancelled, "\(outage.message); it was cancelled before it was established", because: outage)
    case .starting(nil), .stopped:
      throw DiscoveryError(.cancelled, "\(registration.action) was cancelled before it was established")
    case .failed(let error): throw error
    case .established, .interrupted: return
    }
  }

  func update(_ txt: TXTRecord) throws(DiscoveryError) {
    if case .failed(let error) = state { throw error }
    try txt.checkSize()
    registration = registration.replacing(txt: txt)
    backend.update(txt, of: id)
    if let candidate {
      candidate.registration = candidate.registration.replacing(txt: txt)
      backend.update(txt, of: candidate.id)
    }
  }

  /// Withdraws what publishers of one backend have published, all at once, so that goodbyes share datagrams.
  func stop(all publishers: [Publisher]) {
    for publisher in publishers { publisher.assumeIsolated { $0.stop() } }
  }

  private func stop() {
    if case .failed = state {} else { state = .stopped }
    timer.cancel()
    withdrawOwn()
    backend.end(id)
    reach.assumeIsolated { $0.stop() }
    endCandidate()
    starter.wake()
    events.finish()
  }

  // MARK: - Events

  private func receive(_ event: RegistrationEvent, of operation: OperationID) {
    if operation == id {
      receive(event)
    } else if let candidate, operation == candidate.id {
      receive(event, of: candidate)
    }
  }

  private func receive(_ event: RegistrationEvent) {
    switch (state, event) {
    case (.stopped, _), (.failed, _):
      return
    case (_, .failed(let error)):
      fail(error)
    case (_, .renamed(from: let former, to: let new)):
      name = new
      if let lost = ownInstance.take() { own.lose(lost) }
      own.deliveries.renamed()
      events.tell(.renamed(from: former, to: new))
    case (.starting, .established(let name)):
      establish(name)
      state = .established
      timer.cancel()
      starter.wake()
    case (.starting(outage: nil), .interrupted(let error)):
      state = .starting(outage: error)
      timer.set(time.now() + Self.timeout, on: self) { $0.timeoutEnds() }
    case (.interrupted, .established(let name)):
      establish(name)
      state = .established
      events.tell(.restored)
    case (.established, .established(let name)):
      establish(name)
    case (.established, .interrupted(let error)):
      state = .interrupted(error)
      events.tell(.interrupted(error))
    case (.starting, .interrupted), (.interrupted, .interrupted):
      return
    }
  }

  private func fail(_ error: DiscoveryError) {
    state = .failed(error)
    // Else a further backend would publish it again.
    backend.end(id)
    withdrawOwn()
    timer.cancel()
    endCandidate(because: error)
    starter.wake()
    events.finish(throwing: error)
    failCarried(error)
  }

  private func failCarried(_ error: DiscoveryError) {
    for service in carried { service.assumeIsolated { $0.hostFailed(error) } }
  }

  /// Withdraws the service, because its host cannot be found.
  private func hostFailed(_ error: DiscoveryError) {
    switch state {
    case .stopped, .failed: return
    case .starting, .established, .interrupted: break
    }
    fail(error)
  }

  func establish(_ name: InstanceName) {
    self.name = name
    if registration.conflictPolicy == .rename, let wanted = instance(requested) { names?.note(name, for: wanted) }
    guard ownInstance != instance, let instance else { return }
    withdrawOwn()
    ownInstance = instance
    own.insert(instance)
  }

  private func withdrawOwn() {
    if let former = ownInstance.take() { own.remove(former) }
  }

  private func timeoutEnds() {
    guard case .starting(let outage?) = state else { return }
    state = .interrupted(outage)
    starter.wake()
  }

  // MARK: - Subscribers

  /// Waits for the next event. A new subscriber first gets the rename and the interruption that still apply.
  func nextEvent(for id: OperationID) async throws(DiscoveryError) -> ServiceEvent? {
    try await events.next(for: id) {
      var pending = PendingServiceEvents()
      if name != requested { pending.append(.renamed(from: requested, to: name)) }
      if case .interrupted(let error) = state { pending.append(.interrupted(error)) }
      return pending
    }
  }

  func unsubscribe(_ id: OperationID) {
    events.remove(id)
  }
}
