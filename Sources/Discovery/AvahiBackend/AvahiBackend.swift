#if Avahi
package import _BonjourishDiscovery
package import _BonjourishEventLoop
import _BonjourishBase
import _BonjourishInterfaces

/// Multicast DNS by the system's avahi-daemon.
///
/// All calls and callbacks of Avahi run on one loop. When the daemon or the bus stops or hangs, operations are interrupted. They
/// start again when it is back. Avahi's calls are D-Bus round trips that block the loop, so nothing else runs on it, and handlers
/// run on another.
package actor AvahiBackend: DiscoveryBackend {
  /// Whether the daemon can be used.
  package enum Availability: Hashable, Sendable {
    case available
    /// It has ended. It may be about to start again.
    case gone
    /// It has not answered for some time.
    case hung
    /// It has not found a name for the host for some time.
    case nameless
  }

  let loop: EventLoop
  let home: EventLoop
  let log: @Sendable (LogMessage) -> Void
  private let availabilityChanged: @Sendable (Availability) -> Void
  let line: BusLine
  private let gate: RegistrationGate
  private let poll: LoopPoll
  var watchdog: Watchdog?
  /// Where the daemon is.
  package nonisolated let network: DaemonNetwork
  private let links: LinkTable

  var connection: AvahiConnection?
  let listInterfaces: @Sendable () -> [InterfaceState]
  /// The machine's interfaces, which are followed from the first operation.
  var interfaces: [InterfaceState] = []
  var monitor: InterfaceMonitor?
  /// The number of the connection, so that late events of a former one are ignored.
  private var generation = 0
  private var state = AvahiConnection.State.waiting
  nonisolated let counters = Locked(AvahiMetrics())
  private var retry: LoopTimer?
  private var naming = NamingLimit()
  private let origin = ContinuousClock.now
  private lazy var namingDeadline = LoopDeadline(on: loop) { [weak self] in
    self?.assumeIsolated { $0.judge { $0.advance(to: $1) } }
  }
  /// How often in a row connecting has failed.
  private var failures = 0

  private var browses: [OperationID: AvahiLookup] = [:]
  private var publications: [OperationID: AvahiPublication] = [:]
  private var lookups: [OperationID: AvahiLookup] = [:]
  /// The lookups that wait until others end.
  private var waitingLookups: [(id: OperationID, lookup: AvahiLookup)] = []

  private static let backoff = Backoff(from: .milliseconds(250), to: .seconds(5))
  /// The maximum number of open lookups. A client may have 1,024 objects; the rest is for browsers and services.
  private static let maximumLookups = 900

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  package nonisolated var executor: any SerialExecutor { home }

  /// Makes a backend without a connection. Then call ``connect(within:)``.
  ///
  /// - Parameters:
  ///   - loop: The loop that the calls of Avahi block.
  ///   - home: The loop of the handlers, another one.
  ///   - interfaces: Lists the machine's interfaces.
  ///   - network: Where the daemon is.
  ///   - log: Called with messages about the connection.
  ///   - availabilityChanged: Called on `loop` when the daemon appears, and when it stops or hangs.
  package init(
    on loop: EventLoop, handlersOn home: EventLoop, interfaces: @escaping @Sendable () -> [InterfaceState],
    in network: DaemonNetwork = DaemonNetwork(), log: @escaping @Sendable (LogMessage) -> Void,
    availabilityChanged: @escaping @Sendable (Availability) -> Void = { _ in }
  ) {
    self.loop = loop
    self.home = home
    listInterfaces = interfaces
    self.log = log
    self.availabilityChanged = availabilityChanged
    line = BusLine()
    self.network = network
    links = LinkTable(of: network)
    gate = RegistrationGate(line)
    poll = LoopPoll(on: loop, line: line)
  }

  // MARK: - Commands

  package nonisolated func lookUp(
    _ question: RecordQuestion, as id: OperationID, _ handler: @escaping @Sendable (LookupEvent) -> Void
  ) {
    perform { backend in
      backend.followInterfaces()
      let report: (LookupEvent) -> Void = { event in backend.home.execute { handler(event) } }
      // Avahi's own service browser asks the same question, but refuses types of one character.
      let lookup = AvahiLookup(
        question, on: backend.loop, links: backend.links, line: backend.line, among: backend.interfaces, report)
      guard question.browse == nil else {
        backend.browses[id] = lookup
        return backend.startIfConnected(lookup)
      }
      backend.waitingLookups.append((id, lookup))
      backend.startWaitingLookups()
    }
  }

  package nonisolated func publish(
    _ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void
  ) {
    perform { backend in
      backend.followInterfaces()
      let publication = AvahiPublication(
        registration, on: backend.loop, through: backend.gate, among: backend.interfaces
      ) { event in
        backend.home.execute { handler(event) }
      }
      backend.publications[id] = publication
      backend.line.carry(publications: backend.publications.count)
      backend.startIfConnected(publication)
      if backend.isConnected { backend.tellState(to: publication) }
    }
  }

  package nonisolated func update(_ txt: TXTRecord, of id: OperationID) {
    perform { backend in backend.publications[id]?.update(txt) }
  }

  /// Does nothing: the daemon has no such request, and drops records when they expire.
  package nonisolated func reconfirm(_ instance: ServiceInstance, interfaces: InterfaceSelection) {}

  package nonisolated func end(_ id: OperationID) {
    perform { backend in
      backend.browses.removeValue(forKey: id)?.stop()
      if let publication = backend.publications.removeValue(forKey: id) {
        publication.stop()
        backend.line.carry(publications: backend.publications.count)
      }
      backend.lookups.removeValue(forKey: id)?.stop()
      backend.waitingLookups.removeAll { $0.id == id }
      backend.startWaitingLookups()
    }
  }

  func free() {
    for operation in operations { operation.stop() }
    browses = [:]
    publications = [:]
    lookups = [:]
    waitingLookups = []
    retry?.cancel()
    retry = nil
    monitor?.stop()
    monitor = nil
    disconnect()
    if let watchdog { home.execute { watchdog.stop() } }
    watchdog = nil
  }

  /// Runs a closure on the loop after all earlier ones, as a separate job, never inside a callback.
  nonisolated func perform(_ body: @escaping @Sendable (isolated AvahiBackend) -> Void) {
    loop.execute {
      self.line.goOn()
      self.assumeIsolated { backend in
        body(backend)
        // The call has returned, so what follows is waited for again.
        backend.line.noteVain(at: nil)
        backend.noticeCut()
        backend.note(waitingLookups: backend.waitingLookups.count)
      }
    }
  }

  // MARK: - Operations

  var operations: [any AvahiOperation] {
    Array(browses.values) + Array(publications.values) + Array(lookups.values)
  }

  /// Counted without a list of them: each command needs it.
  var operationCount: Int { browses.count + publications.count + lookups.count }

  var isConnected: Bool {
    switch state {
    case .running, .namingHost: connection != nil
    case .waiting, .failed: false
    }
  }

  private func startIfConnected(_ operation: any AvahiOperation) {
    if isConnected, let connection { operation.start(on: connection) } else { operation.interrupt(.noDaemon) }
  }

  private func tellState(to publication: AvahiPublication) {
    if state == .running { publication.serverIsRunning() } else { publication.serverIsNamingHost() }
  }

  private func startWaitingLookups() {
    let room = Self.maximumLookups - lookups.count
    guard room > 0, !waitingLookups.isEmpty else { return }
    let next = waitingLookups.prefix(room)
    waitingLookups.removeFirst(next.count)
    for (id, lookup) in next {
      lookups[id] = lookup
      line.goOn()
      startIfConnected(lookup)
    }
  }

  // MARK: - Connection

  private func openConnection() throws(AvahiError) {
    generation += 1
    state = .waiting
    let current = generation
    // `perform` acts in a later job: nothing may be freed inside this callback, and its first call comes from the initialiser.
    let connection = try AvahiConnection(poll: poll, on: loop) { [weak self] state in
      self?.perform { $0.stateChanged(to: state, of: current) }
    }
    self.connection = connection
  }

  private func disconnect() {
    connection?.free()
    connection = nil
    naming = NamingLimit()
    namingDeadline.cancel()
  }

  private func stateChanged(to new: AvahiConnection.State, of generation: Int) {
    guard generation == self.generation, connection != nil else { return }
    let wasConnected = isConnected
    state = new
    switch new {
    case .running, .namingHost:
      serverAppeared(wasConnected: wasConnected)
      judge { $0.note(hasName: new == .running, at: $1) }
    case .waiting:
      log(LogMessage(.debug, "avahi-daemon does not run; waiting for it on the bus"))
    case .failed(let number):
      if line.takeCut() { serverVanished(.hangs, .hung) } else { serverVanished(AvahiError(number), .gone) }
    }
  }

  private func serverAppeared(wasConnected: Bool) {
    failures = 0
    if !wasConnected, let connection {
      counters.withLock { $0.connections += 1 }
      network.refresh()
      log(LogMessage(.info, "avahi-daemon has appeared"))
      for operation in operations {
        line.goOn()
        operation.start(on: connection)
      }
      availabilityChanged(.available)
    }
    for publication in publications.values {
      line.goOn()
      tellState(to: publication)
    }
  }

  /// Tells when the daemon is no longer waited for to find a name for the host, or has found one after all.
  private func judge(_ change: (inout NamingLimit, Duration) -> NamingLimit.Verdict?) {
    let verdict = change(&naming, origin.duration(to: .now))
    namingDeadline.set(naming.nextDeadline.map { origin + $0 })
    switch verdict {
    case .exhausted:
      log(LogMessage(.warning, "avahi-daemon has not found a name for this host for \(NamingLimit.limit)"))
      availabilityChanged(.nameless)
    case .restored: availabilityChanged(.available)
    case nil: break
    }
  }

  func serverVanished(_ error: AvahiError, _ availability: Availability) {
    counters.withLock { $0.connectionsLost = $0.connections }
    log(LogMessage(.warning, error.during("talking to avahi-daemon").message))
    // Freeing the client frees their objects, so they must only forget them.
    for operation in operations { operation.interrupt(error) }
    disconnect()
    availabilityChanged(availability)
    reconnectLater()
  }

  /// Connects to the bus, now or as soon as possible.
  ///
  /// - Returns: Whether the daemon is there, or why not.
  @discardableResult
  func findDaemon() -> Result<Void, AvahiError> {
    // Nothing that was commanded waits for that.
    line.noteVain(at: line.progress)
    defer { line.noteVain(at: nil) }
    do throws(AvahiError) {
      try openConnection()
      guard connection?.state != .waiting else { return .failure(.noDaemon) }
      network.refresh()
      return .success(())
    } catch {
      _ = line.takeCut()
      // Without a bus there is no signal when the daemon is back, so try again later.
      log(LogMessage(.debug, error.during("looking for avahi-daemon").message))
      reconnectLater()
      return .failure(error)
    }
  }

  private func reconnectLater() {
    retry = loop.schedule(after: Self.backoff.delay(after: failures)) { [weak self] in
      self?.assumeIsolated { _ = $0.findDaemon() }
    }
    failures += 1
  }
}
#endif
