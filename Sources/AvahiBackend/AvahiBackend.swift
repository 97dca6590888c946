package import Discovery
package import EventLoop

/// Speaks mDNS through the system's avahi-daemon.
///
/// Everything of Avahi, calls and callbacks, happens on one loop. When the daemon or the bus goes, operations are told, and begin
/// anew when it is back. Avahi's calls are D-Bus round trips that block that loop, so nothing but discovery belongs on it.
package actor AvahiBackend: DiscoveryBackend {
  private let loop: EventLoop
  private let log: @Sendable (LogMessage) -> Void
  private let availabilityChanged: @Sendable (Bool) -> Void
  private let poll: LoopPoll
  private let links = LinkTable()

  private var connection: AvahiConnection?
  /// Counts connections, so that news of a former one is recognised.
  private var generation = 0
  private var state = AvahiConnection.State.waiting
  private var retry: LoopTimer?
  private var retryDelay = AvahiBackend.shortestRetryDelay

  private var browses: [OperationID: AvahiBrowse] = [:]
  private var publications: [OperationID: AvahiPublication] = [:]
  private var lookups: [OperationID: AvahiLookup] = [:]
  /// Lookups that wait until others have ended.
  private var waitingLookups: [(id: OperationID, lookup: AvahiLookup)] = []

  private static let shortestRetryDelay: Duration = .milliseconds(250)
  private static let longestRetryDelay: Duration = .seconds(5)
  /// Of the 1,024 objects that a client may have, most; the rest is for browsers and services.
  private static let maximumLookups = 900

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  package nonisolated var executor: any SerialExecutor { loop }

  /// Makes a backend that is not connected; ``connect()`` or ``connectWhenPossible()`` follows, once.
  ///
  /// - Parameters:
  ///   - loop: Where everything happens.
  ///   - log: Told what happens to the connection.
  ///   - availabilityChanged: Told on the loop when the daemon appears and when it goes.
  package init(
    on loop: EventLoop, log: @escaping @Sendable (LogMessage) -> Void,
    availabilityChanged: @escaping @Sendable (Bool) -> Void = { _ in }
  ) {
    self.loop = loop
    self.log = log
    self.availabilityChanged = availabilityChanged
    poll = LoopPoll(on: loop)
  }

  /// Connects to the daemon that is there.
  ///
  /// - Throws: ``DiscoveryError`` with code `unavailable` when there is no bus, or no daemon on it.
  package func connect() throws(DiscoveryError) {
    do throws(AvahiError) {
      try openConnection()
    } catch {
      throw error.during("looking for avahi-daemon")
    }
    guard connection?.state != .waiting else {
      disconnect()
      throw AvahiError.noDaemon.during("looking for avahi-daemon")
    }
  }

  /// Connects to the daemon that is there, or as soon as there is one.
  package func connectWhenPossible() {
    reconnect()
  }

  // MARK: - Commands

  package nonisolated func browse(
    _ query: BrowseQuery, as id: OperationID, _ handler: @escaping @Sendable (BrowseEvent) -> Void
  ) {
    perform { backend in
      let browse = AvahiBrowse(query, links: backend.links, handler)
      backend.browses[id] = browse
      backend.startIfConnected(browse)
    }
  }

  package nonisolated func lookUp(
    _ question: RecordQuestion, as id: OperationID, _ handler: @escaping @Sendable (LookupEvent) -> Void
  ) {
    perform { backend in
      let lookup = AvahiLookup(question, links: backend.links, handler)
      backend.waitingLookups.append((id, lookup))
      backend.startWaitingLookups()
    }
  }

  package nonisolated func publish(
    _ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void
  ) {
    perform { backend in
      let publication = AvahiPublication(registration, on: backend.loop, handler)
      backend.publications[id] = publication
      backend.startIfConnected(publication)
      if backend.isConnected { backend.tellState(to: publication) }
    }
  }

  package nonisolated func update(_ txt: TXTRecord, of id: OperationID) {
    perform { backend in backend.publications[id]?.update(txt) }
  }

  /// The daemon's clients have no way to ask it for that; it forgets what is gone when its time is over.
  package nonisolated func reconfirm(_ instance: ServiceInstance, on interface: NetworkInterface?) {}

  package nonisolated func end(_ id: OperationID) {
    perform { backend in
      backend.browses.removeValue(forKey: id)?.stop()
      backend.publications.removeValue(forKey: id)?.stop()
      backend.lookups.removeValue(forKey: id)?.stop()
      backend.waitingLookups.removeAll { $0.id == id }
      backend.startWaitingLookups()
    }
  }

  package nonisolated func drain() async {
    // A closure in the same queue; a call of the actor would not wait for it when the caller lives on this loop, too.
    await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
  }

  package func close() async {
    for operation in operations { operation.stop() }
    browses = [:]
    publications = [:]
    lookups = [:]
    waitingLookups = []
    retry?.cancel()
    retry = nil
    disconnect()
  }

  /// Runs a closure on the loop, after those that were given before, and in a turn of its own: never within a callback.
  private nonisolated func perform(_ body: @escaping @Sendable (isolated AvahiBackend) -> Void) {
    loop.execute { self.assumeIsolated(body) }
  }

  // MARK: - Operations

  private var operations: [any AvahiOperation] {
    Array(browses.values) + Array(publications.values) + Array(lookups.values)
  }

  private var isConnected: Bool {
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
      startIfConnected(lookup)
    }
  }

  // MARK: - Connection

  private func openConnection() throws(AvahiError) {
    generation += 1
    state = .waiting
    let current = generation
    // States come at moments when nothing may be freed, the first before there is a connection: act in a later turn.
    let connection = try AvahiConnection(poll: poll) { [weak self] state in
      self?.perform { $0.stateChanged(to: state, of: current) }
    }
    self.connection = connection
  }

  private func disconnect() {
    connection?.free()
    connection = nil
  }

  private func stateChanged(to new: AvahiConnection.State, of generation: Int) {
    guard generation == self.generation, connection != nil else { return }
    let wasConnected = isConnected
    state = new
    switch new {
    case .running, .namingHost:
      serverAppeared(wasConnected: wasConnected)
    case .waiting:
      log(LogMessage(.debug, "avahi-daemon is not there; waiting on the bus for it"))
    case .failed(let number):
      serverVanished(AvahiError(number))
    }
  }

  private func serverAppeared(wasConnected: Bool) {
    retryDelay = Self.shortestRetryDelay
    if !wasConnected, let connection {
      log(LogMessage(.info, "avahi-daemon is there"))
      for operation in operations { operation.start(on: connection) }
      availabilityChanged(true)
    }
    for publication in publications.values { tellState(to: publication) }
  }

  private func serverVanished(_ error: AvahiError) {
    log(LogMessage(.warning, error.during("talking to avahi-daemon").message))
    // Their objects go with the client, so they must not free them.
    for operation in operations { operation.interrupt(error) }
    disconnect()
    availabilityChanged(false)
    reconnectLater()
  }

  private func reconnect() {
    do throws(AvahiError) {
      try openConnection()
    } catch {
      // No bus, and so nobody who would tell us when the daemon is back.
      log(LogMessage(.debug, error.during("looking for avahi-daemon").message))
      reconnectLater()
    }
  }

  private func reconnectLater() {
    retry = loop.schedule(after: retryDelay) { [weak self] in self?.assumeIsolated { $0.reconnect() } }
    retryDelay = min(retryDelay * 2, Self.longestRetryDelay)
  }
}

/// Something that is begun on each connection to the server, and again on the next.
protocol AvahiOperation {
  /// Begins, or begins anew.
  func start(on connection: AvahiConnection)
  /// Frees what the operation has on the server.
  func stop()
  /// Forgets what the operation had on the server, if anything, without freeing it: the connection is freed next, and all of it
  /// then.
  func interrupt(_ error: AvahiError)
}
