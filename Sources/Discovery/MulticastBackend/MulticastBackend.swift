package import _BonjourishDiscovery
package import _BonjourishEventLoop
import _BonjourishInterfaces
import _BonjourishMulticastDNS

/// The built-in mDNS backend: runs the engine over UDP sockets, and follows the machine's interfaces.
///
/// It needs no daemon, and shares port 5353 with one that runs. It uses only the interfaces that operations select.
package actor MulticastBackend: DiscoveryBackend {
  let loop: EventLoop
  let log: @Sendable (LogMessage) -> Void
  let origin = ContinuousClock.now
  var engine: MulticastEngine
  /// The engine's next deadline.
  lazy var deadline = LoopDeadline(on: loop) { [weak self] in self?.assumeIsolated { $0.handle(.timePassed) } }
  var sleep = SleepDetector(at: .now)
  /// Whether the links are being started again after a sleep.
  var isWaking = false

  let counter4 = DatagramCounter()
  let counter6 = DatagramCounter()
  /// The open sockets. A family needs more than one when it has more links than a socket can have memberships.
  var sockets: [IPAddress.Family: [MulticastSocket]] = [:]
  /// The sockets that have joined the groups of the links.
  var memberships: [MulticastLink: MulticastSocket] = [:]
  /// The timers that reopen failed sockets.
  var reopenTimers: [IPAddress.Family: LoopTimer] = [:]
  /// The failures of the families without sockets, as they were logged.
  var socketFailures: [IPAddress.Family: SystemError] = [:]
  let monitor: InterfaceMonitor
  /// The links that are up, with the interfaces as the engine knows them.
  var links: [MulticastLink: LocalInterface] = [:]
  /// The links on which the last datagram to the group could not be sent.
  var muteLinks: Set<MulticastLink> = []
  /// Whether each link to which something was sent works.
  var echoes: [MulticastLink: EchoCheck] = [:]
  /// The earliest deadline of `echoes`; nil while no echo is missing.
  var echoDeadline: Duration?
  var echoTimer: LoopTimer?
  var idleTimer: LoopTimer?
  var isSettingEchoTimer = false
  /// The faulty links of `echoes` that were logged.
  var knownFaults: Set<MulticastLink> = []
  /// The operations that were told that they reach nobody.
  var cutOff: Set<OperationID> = []
  /// Successes that are reported once a link is known to work.
  var unprovenSuccesses: [MulticastEngine.Effect] = []
  /// The interfaces of this machine when the links were last refreshed.
  var states: [InterfaceState] = []
  var reachFollowers: [InterfaceSelection: ReachFollowers] = [:]
  var isTellingReach = false
  /// The wanted links whose group cannot be joined, with the failures as they were logged.
  var refusals: [MulticastLink: SystemError] = [:]
  /// The numbers that stand for interfaces in the engine.
  var numbersByName: [String: UInt32] = [:]
  /// The same numbers by the kernel's current indices.
  var numbersByIndex: [UInt32: UInt32] = [:]
  /// The selections that operations had when the links were last refreshed, with their links. Some may not be up.
  var scopes: [InterfaceSelection: Scope] = [:]
  var lastScope = MulticastBackend.hostScope.rawValue
  var isRefreshing = false
  private var isFlushing = false
  var hasHostName = false
  /// Whether the host's addresses are published under its name.
  var hasHostAddresses = true
  var hostNameMonitor: HostNameMonitor?

  var operations: [OperationID: Operation] = [:]
  var queries: [MulticastEngine.QueryID: OperationID] = [:]
  var registrations: [MulticastEngine.RegistrationID: OperationID] = [:]
  var lastNumber: UInt64 = 0

  enum Operation {
    case lookUp(MulticastEngine.QueryID, RecordQuestion, @Sendable (LookupEvent) -> Void)
    case publish(MulticastPublication)
    case ask(MulticastEngine.QueryID, InterfaceSelection, @Sendable (RecordEvent) -> Void)
    case records(
      MulticastEngine.RegistrationID, InterfaceSelection, needsHost: Bool,
      @Sendable (MulticastEngine.RegistrationChange) -> Void)
    case host(InterfaceSelection, @Sendable (MulticastEngine.HostNameChange) -> Void)

    var interfaces: InterfaceSelection {
      switch self {
      case .lookUp(_, let question, _): question.interfaces
      case .publish(let publication): publication.interfaces
      case .ask(_, let interfaces, _), .records(_, let interfaces, _, _), .host(let interfaces, _): interfaces
      }
    }

    /// Whether services of this host are published, or the host itself.
    var needsThisHost: Bool {
      switch self {
      case .lookUp, .ask: false
      case .publish(let publication): publication.needsThisHost
      case .records(_, _, let needsHost, _): needsHost
      case .host: true
      }
    }
  }

  /// The links of a selection.
  struct Scope {
    let id: MulticastEngine.ScopeID
    var links: Set<MulticastLink> = []
    /// Whether services are published on them, and so the host's name.
    var isForHost = false
  }

  /// The links on which the host's name is published.
  static let hostScope = MulticastEngine.ScopeID(0)

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  package nonisolated var executor: any SerialExecutor { loop }

  /// Opens the sockets.
  ///
  /// - Parameters:
  ///   - loop: The loop that the backend runs on.
  ///   - log: Called with messages about sockets and interfaces.
  /// - Throws: ``DiscoveryError`` with code `unavailable` when port 5353 can be opened neither for IPv4 nor for IPv6.
  package init(on loop: EventLoop, log: @escaping @Sendable (LogMessage) -> Void) async throws(DiscoveryError) {
    self.loop = loop
    do throws(SystemError) {
      monitor = try InterfaceMonitor()
    } catch {
      throw DiscoveryError(
        .unavailable, "starting discovery: \(error.reason) (\(error.call)); close some files or programs", because: error)
    }
    self.log = log
    engine = MulticastEngine(seed: .random(in: 0...UInt64.max))
    try open()
  }

  // MARK: - Commands

  package nonisolated func lookUp(
    _ question: RecordQuestion, as id: OperationID, _ handler: @escaping @Sendable (LookupEvent) -> Void
  ) {
    perform { backend in
      let number = MulticastEngine.QueryID(backend.nextNumber())
      backend.operations[id] = .lookUp(number, question, handler)
      backend.queries[number] = id
      backend.use(question.interfaces)
      backend.tellReach(to: id)
      backend.ask(number, question, handler)
    }
  }

  func ask(_ number: MulticastEngine.QueryID, _ question: RecordQuestion, _ handler: (LookupEvent) -> Void) {
    do throws(DiscoveryError) {
      let name = try DNSName.multicast(during: question.action, question.dnsName)
      handle(.ask(number, name, question.dnsType, in: scopes[question.interfaces]?.id))
    } catch {
      handler(.failed(error))
    }
  }

  package nonisolated func publish(
    _ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void
  ) {
    perform { backend in
      do throws(DiscoveryError) {
        try registration.check()
      } catch {
        return handler(.failed(error))
      }
      let publication = MulticastPublication(registration, as: id, on: backend, handler)
      backend.operations[id] = .publish(publication)
      backend.use(registration.interfaces, forHost: registration.needsThisHost)
      if registration.needsThisHost { backend.claimHostName() }
      backend.tellReach(to: id)
      if !backend.cutOff.contains(id) { publication.networkFound() }
    }
  }

  package nonisolated func update(_ txt: TXTRecord, of id: OperationID) {
    perform { backend in
      if case .publish(let publication) = backend.operations[id] { publication.update(txt) }
    }
  }

  package nonisolated func reconfirm(_ instance: ServiceInstance, interfaces: InterfaceSelection) {
    perform { backend in
      // A name that does not fit into a message cannot have been found.
      guard let name = try? instance.dnsName() else { return }
      // By default it is in doubt wherever it was found, also by an operation that names its interfaces.
      let scope = interfaces == .all ? nil : backend.scopes[interfaces]?.id
      for pointer in backend.pointers(to: instance) { backend.handle(.reconfirm(pointer, .ptr, .ptr(name), in: scope)) }
      backend.handle(.reconfirm(name, .srv, nil, in: scope))
    }
  }

  /// The names of PTR records that may point to an instance: its type and the browsed subtypes.
  private func pointers(to instance: ServiceInstance) -> Set<DNSName> {
    var names: Set<DNSName> = []
    for case .lookUp(_, let question, _) in operations.values
    where question.browse.map({ $0.type == instance.type && $0.domain == instance.domain }) == true {
      if let name = try? question.dnsName() { names.insert(name) }
    }
    if let name = try? instance.type.name(in: instance.domain) { names.insert(name) }
    return names
  }

  package nonisolated func end(_ id: OperationID) {
    perform { backend in
      backend.cutOff.remove(id)
      backend.endFollowing(id)
      switch backend.operations.removeValue(forKey: id) {
      case .lookUp(let number, _, _):
        backend.queries[number] = nil
        backend.handle(.endAsking(number))
      case .publish(let publication):
        publication.stop()
        backend.flushSoon()
      case .ask(let number, _, _):
        backend.queries[number] = nil
        backend.handle(.endAsking(number))
      case .records(let number, _, _, _):
        backend.withdraw(number)
        backend.flushSoon()
      case .host, nil:
        break
      }
    }
  }

  package nonisolated func drain() async {
    // Uses the commands' queue. A plain call of the actor would not wait for them when the caller runs on this loop too.
    await withCheckedContinuation { continuation in
      loop.execute { [loop] in loop.atEndOfTick { continuation.resume() } }
    }
  }

  /// Sends the goodbyes of this tick together at its end: the process may exit next, and some receivers lose datagrams of a
  /// burst of hundreds.
  private func flushSoon() {
    guard !isFlushing else { return }
    isFlushing = true
    loop.atEndOfTick { [weak self] in
      self?.assumeIsolated { backend in
        backend.isFlushing = false
        backend.handle(.flush)
      }
    }
  }

  package func close() async {
    for case .publish(let publication) in operations.values { publication.stop() }
    handle(.shutDown)
    fallSilent()
  }

  /// Frees all resources without goodbyes, because another responder on this machine takes over. With a goodbye just before the
  /// new announcement, peers would lose the service for a moment.
  package func fallSilent() {
    for case .publish(let publication) in operations.values { publication.abandon() }
    operations = [:]
    queries = [:]
    registrations = [:]
    reachFollowers = [:]
    deadline.cancel()
    echoTimer?.cancel()
    echoTimer = nil
    echoDeadline = nil
    idleTimer?.cancel()
    idleTimer = nil
    for timer in reopenTimers.values { timer.cancel() }
    reopenTimers = [:]
    monitor.stop()
    hostNameMonitor?.stop()
    hostNameMonitor = nil
    for socket in sockets.values.joined() { socket.stop() }
    sockets = [:]
    memberships = [:]
  }

  /// Runs a closure on the loop after all earlier ones, never inside a handler.
  nonisolated func perform(_ body: @escaping @Sendable (isolated MulticastBackend) -> Void) {
    loop.execute { self.assumeIsolated(body) }
  }
}
