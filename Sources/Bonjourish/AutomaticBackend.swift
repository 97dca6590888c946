import AvahiBackend
import Discovery
import EventLoop
import MulticastBackend

/// Uses avahi-daemon while there is one, and the built-in engine otherwise.
///
/// Every operation is remembered as it was begun, and begun again on the other backend when the daemon appears, or has been away
/// for longer than a restart takes. To whoever browses or publishes that is an interruption and a restoration.
actor AutomaticBackend: DiscoveryBackend {
  private enum Operation {
    case browse(BrowseQuery, @Sendable (BrowseEvent) -> Void)
    case lookUp(RecordQuestion, @Sendable (LookupEvent) -> Void)
    case publish(Registration, @Sendable (RegistrationEvent) -> Void)
  }

  private struct Entry {
    var operation: Operation
    /// What the operation is called at the backend that carries it out.
    var inner: OperationID
    var isInterrupted = false
  }

  /// How long the daemon may be away before the built-in engine takes over: a restart of it takes less.
  static let patience: Duration = .seconds(3)

  private let loop: EventLoop
  private let log: @Sendable (LogMessage) -> Void
  private let chosen: @Sendable (Bonjour.Backend) -> Void
  private var avahi: AvahiBackend?
  private var builtin: MulticastBackend?
  private var active: (any DiscoveryBackend)?
  private var entries: [OperationID: Entry] = [:]
  private var timer: LoopTimer?
  private var isDaemonThere = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  nonisolated var executor: any SerialExecutor { loop }

  /// - Parameters:
  ///   - loop: Where both backends live.
  ///   - log: Told what happens inside.
  ///   - chosen: Told which backend is used, at first and after each change.
  /// - Throws: ``DiscoveryError`` when neither of them can be used.
  init(
    on loop: EventLoop, log: @escaping @Sendable (LogMessage) -> Void, chosen: @escaping @Sendable (Bonjour.Backend) -> Void
  ) async throws(DiscoveryError) {
    self.loop = loop
    self.log = log
    self.chosen = chosen
    let avahi = AvahiBackend(on: loop, log: log) { [weak self] isThere in
      // In a turn of its own, and not within Avahi's.
      loop.execute { [weak self] in self?.assumeIsolated { $0.daemonChanged(isThere) } }
    }
    self.avahi = avahi
    do throws(DiscoveryError) {
      try await avahi.connect()
      use(avahi, called: .avahi)
    } catch {
      log(LogMessage(.info, error.message))
      await avahi.connectWhenPossible()
      do throws(DiscoveryError) {
        try await useBuiltin()
        // It may have come while the sockets were being opened.
        if isDaemonThere { daemonChanged(true) }
      } catch {
        await avahi.close()
        throw error
      }
    }
  }

  // MARK: - Commands

  nonisolated func browse(_ query: BrowseQuery, as id: OperationID, _ handler: @escaping @Sendable (BrowseEvent) -> Void) {
    perform { $0.begin(.browse(query, handler), as: id) }
  }

  nonisolated func lookUp(
    _ question: RecordQuestion, as id: OperationID, _ handler: @escaping @Sendable (LookupEvent) -> Void
  ) {
    perform { $0.begin(.lookUp(question, handler), as: id) }
  }

  nonisolated func publish(
    _ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void
  ) {
    perform { $0.begin(.publish(registration, handler), as: id) }
  }

  nonisolated func update(_ txt: TXTRecord, of id: OperationID) {
    perform { backend in
      guard let entry = backend.entries[id], case .publish(let registration, let handler) = entry.operation else { return }
      backend.entries[id]!.operation = .publish(registration.saying(txt), handler)
      backend.active?.update(txt, of: entry.inner)
    }
  }

  nonisolated func reconfirm(_ instance: ServiceInstance, on interface: NetworkInterface?) {
    perform { $0.active?.reconfirm(instance, on: interface) }
  }

  nonisolated func end(_ id: OperationID) {
    perform { backend in
      guard let entry = backend.entries.removeValue(forKey: id) else { return }
      backend.active?.end(entry.inner)
    }
  }

  nonisolated func drain() async {
    // Twice: the first turn hands the commands on, the second is behind them at the backend, which shares this loop.
    for _ in 1...2 { await withCheckedContinuation { continuation in loop.execute { continuation.resume() } } }
  }

  func close() async {
    timer?.cancel()
    entries = [:]
    active = nil
    let (avahi, builtin) = (avahi, builtin)
    self.avahi = nil
    self.builtin = nil
    await avahi?.close()
    await builtin?.close()
  }

  private nonisolated func perform(_ body: @escaping @Sendable (isolated AutomaticBackend) -> Void) {
    loop.execute { self.assumeIsolated(body) }
  }

  // MARK: - Operations

  private func begin(_ operation: Operation, as id: OperationID) {
    entries[id] = Entry(operation: operation, inner: OperationID())
    start(id)
  }

  /// Begins an operation on the active backend, under a new name, so that what the former one still says is not mistaken.
  private func start(_ id: OperationID) {
    guard let active, entries[id] != nil else { return }
    let inner = OperationID()
    entries[id]!.inner = inner
    switch entries[id]!.operation {
    case .browse(let query, _):
      active.browse(query, as: inner) { [weak self] event in self?.assumeIsolated { $0.relay(event, to: id, from: inner) } }
    case .lookUp(let question, _):
      active.lookUp(question, as: inner) { [weak self] event in self?.assumeIsolated { $0.relay(event, to: id, from: inner) } }
    case .publish(let registration, _):
      active.publish(registration, as: inner) { [weak self] event in
        self?.assumeIsolated { $0.relay(event, to: id, from: inner) }
      }
    }
  }

  private func relay(_ event: BrowseEvent, to id: OperationID, from inner: OperationID) {
    guard let entry = entries[id], entry.inner == inner, case .browse(_, let handler) = entry.operation else { return }
    switch event {
    case .interrupted: entries[id]!.isInterrupted = true
    case .restored: entries[id]!.isInterrupted = false
    case .appeared, .vanished, .doubted, .settled, .failed: break
    }
    handler(event)
  }

  private func relay(_ event: LookupEvent, to id: OperationID, from inner: OperationID) {
    guard let entry = entries[id], entry.inner == inner, case .lookUp(_, let handler) = entry.operation else { return }
    switch event {
    case .interrupted: entries[id]!.isInterrupted = true
    case .restarted: entries[id]!.isInterrupted = false
    case .added, .removed, .cacheExhausted, .settled, .failed: break
    }
    handler(event)
  }

  private func relay(_ event: RegistrationEvent, to id: OperationID, from inner: OperationID) {
    guard let entry = entries[id], entry.inner == inner, case .publish(let registration, let handler) = entry.operation
    else { return }
    switch event {
    case .renamed(_, let name): entries[id]!.operation = .publish(registration.renamed(to: name), handler)
    case .interrupted: entries[id]!.isInterrupted = true
    case .established: entries[id]!.isInterrupted = false
    case .failed: break
    }
    handler(event)
  }

  // MARK: - Choice

  private func use(_ backend: any DiscoveryBackend, called name: Bonjour.Backend) {
    active = backend
    log(LogMessage(.info, "discovery by \(name.rawValue)"))
    chosen(name)
  }

  private func useBuiltin() async throws(DiscoveryError) {
    let builtin = try await MulticastBackend(on: loop, log: log)
    self.builtin = builtin
    use(builtin, called: .builtin)
  }

  private func daemonChanged(_ isThere: Bool) {
    timer?.cancel()
    timer = nil
    isDaemonThere = isThere
    guard let avahi else { return }
    if isThere {
      guard let builtin else { return }
      self.builtin = nil
      // Without a goodbye: the daemon tells of the same as soon as it has asked whether the names are free.
      builtin.assumeIsolated { $0.fallSilent() }
      move(to: avahi, called: .avahi, reason: "avahi-daemon is there, and takes over from the built-in engine")
      Task { await builtin.close() }
    } else if builtin == nil {
      takeOverLater()
    }
  }

  private func takeOverLater() {
    timer = loop.schedule(after: Self.patience) { [weak self] in
      Task { await self?.takeOver() }
    }
  }

  private func takeOver() async {
    guard builtin == nil, avahi != nil, timer != nil else { return }
    timer = nil
    do throws(DiscoveryError) {
      let builtin = try await MulticastBackend(on: loop, log: log)
      guard !isDaemonThere, avahi != nil, self.builtin == nil else { return await builtin.close() }
      self.builtin = builtin
      move(to: builtin, called: .builtin, reason: "avahi-daemon is gone, and the built-in engine takes over")
    } catch {
      log(LogMessage(.warning, error.message))
      // The daemon may come back first, and else whoever has the port may go.
      takeOverLater()
    }
  }

  /// Begins every operation anew on another backend.
  private func move(to backend: any DiscoveryBackend, called name: Bonjour.Backend, reason: String) {
    let former = active
    for (id, entry) in entries {
      former?.end(entry.inner)
      tellInterrupted(id, DiscoveryError(.unavailable, reason))
    }
    use(backend, called: name)
    for (id, entry) in entries {
      switch entry.operation {
      case .browse(_, let handler):
        entries[id]!.isInterrupted = false
        handler(.restored)
      case .lookUp(_, let handler):
        entries[id]!.isInterrupted = false
        handler(.restarted)
      case .publish: break
      }
      start(id)
    }
  }

  private func tellInterrupted(_ id: OperationID, _ error: DiscoveryError) {
    guard let entry = entries[id], !entry.isInterrupted else { return }
    entries[id]!.isInterrupted = true
    switch entry.operation {
    case .browse(_, let handler): handler(.interrupted(error))
    case .publish(_, let handler): handler(.interrupted(error))
    case .lookUp(_, let handler): handler(.interrupted(error))
    }
  }
}
