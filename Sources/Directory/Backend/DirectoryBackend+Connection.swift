import Discovery
import EventLoop

/// The connection, and what operations are told about it.
extension DirectoryBackend {
  static let retryDelay: Duration = .seconds(5)
  /// The time after which operations are told that the directory has not answered yet. Otherwise nothing would be taken for an answer.
  static let connectPatience: Duration = .milliseconds(500)

  func connect() {
    guard !isClosed else { return }
    generation += 1
    let current = generation
    if case .connecting = condition {
      patience = loop.schedule(after: Self.connectPatience) { [weak self] in
        self?.assumeIsolated { $0.goOffline("it has not answered yet", .debug) }
      }
    }
    connector.execute { [settings, hub] in
      let outcome = Result { () throws(NATSFailure) in
        try NATSConnection(settings) { [weak self, weak hub] event in
          if case .connected = event { hub?.reconnected() }
          self?.perform { $0.connectionChanged(event, of: current) }
        }
      }
      self.perform { $0.attempted(outcome, current) }
    }
  }

  func attempted(_ outcome: Result<NATSConnection, NATSFailure>, _ generation: Int) {
    guard generation == self.generation, !isClosed else { return }
    do throws(NATSFailure) {
      let connection = try outcome.get()
      let line = DirectoryLine(connection, inboxPrefix: settings.inboxPrefix, on: loop)
      try line.open()
      try hub?.use(connection)
      self.line = line
      attempts = 0
      prepare()
    } catch {
      goOffline(error.reason, .warning)
      connectLater()
    }
  }

  func connectLater() {
    line = nil
    retry?.cancel()
    let delay = Duration.milliseconds(NATSOptions.reconnectDelay(attempts))
    attempts = min(attempts + 1, 100)
    retry = loop.schedule(after: delay) { [weak self] in self?.assumeIsolated { $0.connect() } }
  }

  func connectionChanged(_ event: NATSRegistry.Event, of generation: Int) {
    guard generation == self.generation, !isClosed, let line else { return }
    switch event {
    case .connected: prepare()
    case .disconnected: goOffline(line.lastError.isEmpty ? "the connection is lost" : line.lastError, .warning)
    case .closed:
      // The server refuses this user, and the library gives up. The user may be permitted later.
      goOffline(line.lastError.isEmpty ? "the connection was refused" : line.lastError, .warning)
      connectLater()
    case .failed(let failure):
      log(LogMessage(.warning, "the directory: \(line.lastError.isEmpty ? failure.reason : line.lastError)"))
    }
  }

  func goOffline(_ reason: String, _ level: LogMessage.Level) {
    patience?.cancel()
    let error = DiscoveryError(.unavailable, "using the directory: \(reason); it is tried again")
    let isNews = if case .offline = condition { false } else { true }
    condition = .offline(error)
    guard isNews else { return }
    log(LogMessage(level, error.message))
    stateChanged(.unavailable(error))
    for watch in watches.values { watch.disconnect(error) }
    for publication in publications.values { publication.disconnect(error) }
    for store in stores.values { store.disconnect(error) }
    answerRequests(error)
  }

  func goOnline() {
    patience?.cancel()
    concurrentCreations = 0
    if case .online = condition { return }
    condition = .online
    guard let line else { return }
    log(LogMessage(.info, "the directory answers"))
    stateChanged(.available)
    for watch in watches.values { watch.connect(line) }
    for publication in publications.values { publication.connect(line) }
    for store in stores.values { store.connect(line) }
    sendRequests()
  }
}
