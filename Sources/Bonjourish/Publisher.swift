import Discovery
import EventLoop

/// A publication in progress. Runs on the backend's executor.
actor Publisher: Subscribable {
  private enum State {
    /// Not established yet. Goes to `interrupted` when the engine is away for ``patience``.
    case starting(outage: DiscoveryError?)
    case established
    case interrupted(DiscoveryError)
    case stopped
    case failed(DiscoveryError)
  }

  private let backend: any DiscoveryBackend
  private let registration: Registration
  private let own: OwnServices
  private let id = OperationID()
  private let time: MonotonicClock
  private var state = State.starting(outage: nil)
  private let timer: DeadlineTimer
  private let starter = Waiter()
  private let events = Subscribers<PendingServiceEvents>()

  /// The name that is established or being established.
  private(set) var name: InstanceName
  /// The instance that was established last. It counts as an own service.
  private var ownInstance: ServiceInstance?

  var instance: ServiceInstance { ServiceInstance(name, type: registration.type, domain: registration.domain) }

  /// The reason why the service cannot be found; nil when it can.
  var interruption: DiscoveryError? {
    switch state {
    case .interrupted(let error), .failed(let error): error
    case .starting(let outage): outage
    case .established, .stopped: nil
    }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { backend.executor.asUnownedSerialExecutor() }

  init(_ registration: Registration, on backend: any DiscoveryBackend, own: OwnServices, time: MonotonicClock) {
    self.backend = backend
    self.own = own
    self.registration = registration
    self.time = time
    timer = DeadlineTimer(time)
    name = registration.name
  }

  func start() {
    backend.publish(registration, as: id) { [self] event in assumeIsolated { $0.receive(event) } }
  }

  /// The longest time to wait for an engine that is away at the start. Browsers keep instances for the same time.
  private static let patience = BrowserState.grace

  /// Waits until the name is established for the first time, or the engine has been away for ``patience``.
  func established() async throws(DiscoveryError) {
    await starter.wait {
      if case .starting = state { true } else { false }
    }
    switch state {
    case .starting, .stopped:
      throw DiscoveryError(.cancelled, "publishing \"\(registration.name)\" was cancelled before the name was established")
    case .failed(let error): throw error
    case .established, .interrupted: return
    }
  }

  func update(_ txt: TXTRecord) throws(DiscoveryError) {
    if case .failed(let error) = state { throw error }
    backend.update(txt, of: id)
  }

  /// Withdraws the service, and returns when the backend has withdrawn it.
  func stop() async {
    if case .failed = state {} else { state = .stopped }
    timer.cancel()
    withdrawOwn()
    backend.end(id)
    starter.wake()
    events.finish()
    await backend.drain()
  }

  // MARK: - Events

  private func receive(_ event: RegistrationEvent) {
    switch (state, event) {
    case (.stopped, _), (.failed, _):
      return
    case (_, .failed(let error)):
      state = .failed(error)
      withdrawOwn()
      timer.cancel()
      starter.wake()
      events.finish(throwing: error)
    case (_, .renamed(from: let former, to: let new)):
      name = new
      if let lost = ownInstance.take() { own.lose(lost) }
      events.tell(.renamed(from: former, to: new))
    case (.starting, .established(let name)):
      establish(name)
      state = .established
      timer.cancel()
      starter.wake()
    case (.starting(outage: nil), .interrupted(let error)):
      state = .starting(outage: error)
      timer.set(time.now() + Self.patience, on: self) { $0.patienceEnds() }
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

  private func establish(_ name: InstanceName) {
    self.name = name
    guard ownInstance != instance else { return }
    withdrawOwn()
    ownInstance = instance
    own.insert(instance)
  }

  private func withdrawOwn() {
    if let former = ownInstance.take() { own.remove(former) }
  }

  private func patienceEnds() {
    guard case .starting(let outage?) = state else { return }
    state = .interrupted(outage)
    starter.wake()
  }

  // MARK: - Subscribers

  /// Waits for the next event. A new subscriber first gets the rename and the interruption that still apply.
  func nextEvent(for id: OperationID) async throws(DiscoveryError) -> ServiceEvent? {
    try await events.next(for: id) {
      var pending = PendingServiceEvents()
      if name != registration.name { pending.append(.renamed(from: registration.name, to: name)) }
      if case .interrupted(let error) = state { pending.append(.interrupted(error)) }
      return pending
    }
  }

  func unsubscribe(_ id: OperationID) {
    events.remove(id)
  }
}
