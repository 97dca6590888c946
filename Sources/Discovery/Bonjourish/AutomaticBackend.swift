#if Avahi
import _BonjourishInterfaces
import _BonjourishAvahiBackend
import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastBackend

/// Uses avahi-daemon while it runs, and the built-in engine otherwise.
///
/// It stores every operation. It starts them again on the other backend when the daemon appears, or has been away for longer
/// than a restart takes. Browsers and publishers see an interruption and a restoration.
actor AutomaticBackend: DiscoveryBackend {
  enum Operation {
    case lookUp(RecordQuestion, @Sendable (LookupEvent) -> Void)
    case publish(Registration, @Sendable (RegistrationEvent) -> Void)
  }

  struct Entry {
    var operation: Operation
    /// The operation's ID on the active backend.
    var inner: OperationID
    var isInterrupted = false
    /// Whether the operation was ended at the daemon because it reaches nobody.
    var isCutOff = false
  }

  /// The times between attempts of the engine to take over.
  private static let retries = Backoff(from: DaemonTrust.restartTime, to: .seconds(60))

  let loop: EventLoop
  let log: @Sendable (LogMessage) -> Void
  private let chosen: @Sendable (Bonjour.Backend) -> Void
  /// Returns the interfaces of this machine, for the tests of the network while the daemon is used.
  let allInterfaces: @Sendable () -> [LocalInterface]
  private(set) var avahi: AvahiBackend?
  private(set) var builtin: MulticastBackend?
  /// The changes of the backend, and what the built-in engines have counted that have ended.
  private(set) var counters = DiscoveryMetrics()
  private(set) var active: (any DiscoveryBackend)?
  /// Watches the network while the daemon is used.
  var probe: NetworkProbe?
  /// The reason why an operation of the daemon reaches nobody on its interfaces.
  var outage: (InterfaceSelection) -> NetworkOutage? = { _ in nil }
  var reachFollowers: [OperationID: ReachEntry] = [:]
  var entries: [OperationID: Entry] = [:]
  private var timer: LoopTimer?
  /// How often in a row the engine could not take over, and why the last time.
  private var failedTakeovers = (count: 0, message: "")
  private var isDaemonThere = false
  private var trust = DaemonTrust()
  /// Why the daemon is not used, if it is not.
  private var absence = ""

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  nonisolated var executor: any SerialExecutor { loop }

  /// - Parameters:
  ///   - loop: The loop that both backends run on.
  ///   - log: Called with log messages.
  ///   - chosen: Called with the backend in use, at the start and after each change.
  ///   - allInterfaces: Returns the interfaces of this machine.
  ///   - active: The backend to begin with.
  init(
    on loop: EventLoop, log: @escaping @Sendable (LogMessage) -> Void = { _ in },
    chosen: @escaping @Sendable (Bonjour.Backend) -> Void = { _ in },
    among allInterfaces: @escaping @Sendable () -> [LocalInterface] = LocalInterface.all, using active: (any DiscoveryBackend)?
  ) {
    self.loop = loop
    self.log = log
    self.chosen = chosen
    self.allInterfaces = allInterfaces
    self.active = active
  }

  /// Connects to the daemon, or starts the built-in engine.
  ///
  /// - Throws: ``DiscoveryError`` when neither backend can be used.
  init(
    on loop: EventLoop, log: @escaping @Sendable (LogMessage) -> Void, chosen: @escaping @Sendable (Bonjour.Backend) -> Void,
    among allInterfaces: @escaping @Sendable () -> [LocalInterface] = LocalInterface.all
  ) async throws(DiscoveryError) {
    self.init(on: loop, log: log, chosen: chosen, among: allInterfaces, using: nil)
    let avahi = AvahiBackend(
      on: try Bonjour.avahiLoop(), handlersOn: loop, interfaces: InterfaceState.ofThisMachine, log: log
    ) { [weak self] availability in
      loop.execute { [weak self] in self?.assumeIsolated { $0.daemonChanged(availability) } }
    }
    self.avahi = avahi
    do throws(DiscoveryError) {
      try await avahi.connect()
      use(avahi, called: .avahi)
      watchNetwork(of: avahi)
    } catch {
      do throws(DiscoveryError) {
        guard error.code != .cancelled else { throw error }
        log(LogMessage(.info, error.message))
        try await useBuiltin()
        // The daemon may have come while the sockets were being opened.
        if isDaemonThere { daemonChanged(.available) }
      } catch {
        avahi.closeSoon()
        throw error
      }
    }
  }

  /// Connects to the running daemon, and waits for it whenever it stops.
  ///
  /// - Throws: ``DiscoveryError`` when there is no bus, no daemon on it, or one of them hangs.
  init(
    onlyAvahiOn loop: EventLoop, log: @escaping @Sendable (LogMessage) -> Void,
    among allInterfaces: @escaping @Sendable () -> [LocalInterface] = LocalInterface.all
  ) async throws(DiscoveryError) {
    let avahi = AvahiBackend(
      on: try Bonjour.avahiLoop(), handlersOn: loop, interfaces: InterfaceState.ofThisMachine, log: log)
    do throws(DiscoveryError) {
      try await avahi.connect()
    } catch {
      avahi.closeSoon()
      throw error
    }
    self.init(on: loop, log: log, among: allInterfaces, using: avahi)
    self.avahi = avahi
    watchNetwork(of: avahi)
  }

  // MARK: - Commands

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
      backend.entries[id]!.operation = .publish(registration.replacing(txt: txt), handler)
      backend.active?.update(txt, of: entry.inner)
    }
  }

  nonisolated func reconfirm(_ instance: ServiceInstance, interfaces: InterfaceSelection) {
    perform { $0.active?.reconfirm(instance, interfaces: interfaces) }
  }

  nonisolated func end(_ id: OperationID) {
    perform { backend in
      if let follower = backend.reachFollowers.removeValue(forKey: id) { backend.active?.end(follower.inner) }
      guard let entry = backend.entries.removeValue(forKey: id) else { return }
      backend.active?.end(entry.inner)
    }
  }

  nonisolated func drain() async {
    // `perform` runs after the earlier commands, so the active backend has them all and can drain them.
    let active = await withCheckedContinuation { continuation in perform { continuation.resume(returning: $0.active) } }
    await active?.drain()
  }

  func close() async {
    timer?.cancel()
    ignoreNetwork()
    entries = [:]
    reachFollowers = [:]
    active = nil
    let (avahi, builtin) = (avahi, builtin)
    self.avahi = nil
    self.builtin = nil
    // The built-in engine first: a daemon that hangs is waited for.
    await builtin?.close()
    await avahi?.close()
  }

  nonisolated func perform(_ body: @escaping @Sendable (isolated AutomaticBackend) -> Void) {
    loop.execute { self.assumeIsolated(body) }
  }

  // MARK: - Operations

  private func begin(_ operation: Operation, as id: OperationID) {
    entries[id] = Entry(operation: operation, inner: OperationID())
    probe?.refresh()
    if let outage = outage(operation.interfaces) { cutOff(id, outage) } else { start(id) }
  }

  /// Starts an operation on the active backend, with a new ID, so that late events of the former backend are ignored.
  func start(_ id: OperationID) {
    guard let active, entries[id] != nil else { return }
    let inner = OperationID()
    entries[id]!.inner = inner
    switch entries[id]!.operation {
    case .lookUp(let question, _):
      active.lookUp(question, as: inner) { [weak self] event in self?.assumeIsolated { $0.forward(event, to: id, from: inner) }
      }
    case .publish(let registration, _):
      active.publish(registration, as: inner) { [weak self] event in
        self?.assumeIsolated { $0.forward(event, to: id, from: inner) }
      }
    }
  }

  // MARK: - Choice

  private func use(_ backend: any DiscoveryBackend, called name: Bonjour.Backend) {
    active = backend
    log(LogMessage(.info, "discovery by \(name.rawValue)", ["backend": name.rawValue]))
    chosen(name)
  }

  private func useBuiltin() async throws(DiscoveryError) {
    let builtin = try await MulticastBackend(on: loop, log: log)
    // A daemon that hangs may have been given up meanwhile: then another engine has taken over.
    guard self.builtin == nil else { return await builtin.close() }
    self.builtin = builtin
    use(builtin, called: .builtin)
  }

  private func daemonChanged(_ availability: AvahiBackend.Availability) {
    timer?.cancel()
    timer = nil
    isDaemonThere = availability == .available
    guard let avahi else { return }
    if isDaemonThere {
      guard builtin != nil else { return }
      let wait = trust.wait(at: .now)
      guard wait > .zero else { return giveBack(to: avahi) }
      timer = loop.schedule(after: wait) { [weak self] in
        self?.assumeIsolated { backend in
          if backend.isDaemonThere, let avahi = backend.avahi { backend.giveBack(to: avahi) }
        }
      }
    } else if builtin == nil {
      absence = availability == .nameless ? "avahi-daemon finds no name for this host" : "avahi-daemon is gone"
      let wait = trust.lose(at: .now)
      // One that hangs or has no name has been waited for already.
      takeOverLater(after: availability == .gone ? wait : .zero)
    }
  }

  /// Lets the daemon go on in the place of the engine.
  private func giveBack(to avahi: AvahiBackend) {
    guard let builtin else { return }
    self.builtin = nil
    // No goodbye: the daemon announces the same services when it has probed for their names.
    counters.builtin.addCounters(of: builtin.assumeIsolated { $0.engineMetrics })
    builtin.assumeIsolated { $0.fallSilent() }
    move(to: avahi, called: .avahi, reason: "avahi-daemon has appeared, and takes over from the built-in engine")
    Task { await builtin.close() }
  }

  private func takeOverLater(after delay: Duration) {
    timer = loop.schedule(after: delay) { [weak self] in
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
      failedTakeovers = (0, "")
      move(to: builtin, called: .builtin, reason: "\(absence), and the built-in engine takes over")
    } catch {
      if error.message != failedTakeovers.message { log(LogMessage(.warning, error.message)) }
      failedTakeovers = (failedTakeovers.count + 1, error.message)
      // Try again: the daemon may come back, or the program that holds the port may end.
      takeOverLater(after: Self.retries.delay(after: failedTakeovers.count))
    }
  }

  /// Starts every operation again on another backend.
  private func move(to backend: any DiscoveryBackend, called name: Bonjour.Backend, reason: String) {
    let former = active
    counters.backendChanges += 1
    for (id, entry) in entries {
      former?.end(entry.inner)
      tellInterrupted(id, DiscoveryError(.unavailable, reason))
    }
    use(backend, called: name)
    ignoreNetwork()
    for id in Array(entries.keys) {
      entries[id]?.isCutOff = false
      tellRestored(id)
      start(id)
    }
    if name == .avahi, let avahi { watchNetwork(of: avahi) }
    for id in Array(reachFollowers.keys) { startFollowing(id, insteadOf: former) }
  }

  /// Tells that an operation is about to be started again. A service is restored when it is established.
  func tellRestored(_ id: OperationID) {
    guard case .lookUp(_, let handler)? = entries[id]?.operation else { return }
    entries[id]!.isInterrupted = false
    handler(.restarted)
  }

  func tellInterrupted(_ id: OperationID, _ error: DiscoveryError) {
    guard let entry = entries[id], !entry.isInterrupted else { return }
    entries[id]!.isInterrupted = true
    switch entry.operation {
    case .publish(_, let handler): handler(.interrupted(error))
    case .lookUp(_, let handler): handler(.interrupted(error))
    }
  }
}
#endif
