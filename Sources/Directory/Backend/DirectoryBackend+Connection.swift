import DirectoryProtocol
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
        self?.assumeIsolated { $0.goOffline("it has not answered yet", .debug, isLate: true) }
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
    var connection: NATSConnection?
    do throws(NATSFailure) {
      let made = try outcome.get()
      connection = made
      connectedSince = .now
      let line = DirectoryLine(made, inboxPrefix: settings.inboxPrefix, on: loop)
      try line.open()
      // Its events came while there was no line, and were ignored.
      if let cut = made.cut { return cutOff(cut) }
      try hub?.use(made)
      self.line = line
      attempts = 0
      counters.connections += 1
      prepare()
    } catch {
      if let cut = connection?.cut { return cutOff(cut) }
      goOffline(error.reason, .warning)
      connectLater()
    }
  }

  func connectLater() {
    line = nil
    let delay = Duration.milliseconds(NATSOptions.reconnectDelay(attempts))
    attempts = min(attempts + 1, 100)
    connect(after: delay)
  }

  private func connect(after delay: Duration) {
    retry?.cancel()
    retry = loop.schedule(after: delay) { [weak self] in self?.assumeIsolated { $0.connect() } }
  }

  func connectionChanged(_ event: NATSRegistry.Event, of generation: Int) {
    guard generation == self.generation, !isClosed, let line else { return }
    switch event {
    case .connected:
      counters.connections += 1
      prepare()
    case .disconnected:
      counters.connectionsLost += 1
      // It is closed next.
      guard line.cut == nil else { return }
      goOffline(line.lastError.isEmpty ? "the connection is lost" : line.lastError, .warning)
    case .closed where line.cut != nil: cutOff(line.cut ?? "")
    case .closed:
      // The server refuses this user, and the library gives up. The user may be permitted later.
      goOffline(line.lastError.isEmpty ? "the connection was refused" : line.lastError, .warning)
      connectLater()
    case .failed(let failure):
      let reason = line.lastError.isEmpty ? failure.reason : line.lastError
      log(LogMessage(.warning, "the directory at \(settings.place): \(reason)"))
    }
  }

  /// Waits long before a server is tried again that sends without end; each time costs memory, so not for ever.
  private func cutOff(_ reason: String) {
    counters.connectionsCut += 1
    cutsInARow = InboundAccount.cutsInARow(cutsInARow, lasted: .now - connectedSince)
    let pause = InboundAccount.pause(after: cutsInARow)
    let end = pause.map { " for \($0.components.seconds) s" } ?? ", and not for the first time; start the program again"
    goOffline(reason + end, .warning, isFinal: pause == nil)
    line = nil
    if let pause { connect(after: pause) }
  }

  /// - Parameter isLate: Whether nothing has failed, and it only takes long.
  /// - Parameter isFinal: Whether it is not tried again.
  func goOffline(_ reason: String, _ level: LogMessage.Level, isLate: Bool = false, isFinal: Bool = false) {
    patience?.cancel()
    let error = DiscoveryError(isFinal ? .refused : .unavailable, "using the directory at \(settings.place): \(reason)")
    let former = if case .offline(let former) = condition { former } else { nil as DiscoveryError? }
    condition = .offline(error)
    self.isLate = isLate
    // Whoever asks for a record waits for one that is late.
    if !isLate { answerRequests(error) }
    guard former != error else { return }
    log(LogMessage(level, error.message))
    stateChanged(.unavailable(error))
    guard former == nil else { return }
    for watch in watches.values { watch.disconnect(error) }
    for reader in readers.values { reader.disconnect(error) }
    for publication in publications.values { publication.disconnect(error) }
    for store in stores.values { store.disconnect(error) }
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
    for reader in readers.values { reader.connect(line) }
    for publication in publications.values { publication.connect(line) }
    for store in stores.values { store.connect(line) }
    sendRequests()
  }
}
