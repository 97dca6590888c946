import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

/// The connection, and what operations are told about it.
extension DirectoryBackend {
  private static let retryDelay: Duration = .seconds(5)

  /// Carries out what the machine of the attempts asks for.
  func run(_ effects: [ConnectionAttempts.Effect]) {
    for effect in effects {
      switch effect {
      case .connect: connect()
      case .late: goOffline("it has not answered yet", .debug, isLate: true)
      }
    }
    setDeadline()
  }

  func setDeadline() {
    if !isClosed { deadline.set([connecting.nextDeadline, preparation.nextDeadline].compactMap(\.self).min()) }
  }

  private func connect() {
    guard !isClosed else { return }
    generation += 1
    let current = generation
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
      connecting.connected()
      counters.connections += 1
      connectStores()
      run(preparation.connected(at: .now))
    } catch {
      if let cut = connection?.cut { return cutOff(cut) }
      guard connecting.failed(error.code, at: .now) else { return setDeadline() }
      goOffline(error.advice, .warning, error.code, because: error.underlyingError)
      connectLater()
    }
  }

  func connectLater() {
    line = nil
    connecting.retry(at: .now)
    setDeadline()
  }

  private func connect(after delay: Duration) {
    connecting.retry(after: delay, at: .now)
    setDeadline()
  }

  func connectionChanged(_ event: NATSRegistry.Event, of generation: Int) {
    guard generation == self.generation, !isClosed, let line else { return }
    switch event {
    case .connected:
      counters.connections += 1
      connectStores()
      run(preparation.connected(at: .now))
    case .disconnected:
      counters.connectionsLost += 1
      // It is closed next.
      guard line.cut == nil else { return }
      goOffline(line.lastFailure?.advice ?? "the connection is lost", .warning, because: line.lastFailure)
    case .closed where line.cut != nil: cutOff(line.cut ?? "")
    case .closed:
      // The server refuses this user, and the library gives up. The user may be permitted later.
      goOffline(line.lastFailure?.advice ?? "the connection was refused", .warning, because: line.lastFailure)
      connectLater()
    case .failed(let failure):
      log(LogMessage(.warning, "the directory at \(settings.place): \(failure.reason)"))
      guard let violation = PermissionViolation(failure.reason) else { return }
      line.refuse(violation)
      if violation.action == .subscribe, line.receives(violation.subject) {
        let remedy = "give it this permission, or set the prefix of its answers"
        goOffline("this user may not subscribe to \(violation.subject); \(remedy)", .warning, .notPermitted, because: failure)
        self.line = nil
        connect(after: Self.retryDelay)
      }
    }
  }

  /// Waits long before a server is tried again that sends without end; each time costs memory, so not for ever.
  private func cutOff(_ reason: String) {
    counters.connectionsCut += 1
    cutsInARow = InboundAccount.cutsInARow(cutsInARow, lasted: .now - connectedSince)
    let pause = InboundAccount.pause(after: cutsInARow)
    let end = pause.map { " for \($0.components.seconds) s" } ?? ", and not for the first time; start the program again"
    goOffline(reason + end, .warning, pause == nil ? .refused : .unavailable)
    line = nil
    if let pause { connect(after: pause) }
  }

  /// - Parameters:
  ///   - code: `refused` if it is not tried again; `notPermitted` and `untrusted` if only somebody else can mend it.
  ///   - isLate: Whether nothing has failed, and it only takes long.
  ///   - keepsConnection: Whether the connection is there, and something else is missing.
  ///   - underlyingError: The error of the library or the server; nil if there is none.
  func goOffline(
    _ reason: String, _ level: LogMessage.Level, _ code: DiscoveryError.Code = .unavailable, isLate: Bool = false,
    keepsConnection: Bool = false, because underlyingError: (any Error)? = nil
  ) {
    connecting.told()
    let error = DiscoveryError(code, "using the directory at \(settings.place): \(reason)", because: underlyingError)
    if !keepsConnection {
      isConnected = false
      preparation.disconnected()
      setDeadline()
      for store in stores.values { store.disconnect(error) }
    }
    let former = if case .offline(let former) = condition { former } else { nil as DiscoveryError? }
    condition = .offline(error)
    self.isLate = isLate
    // Whoever asks for a record waits for one that is late.
    if !isLate { answerRequests(error) }
    if reportedOutage != error {
      reportedOutage = error
      log(LogMessage(level, error.message))
      stateChanged(.unavailable(error))
    }
    guard former != error else { return }
    if let refusal { return fail(with: refusal) }
    guard former == nil else { return }
    for user in lineUsers { user.disconnect(error) }
  }

  private var lineUsers: [any DirectoryLineUser] {
    Array(watches.values) + Array(readers.values) + Array(publications.values)
  }

  /// Tells an operation that is new how it is.
  func join(_ user: some DirectoryLineUser) {
    switch condition {
    case .connecting, .preparing: break
    case .online: if let line { user.connect(line) }
    case .offline(let error): user.disconnect(error)
    }
  }

  /// Why operations cannot even begin: the directory has refused this program from the beginning, and nothing is beside it. One that
  /// refuses later may have been changed, and operations wait for it; beside the local network they go on there.
  var refusal: DiscoveryError? {
    guard isAlone, !wasOnline, case .offline(let error) = condition,
      [.notPermitted, .untrusted, .invalidDirectory].contains(error.code)
    else { return nil }
    return error
  }

  /// Fails the operations that wait for the first answer.
  private func fail(with error: DiscoveryError) {
    let waiting = beginnings.values
    beginnings = [:]
    for fail in waiting { fail(error) }
  }

  private func connectStores() {
    guard let line else { return }
    isConnected = true
    for store in stores.values { store.connect(line) }
  }

  /// Goes on with everything because the bucket is there, for the first time, after a loss, or after nobody answered for it.
  func goOnline() {
    if case .online = condition {
      for publication in publications.values { publication.bucketReturned() }
      return
    }
    condition = .online
    reportedOutage = nil
    wasOnline = true
    beginnings = [:]
    guard let line else { return }
    log(LogMessage(.info, "the directory answers"))
    stateChanged(.available)
    for user in lineUsers { user.connect(line) }
    sendRequests()
  }
}

/// What uses the connection while the directory answers.
protocol DirectoryLineUser {
  func connect(_ line: DirectoryLine)
  func disconnect(_ error: DiscoveryError)
}
