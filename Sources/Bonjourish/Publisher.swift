import Discovery
import EventLoop

/// A publication in progress. Lives where the backend's handlers run.
actor Publisher {
  private struct Subscriber {
    var events = PendingServiceEvents()
    var waiter = Waiter()
  }

  private enum State {
    /// Not established yet, for the first time. Goes to `interrupted` when the engine is away for too long.
    case starting(outage: DiscoveryError?)
    case established
    case interrupted(DiscoveryError)
    case stopped
    case failed(DiscoveryError)
  }

  private let backend: any DiscoveryBackend
  private let registration: Registration
  private let id = OperationID()
  private let time: Timekeeper
  private var state = State.starting(outage: nil)
  private var alarm: Alarm
  private var starter = Waiter()
  private var subscribers: [OperationID: Subscriber] = [:]

  /// The name that is, or is about to be, established.
  private(set) var name: InstanceName

  /// Why the service cannot be found.
  var interruption: DiscoveryError? {
    switch state {
    case .interrupted(let error), .failed(let error): error
    case .starting(let outage): outage
    case .established, .stopped: nil
    }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { backend.executor.asUnownedSerialExecutor() }

  init(_ registration: Registration, on backend: any DiscoveryBackend, time: Timekeeper) {
    self.backend = backend
    self.registration = registration
    self.time = time
    alarm = Alarm(time)
    name = registration.name
  }

  func start() {
    backend.publish(registration, as: id) { [self] event in assumeIsolated { $0.receive(event) } }
  }

  /// How long an engine that is away at first is waited for: as long as browsers believe in what it saw.
  private static let patience = BrowserState.grace

  /// Returns when the name is established for the first time, or the engine has been away for too long.
  func established() async throws(DiscoveryError) {
    while case .starting = state, !Task.isCancelled {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          // Looked at here once more: the way from the loop to this place is one on which other jobs can run.
          guard case .starting = state, !Task.isCancelled else { return continuation.resume() }
          starter.set(continuation)
        }
      } onCancel: {
        Task { await wakeStarter() }
      }
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

  /// Withdraws the service, and returns when the backend has done so, too.
  func stop() async {
    if case .failed = state {} else { state = .stopped }
    alarm.cancel()
    backend.end(id)
    wakeAll()
    await backend.drain()
  }

  // MARK: - Events

  private func receive(_ event: RegistrationEvent) {
    switch (state, event) {
    case (.stopped, _), (.failed, _):
      return
    case (_, .failed(let error)):
      state = .failed(error)
      alarm.cancel()
      wakeAll()
    case (_, .renamed(from: let former, to: let new)):
      name = new
      tell(.renamed(from: former, to: new))
    case (.starting, .established(let name)):
      self.name = name
      state = .established
      alarm.cancel()
      starter.wake()
    case (.starting(outage: nil), .interrupted(let error)):
      state = .starting(outage: error)
      alarm.set(time.now() + Self.patience) { [weak self] in await self?.patienceEnds() }
    case (.interrupted, .established(let name)):
      self.name = name
      state = .established
      tell(.restored)
    case (.established, .established(let name)):
      self.name = name
    case (.established, .interrupted(let error)):
      state = .interrupted(error)
      tell(.interrupted(error))
    case (.starting, .interrupted), (.interrupted, .interrupted):
      return
    }
  }

  private func patienceEnds() {
    guard alarm.fired(), case .starting(let outage?) = state else { return }
    state = .interrupted(outage)
    starter.wake()
  }

  private func tell(_ event: ServiceEvent) {
    // A copy of the keys alone: a view of them would make every change below copy all subscribers with their lists.
    for id in Array(subscribers.keys) {
      subscribers[id]!.events.append(event)
      subscribers[id]!.waiter.wake()
    }
  }

  private func wakeAll() {
    starter.wake()
    for id in subscribers.keys { subscribers[id]!.waiter.wake() }
  }

  private func wakeStarter() {
    starter.wake()
  }

  // MARK: - Subscribers

  func nextEvent(for id: OperationID) async throws(DiscoveryError) -> ServiceEvent? {
    subscribe(id)
    while !Task.isCancelled {
      if let event = subscribers[id]?.events.popFirst() { return event }
      switch state {
      case .stopped: return nil
      case .failed(let error): throw error
      case .starting, .established, .interrupted: await wait(as: id)
      }
    }
    return nil
  }

  func unsubscribe(_ id: OperationID) {
    subscribers[id] = nil
  }

  /// A new subscriber is told what it would have to know: that the name is another, that the service cannot be found.
  private func subscribe(_ id: OperationID) {
    guard subscribers[id] == nil else { return }
    var subscriber = Subscriber()
    if name != registration.name { subscriber.events.append(.renamed(from: registration.name, to: name)) }
    if case .interrupted(let error) = state { subscriber.events.append(.interrupted(error)) }
    subscribers[id] = subscriber
  }

  /// Returns when a subscriber is woken, or its task cancelled; at once when there is no need to wait any more.
  private func wait(as id: OperationID) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Looked at here once more: the way from the caller to this place is one on which other jobs can run.
        guard let subscriber = subscribers[id], subscriber.events.isEmpty, !hasEnded, !Task.isCancelled else {
          return continuation.resume()
        }
        subscribers[id]!.waiter.set(continuation)
      }
    } onCancel: {
      Task { await wake(id) }
    }
  }

  private var hasEnded: Bool {
    switch state {
    case .stopped, .failed: true
    case .starting, .established, .interrupted: false
    }
  }

  private func wake(_ id: OperationID) {
    subscribers[id]?.waiter.wake()
  }
}
