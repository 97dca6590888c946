import CBonjourishLinux
import _BonjourishBusProtocol
package import _BonjourishDaemonMachine
package import _BonjourishDiscovery
package import _BonjourishEventLoop
import _BonjourishInterfaces
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS
import _BonjourishSystemBus

/// The daemon: runs ``DaemonMachine`` between the system bus and the built-in engine.
///
/// It decides nothing: it carries out the machine's effects, and hands it what happens.
package actor Daemon {
  /// What those who run the daemon are told.
  package enum News: Sendable {
    /// Programs can call it, and the host has its name.
    case ready
    /// It cannot go on.
    case failed(String)
  }

  let loop: EventLoop
  let log: @Sendable (LogMessage) -> Void
  private let news: @Sendable (News) -> Void
  private let settings: DaemonSettings
  private let busPath: String?
  private let backend: MulticastBackend
  private let monitor: InterfaceMonitor
  private let origin = ContinuousClock.now
  private var machine: DaemonMachine
  private lazy var deadline = LoopDeadline(on: loop) { [weak self] in self?.assumeIsolated { $0.handle(.timePassed) } }
  private var connection: BusConnection?
  private var retry: LoopTimer?
  /// Runs until programs can call the daemon on this connection.
  private var greeting: LoopTimer?
  /// Whether the loss of the bus is known. Attempts in vain are logged once.
  private var isCutOff = false
  private var isReady = false
  private var hasName = false
  private var isOnBus = false
  private var isTickAwaited = false
  private var operations: [UInt64: OperationID] = [:]
  private let hostOperation = OperationID()
  /// The lookups of the simple socket: the last token, and what each token stands for.
  var lastToken: UInt64 = 0
  var addressHandlers: [UInt64: @Sendable (ResolvedAddress?) -> Void] = [:]
  var nameHandlers: [UInt64: @Sendable (ResolvedName?) -> Void] = [:]
  var tokens: [OperationID: UInt64] = [:]
  var ids: [UInt64: OperationID] = [:]

  /// The time between two attempts to reach the bus.
  private static let retryInterval: Duration = .seconds(1)
  /// The same after the bus has refused the name: another daemon may have it for long.
  private static let refusalInterval: Duration = .seconds(30)
  /// The time in which the bus must have given the daemon its name.
  private static let greetingTime: Duration = .seconds(30)

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Opens the engine's sockets. ``start()`` begins.
  ///
  /// - Parameters:
  ///   - settings: What is configured.
  ///   - version: What programs are told as the daemon's version.
  ///   - busPath: The path of the bus's socket; nil if the environment names none.
  ///   - loop: The loop that the daemon runs on.
  ///   - log: Called with messages about what happens.
  ///   - news: Called on the loop.
  /// - Throws: ``DiscoveryError`` with code `unavailable` when port 5353 cannot be opened.
  package init(
    _ settings: DaemonSettings, version: String, busPath: String? = BusConversation.path, on loop: EventLoop,
    log: @escaping @Sendable (LogMessage) -> Void, news: @escaping @Sendable (News) -> Void
  ) async throws(DiscoveryError) {
    self.loop = loop
    self.log = log
    self.news = news
    self.settings = settings
    self.busPath = busPath
    do throws(SystemError) {
      monitor = try InterfaceMonitor()
    } catch {
      throw DiscoveryError(.unavailable, "starting the daemon: \(error)", because: error)
    }
    backend = try await MulticastBackend(on: loop, log: log)
    machine = DaemonMachine(
      settings, machineName: Self.machineName(), version: version, cookie: .random(in: 1...UInt32.max))
  }

  /// Publishes the host and goes to the bus. Call it once.
  package func start() {
    do throws(SystemError) {
      try monitor.start(
        on: loop, changed: { [weak self] in self?.assumeIsolated { $0.listInterfaces() } },
        failed: { [weak self] error in
          self?.assumeIsolated { $0.log(LogMessage(.warning, "changes of interfaces can no longer be noticed: \(error)")) }
        })
    } catch {
      log(LogMessage(.warning, "changes of interfaces cannot be noticed: \(error)"))
    }
    listInterfaces()
    // Unless a name is configured, that of the machine is followed.
    let isConfigured = settings.hostName != nil || settings.domain != "local"
    backend.publishHost(
      on: settings.interfaces, named: isConfigured ? machine.hostName : nil,
      withAddresses: settings.publishesAddresses && !settings.disallowsPublishing, as: hostOperation
    ) { [weak self] change in
      self?.assumeIsolated { $0.hostChanged(change) }
    }
    if settings.usesBus { connect() }
  }

  /// Withdraws everything with goodbyes and leaves the bus.
  package func close() async {
    retry?.cancel()
    greeting?.cancel()
    (retry, greeting) = (nil, nil)
    connection?.close()
    connection = nil
    monitor.stop()
    deadline.cancel()
    operations = [:]
    await backend.close()
  }

  private func hostChanged(_ change: MulticastEngine.HostNameChange) {
    if case .established = change { hasName = true }
    handle(.host(change))
    tellReady()
  }

  private func tellReady() {
    guard !isReady, hasName, isOnBus || !settings.needsBus else { return }
    isReady = true
    news(.ready)
  }

  private func listInterfaces() {
    // What was known is better than nothing.
    guard let all = try? InterfaceTable.all() else {
      return log(LogMessage(.warning, "the interfaces of this machine cannot be listed"))
    }
    // Ethernet's and the like, not the zeros of the loopback interface.
    let ethernet = all.filter { $0.hardwareAddress.count == 6 && $0.hardwareAddress.contains { $0 > 0 } }
    handle(
      .interfaces(
        all.map { NetworkInterface(index: $0.index, name: $0.name) },
        hardware: Dictionary(ethernet.map { ($0.index, $0.hardwareAddress) }) { first, _ in first }))
  }

  private static func machineName() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      // A truncated name may have no terminator.
      buffer[255] = 0
      guard (try? systemCall("gethostname") { gethostname(buffer.baseAddress!, 255) }) != nil else { return "linux" }
      let name = String(cString: buffer.baseAddress!)
      return name.split(separator: ".").first.map(String.init) ?? "linux"
    }
  }

  // MARK: - The machine

  func handle(_ event: DaemonMachine.Event) {
    for effect in machine.handle(event, at: origin.duration(to: .now)) { perform(effect) }
    deadline.set(machine.nextDeadline.map { origin + $0 })
    guard machine.hasChanges, !isTickAwaited else { return }
    isTickAwaited = true
    loop.atEndOfTick { [weak self] in
      self?.assumeIsolated { daemon in
        daemon.isTickAwaited = false
        daemon.handle(.tickEnded)
      }
    }
  }

  private func perform(_ effect: DaemonMachine.Effect) {
    switch effect {
    case .send(let message):
      connection?.send(message)
    case .ask(let id, let name, let type, let interfaces):
      let operation = OperationID()
      operations[id.rawValue] = operation
      backend.ask(name, type, on: interfaces, as: operation) { [weak self] event in
        self?.assumeIsolated { $0.handle(.answered(id, DaemonMachine.Answer(event))) }
      }
    case .endAsking(let id):
      if let operation = operations.removeValue(forKey: id.rawValue) { backend.end(operation) }
    case .publish(let id, let records, let interfaces):
      let operation = OperationID()
      operations[id.rawValue] = operation
      backend.publish(records, on: interfaces, as: operation) { [weak self] change in
        self?.assumeIsolated { $0.handle(.published(id, change)) }
      }
    case .update(let id, let records):
      if let operation = operations[id.rawValue] { backend.update(records, of: operation) }
    case .withdraw(let id):
      if let operation = operations.removeValue(forKey: id.rawValue) { backend.end(operation) }
    case .setHostName(let name):
      backend.setHostName(name)
    case .foundAddress(let token, let address):
      addressHandlers.removeValue(forKey: token)?(address)
      forget(token)
    case .foundName(let token, let name):
      nameHandlers.removeValue(forKey: token)?(name)
      forget(token)
    case .refused(let reason):
      connection?.close()
      connection = nil
      greeting?.cancel()
      handle(.disconnected)
      let text = "the bus does not give this program the name org.freedesktop.Avahi: \(reason)"
      guard !settings.needsBus else { return news(.failed(text)) }
      retry(text, after: Self.refusalInterval)
    case .ready:
      isOnBus = true
      isCutOff = false
      greeting?.cancel()
      log(LogMessage(.info, "programs can call this daemon on the system bus"))
      tellReady()
    case .log(let message):
      log(message)
    }
  }

  // MARK: - The bus

  private func connect() {
    guard let busPath else {
      let text = "DBUS_SYSTEM_BUS_ADDRESS does not name a socket of this machine"
      return settings.needsBus ? news(.failed(text)) : log(LogMessage(.warning, text))
    }
    do throws(SystemError) {
      connection = try BusConnection(to: busPath, on: loop) { [weak self] event in
        self?.assumeIsolated { $0.happened(event) }
      }
      greeting = loop.schedule(after: Self.greetingTime) { [weak self] in
        self?.assumeIsolated { daemon in
          daemon.connection?.close()
          daemon.happened(.ended(reason: "the bus does not answer"))
        }
      }
    } catch {
      retry("\(error)")
    }
  }

  private func happened(_ event: BusConnection.Event) {
    switch event {
    case .opened:
      handle(.connected)
    case .received(let message):
      handle(.message(message))
    case .ended(let reason):
      connection = nil
      greeting?.cancel()
      isOnBus = false
      handle(.disconnected)
      retry(reason)
    }
  }

  private func retry(_ reason: String, after interval: Duration = Daemon.retryInterval) {
    if !isCutOff {
      isCutOff = true
      log(LogMessage(.warning, "no system bus; trying again every \(interval.components.seconds) s: \(reason)"))
    }
    retry = loop.schedule(after: interval) { [weak self] in self?.assumeIsolated { $0.connect() } }
  }
}

extension DaemonMachine.Answer {
  fileprivate init(_ event: MulticastBackend.RecordEvent) {
    self =
      switch event {
      case .added(let record, let link, let isOwn): .added(record, link, isOwn: isOwn)
      case .removed(let record, let link): .removed(record, link)
      case .cacheExhausted: .cacheExhausted
      case .settled: .settled
      }
  }
}
