import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces

/// Discovery by a directory: a bucket of NATS, in which services write themselves down.
///
/// It runs on a loop of the module's own, because a few calls of the library block: writing when the server takes nothing, and sending
/// what removes records when a scope ends. Connecting, which blocks for up to two seconds a server, has a thread of its own, and so
/// have relayed connections and the limit on what servers send (`InboundGuard`). Handlers run on another loop. When the directory is lost, operations are interrupted; they start again when it is back.
actor DirectoryBackend: DiscoveryBackend {
  enum Condition {
    /// Nothing has failed yet.
    case connecting
    /// Connected; the bucket is being looked at or made.
    case preparing
    case online
    case offline(DiscoveryError)
  }

  let loop: EventLoop
  let home: EventLoop
  let handlers: HandlerQueue
  let connector: EventLoop
  let settings: DirectorySettings
  let log: @Sendable (LogMessage) -> Void
  let stateChanged: @Sendable (DirectoryConfiguration.State) -> Void
  let ownAddresses: @Sendable () -> [IPAddress]
  let limits: Watch.Limits

  var condition = Condition.connecting
  /// The outage that was reported last; nil once the directory has answered again.
  var reportedOutage: DiscoveryError?
  /// Whether the library is connected, so that owned values can be kept whatever the bucket of services does.
  var isConnected = false
  /// Whether the directory has answered since the beginning.
  var wasOnline = false
  /// What fails the operations that were begun before the first answer.
  var beginnings: [OperationID: (DiscoveryError) -> Void] = [:]
  /// Whether the local network is not used, too.
  let isAlone: Bool
  /// Called with what the directory does not permit, if it goes on elsewhere.
  let denied: @Sendable (DiscoveryError) -> Void
  /// Whether the directory is offline only because connecting takes long.
  var isLate = false
  var line: DirectoryLine?
  /// The number of the connection, so that late events of a former one are ignored.
  var generation = 0
  /// What has happened so far; without the watches and the connection of now.
  var counters = DirectoryMetrics()
  var connecting: ConnectionAttempts
  var preparation: BucketPreparation
  /// When the connection of now was made first, and how often in a row one was ended because its server sent without end.
  var (connectedSince, cutsInARow) = (ContinuousClock.now, 0)
  /// Wakes both machines when the first of them is due.
  lazy var deadline = LoopDeadline(on: loop) { [weak self] in
    self?.assumeIsolated { backend in
      backend.run(backend.connecting.advance(to: .now))
      backend.run(backend.preparation.advance(to: .now))
    }
  }
  var isClosed = false

  var watches: [ServiceType: DirectoryWatch] = [:]
  var lastWatch: UInt64 = 0
  var readers: [DirectoryKey: DirectoryReader] = [:]
  /// The relayed connections; nil if there are none.
  let hub: RelayHub?
  var acceptors: [OperationID: RelayAcceptor] = [:]
  /// What is asked for as soon as the directory answers.
  var requests: [RecordRequest] = []
  var publications: [OperationID: DirectoryPublication] = [:]
  var hosts: [OperationID: (name: DomainName, addresses: [IPAddress])] = [:]
  var monitor: InterfaceMonitor?
  /// Where services of this machine can be reached, while changes of that are noticed.
  var knownAddresses: [IPAddress]?
  var stores: [ObjectIdentifier: DirectoryStore] = [:]

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  nonisolated var executor: any SerialExecutor { home }

  /// Makes a backend, which begins to connect.
  ///
  /// - Parameters:
  ///   - loop: The loop that the library's calls block.
  ///   - connector: The loop that connecting blocks.
  ///   - home: The loop of the handlers, another one.
  ///   - hub: The relayed connections; nil for none.
  ///   - ownAddresses: Where services of this machine can be reached.
  ///   - isAlone: Whether the local network is not used, too.
  ///   - denied: Called with what the directory does not permit, if it goes on elsewhere.
  ///   - log: Called with messages about the connection.
  init(
    _ settings: DirectorySettings, on loop: EventLoop, connectingOn connector: EventLoop, handlersOn home: EventLoop,
    relaying hub: RelayHub? = nil, isAlone: Bool = true, denied: @escaping @Sendable (DiscoveryError) -> Void = { _ in },
    ownAddresses: @escaping @Sendable () -> [IPAddress], limits: Watch.Limits = Watch.Limits(),
    stateChanged: @escaping @Sendable (DirectoryConfiguration.State) -> Void, log: @escaping @Sendable (LogMessage) -> Void
  ) {
    self.settings = settings
    self.hub = hub
    self.isAlone = isAlone
    self.denied = denied
    self.loop = loop
    self.home = home
    handlers = HandlerQueue(to: home, from: loop)
    self.connector = connector
    self.ownAddresses = ownAddresses
    self.limits = limits
    self.stateChanged = stateChanged
    self.log = log
    connecting = ConnectionAttempts(isAlone: isAlone, seed: .random(in: .min ... .max))
    var policy = BucketPreparation.Policy()
    policy.createsBucket = settings.createsBucket
    preparation = BucketPreparation(settings.bucket, policy)
    perform { $0.run($0.connecting.begin(at: .now)) }
  }

  // MARK: - Commands

  nonisolated func lookUp(
    _ question: RecordQuestion, as id: OperationID, _ handler: @escaping @Sendable (LookupEvent) -> Void
  ) {
    perform { backend in
      let handlers = backend.handlers
      let report: (LookupEvent) -> Void = { event in handlers.enqueue { handler(event) } }
      let domain = question.browse?.domain ?? .local
      if let error = backend.refusal(of: question.action, domain, question.interfaces) { return report(.failed(error)) }
      let key = question.browse == nil ? DirectoryRecord.key(of: question, in: backend.settings.region) : nil
      let user = DirectoryUser(question: question, key: key, handler: report)
      guard let type = question.browse?.type ?? key?.type else {
        return report(
          .failed(DiscoveryError(.refused, "\(question.action): a directory knows services and their hosts only")))
      }
      guard backend.admit(id, { report(.failed($0)) }) else { return }
      guard let key else { return backend.watch(type).add(user, as: id) }
      // What a browse lists is not asked for again.
      if let watch = backend.watches[type], watch.covers(key) { return watch.add(user, as: id) }
      backend.reader(of: key).add(user, as: id)
    }
  }

  nonisolated func publish(
    _ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void
  ) {
    perform { backend in
      let handlers = backend.handlers
      backend.begin(registration, as: id) { event in handlers.enqueue { handler(event) } }
    }
  }

  nonisolated func update(_ txt: TXTRecord, of id: OperationID) {
    perform { $0.publications[id]?.update(txt) }
  }

  /// Does nothing: a record that nobody renews ends by itself.
  nonisolated func reconfirm(_ instance: ServiceInstance, interfaces: InterfaceSelection) {}

  /// Tells that there are no links: a directory is no part of the local network.
  nonisolated func followReach(
    of interfaces: InterfaceSelection, as id: OperationID, _ handler: @escaping @Sendable (Reach) -> Void
  ) {
    home.execute { handler(Reach()) }
  }

  nonisolated func end(_ id: OperationID) {
    perform { backend in
      backend.beginnings[id] = nil
      if let publication = backend.publications.removeValue(forKey: id) { backend.leave(publication) }
      if backend.acceptors.removeValue(forKey: id) != nil { backend.updateAcceptors() }
      if backend.hosts.removeValue(forKey: id) != nil { backend.refreshPublications() }
      for (type, watch) in backend.watches where watch.remove(id) && watch.isUnused {
        watch.stop()
        backend.counters.add(watch.machine.counters)
        backend.watches[type] = nil
      }
      for (key, reader) in backend.readers where reader.remove(id) && reader.isUnused {
        reader.stop()
        backend.counters.add(reader.machine.counters)
        backend.readers[key] = nil
      }
    }
  }

  nonisolated func drain() async {
    await withCheckedContinuation { continuation in
      perform { backend in
        backend.line?.sendGoodbyes()
        backend.handlers.enqueue { continuation.resume() }
      }
    }
  }

  func close() async {
    isClosed = true
    deadline.cancel()
    monitor?.stop()
    monitor = nil
    for publication in publications.values {
      publication.stop()
      hub?.shut(publication.owner)
    }
    answerRequests(DiscoveryError(.unavailable, "using the directory: it was closed"))
    for watch in watches.values { watch.stop() }
    for reader in readers.values { reader.stop() }
    for store in stores.values { store.stop() }
    line?.sendGoodbyes()
    publications = [:]
    watches = [:]
    readers = [:]
    hosts = [:]
    stores = [:]
    acceptors = [:]
    generation += 1
    line = nil
    hub?.retire()
  }

  var metrics: DiscoveryMetrics {
    var metrics = DiscoveryMetrics()
    metrics.backend = "directory"
    metrics.registrations = publications.count
    metrics.directory = counters
    for watch in watches.values { watch.count(in: &metrics) }
    for reader in readers.values { reader.count(in: &metrics) }
    return metrics
  }

  /// Runs a closure on the loop after all earlier ones.
  nonisolated func perform(_ body: @escaping @Sendable (isolated DirectoryBackend) -> Void) {
    loop.execute { self.assumeIsolated(body) }
  }
}

extension DirectoryMetrics {
  /// Adds what a watch has counted.
  mutating func add(_ counters: Watch.Counters) {
    messages += counters.messages
    renewals += counters.renewals
    malformed += counters.flaws.values.reduce(0, +)
    crowdedOut += counters.crowdedOut
    listings += counters.listings
  }
}
