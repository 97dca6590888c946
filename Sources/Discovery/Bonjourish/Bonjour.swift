package import _BonjourishEventLoop
import _BonjourishMulticastBackend

#if Avahi
import _BonjourishAvahiBackend
#endif

/// Finds and publishes services on the local network (mDNS, RFC 6762; DNS-SD, RFC 6763).
///
/// Make one per process and pass it on: each `Bonjour` uses one of avahi-daemon's limited connections, or runs its own engine.
/// The connection and the engine are freed by ``close()``, or after the last reference is released.
///
/// ```swift
/// let bonjour = try await Bonjour()
/// try await bonjour.withBrowser(for: "_http._tcp") { browser in
///   for try await change in browser.changes { print(change) }
/// }
/// ```
public final class Bonjour: Sendable {
  /// The implementation of mDNS. <doc:ChoosingABackend> lists the differences.
  ///
  /// Later versions may add cases: a `switch` has a `default` or `@unknown default`.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Backend: String, Hashable, Sendable, CaseIterable {
    /// avahi-daemon while it runs, otherwise the built-in engine. Switches when the daemon starts or stops. In a program built
    /// without the package trait `Avahi`, always the built-in engine.
    case auto
    /// The machine's avahi-daemon, which answers for all programs. Waits for the daemon when it stops. Needs the package trait
    /// `Avahi`, which is on by default.
    case avahi
    /// The engine of this library, inside the process, for containers and machines without a daemon.
    case builtin
  }

  /// The settings of a ``Bonjour``.
  public struct Configuration: Sendable {
    /// The implementation of mDNS. Nil means the value of the environment variable `BONJOURISH_BACKEND` (`auto`, `avahi` or
    /// `builtin`), and `auto` when the variable is not set.
    public var backend: Backend?
    /// The handler of the backend in use, `avahi` or `builtin`. Called at the start and after each change, on any thread. It
    /// must not block.
    public var backendChosen: @Sendable (Backend) -> Void = { _ in }
    /// The handler of the reason why only services of this machine can be found: it has no network interface that can be used but
    /// the loopback interface (``Reach/Cause/Code/thisMachineOnly``). Nil when that is over. Called on any thread, when it changes. It
    /// must not block. ``Browser/reach`` and ``PublishedService/reach`` tell more.
    public var reachLimited: @Sendable (DiscoveryError?) -> Void = { _ in }
    /// Where the names are stored that services got after conflicts; nil for nowhere. See <doc:PublishingAService>.
    public var nameStore: NameStore?
    /// The handler of log messages, such as the daemon's start and stop. Called on any thread. It must not block.
    public var log: @Sendable (LogMessage) -> Void

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - backend: The implementation of mDNS; nil for that of the environment, see ``backend``.
    ///   - log: The handler of log messages. It must not block.
    public init(backend: Backend? = nil, log: @escaping @Sendable (LogMessage) -> Void = { _ in }) {
      self.backend = backend
      self.log = log
    }

    /// The backend of this configuration or of the environment; `auto` when neither names one.
    ///
    /// - Throws: ``DiscoveryError`` with code `invalidBackend` when the environment variable names no backend.
    package func chosenBackend() throws(DiscoveryError) -> Backend {
      if let backend { return backend }
      return try .fromEnvironment() ?? .auto
    }
  }

  package let backend: any DiscoveryBackend
  let time: MonotonicClock
  let own = OwnServices()
  let names: NameKeeper?
  package let log: @Sendable (LogMessage) -> Void
  /// What is open.
  let open = OpenEndings()
  /// What ends everything.
  let lastEnding: Ending
  let limit: ReachLimit
  /// Decides which addresses in answers apps may connect to.
  let filter: AddressFilter

  /// The one thread for discovery.
  private static let discoveryLoop = SharedEventLoop(name: "discovery")

  /// Connects to the machine's avahi-daemon, or starts the built-in engine.
  ///
  /// - Parameter configuration: The backend and the handlers.
  /// - Throws: ``DiscoveryError`` with code `unavailable`: for `avahi` when the daemon or the system bus is missing or does not answer
  ///   within four seconds, or the program was built without the package trait `Avahi`; for `builtin` when another program has port 5353 and does not share
  ///   it; for `auto` when both fail. Code `invalidBackend` when the environment variable names no backend.
  ///   Code `cancelled` when the task is cancelled while it waits for the daemon. A daemon that stops later is an event: see <doc:WhenTheDaemonGoes>.
  public convenience init(_ configuration: Configuration = Configuration()) async throws(DiscoveryError) {
    let limit = ReachLimit()
    let backend = try await Self.localBackend(configuration)
    // Until the backend is closed.
    backend.followReach(of: .all, as: OperationID()) { reach in limit.set(reach, configuration.reachLimited) }
    self.init(
      backend: backend, time: .system, limit: limit, filter: .kernel,
      names: Self.nameKeeper(configuration), log: configuration.log)
  }

  /// The loop of all handlers of this process.
  ///
  /// - Throws: ``DiscoveryError`` with code `unavailable` when it cannot be started.
  package static func sharedLoop() throws(DiscoveryError) -> EventLoop {
    do throws(SystemError) {
      return try discoveryLoop.get()
    } catch {
      throw DiscoveryError(
        .unavailable, "starting discovery: \(error.reason) (\(error.call)); close some files or programs", because: error)
    }
  }

  /// Makes the backend of the local network that a configuration chooses.
  package static func localBackend(_ configuration: Configuration) async throws(DiscoveryError) -> any DiscoveryBackend {
    try await makeBackend(try configuration.chosenBackend(), configuration, on: try sharedLoop())
  }

  package static func nameKeeper(_ configuration: Configuration?) -> NameKeeper? {
    guard let configuration else { return nil }
    return configuration.nameStore.map { NameKeeper($0, log: configuration.log) }
  }

  #if Avahi
  /// The thread that Avahi's calls block.
  private static let sharedAvahiLoop = SharedEventLoop(name: "avahi")

  static func avahiLoop() throws(DiscoveryError) -> EventLoop {
    do throws(SystemError) {
      return try sharedAvahiLoop.get()
    } catch {
      throw DiscoveryError(
        .unavailable, "starting discovery: \(error.reason) (\(error.call)); close some files or programs", because: error)
    }
  }

  private static func makeBackend(
    _ kind: Backend, _ configuration: Configuration, on loop: EventLoop
  ) async throws(DiscoveryError) -> any DiscoveryBackend {
    switch kind {
    case .auto:
      return try await AutomaticBackend(
        on: loop, log: configuration.log, chosen: configuration.backendChosen)
    case .avahi:
      let avahi = try await AutomaticBackend(onlyAvahiOn: loop, log: configuration.log)
      configuration.backendChosen(.avahi)
      return avahi
    case .builtin:
      return try await makeBuiltin(configuration, on: loop)
    }
  }
  #else
  private static func makeBackend(
    _ kind: Backend, _ configuration: Configuration, on loop: EventLoop
  ) async throws(DiscoveryError) -> any DiscoveryBackend {
    guard kind != .avahi else {
      throw DiscoveryError(
        .unavailable,
        "using avahi-daemon: this program was built without the package trait Avahi; choose the backend builtin or auto, or "
          + "build with the trait")
    }
    return try await makeBuiltin(configuration, on: loop)
  }
  #endif

  private static func makeBuiltin(
    _ configuration: Configuration, on loop: EventLoop
  ) async throws(DiscoveryError) -> any DiscoveryBackend {
    let builtin = try await MulticastBackend(on: loop, log: configuration.log)
    configuration.backendChosen(.builtin)
    return builtin
  }

  package init(
    backend: any DiscoveryBackend, time: MonotonicClock, limit: ReachLimit = ReachLimit(), filter: AddressFilter = .unicast,
    names: NameKeeper? = nil, log: @escaping @Sendable (LogMessage) -> Void = { _ in }
  ) {
    lastEnding = Self.lastEnding(of: backend, open, names)
    self.names = names
    self.log = log
    self.backend = backend
    self.time = time
    self.limit = limit
    self.filter = filter
  }

  deinit {
    // All scopes and handles have ended. Only the connection or engine is left.
    guard lastEnding.isOpen else { return }
    Task { [lastEnding] in await lastEnding.end() }
  }

  // MARK: - Browsing

  /// Browses for the instances of a service for as long as a closure runs.
  ///
  /// When this function returns or throws, browsing has ended.
  ///
  /// - Parameters:
  ///   - type: The type to browse for, such as `_http._tcp`.
  ///   - subtype: The only subtype to browse for, such as `_printer`; nil for all services of the type.
  ///   - domain: The domain, usually `local`, which is the only domain of the built-in engine.
  ///   - interfaces: The interfaces to browse on.
  ///   - resolving: Whether to resolve each instance and then follow its endpoint. An instance is then reported when its
  ///     endpoint is known, or after 5 s without one. After 5 s without one, the built-in engine also checks whether the
  ///     instance still exists, as ``reconfirm(_:interfaces:)`` does.
  ///   - hints: Whether ``DiscoveredService/presence`` shows services that may be gone soon, with an update when it changes.
  ///     With avahi-daemon, only browsers that resolve give such hints, for services whose records have expired.
  ///   - body: The closure. The browser runs while it runs.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  public func withBrowser<Result>(
    for type: ServiceType, subtype: ServiceSubtype? = nil, domain: DomainName = .local, interfaces: InterfaceSelection = .all,
    resolving: Bool = false, hints: Bool = false, _ body: (Browser) async throws -> Result
  ) async throws -> Result {
    let query = BrowseQuery(type, subtype: subtype, domain: domain, interfaces: interfaces, wantsEndpoints: resolving)
    let core = try await startBrowsing(query, hints: hints)
    return try await scope(Browser(core), endingBy: { await core.stop() }, body)
  }

  /// Browses for the instances of a service until the handle is closed.
  ///
  /// It is ``withBrowser(for:subtype:domain:interfaces:resolving:hints:_:)`` for objects that live as long as a program; see there for the
  /// parameters.
  ///
  /// - Returns: The browser, in a handle.
  /// - Throws: ``DiscoveryError`` with code `unavailable` after ``close()``. Other errors are thrown by the browser's sequences.
  public func openBrowser(
    for type: ServiceType, subtype: ServiceSubtype? = nil, domain: DomainName = .local, interfaces: InterfaceSelection = .all,
    resolving: Bool = false, hints: Bool = false
  ) async throws(DiscoveryError) -> Handle<Browser> {
    let query = BrowseQuery(type, subtype: subtype, domain: domain, interfaces: interfaces, wantsEndpoints: resolving)
    let core = try await startBrowsing(query, hints: hints)
    return try await handle(Browser(core), "the browser of \(query.typeName)") { await core.stop() }
  }

  private func startBrowsing(_ query: BrowseQuery, hints: Bool) async throws(DiscoveryError) -> BrowserCore {
    try checkIsOpen()
    let core = BrowserCore(
      query, resolving: query.wantsEndpoints, hints: hints, on: backend, own: own, filter: filter, time: time)
    await core.start()
    return core
  }

  /// Browses once for the instances of a service, and returns them.
  ///
  /// It returns when browsing has settled: all hosts that answer at once have answered, which takes about a second. With
  /// `resolving`, it also waits until each instance has an endpoint, or has been asked for it for 5 s. It does not find a
  /// service that starts later.
  ///
  /// - Parameters:
  ///   - type: The type to browse for, such as `_http._tcp`.
  ///   - subtype: The only subtype to browse for, such as `_printer`; nil for all services of the type.
  ///   - domain: The domain, usually `local`, which is the only domain of the built-in engine.
  ///   - resolving: Whether to resolve each instance.
  ///   - interfaces: The interfaces to browse on.
  ///   - limit: The longest time to wait. Services found by then are returned; their endpoint is nil if it is not known yet.
  /// - Returns: The services, sorted by name.
  /// - Throws: ``DiscoveryError`` when browsing fails: `unavailable` or `noNetwork` when browsing is interrupted at the end of
  ///   the limit, `cancelled`, `limitReached`, `refused`, `invalidDomain`.
  public func services(
    of type: ServiceType, subtype: ServiceSubtype? = nil, domain: DomainName = .local, resolving: Bool = false,
    interfaces: InterfaceSelection = .all, within limit: Duration = .seconds(6)
  ) async throws(DiscoveryError) -> [DiscoveredService] {
    let deadline = time.now() + limit
    let core = try await startBrowsing(
      BrowseQuery(type, subtype: subtype, domain: domain, interfaces: interfaces, wantsEndpoints: resolving), hints: false)
    return try await once(endingBy: { await core.stop() }) { () throws(DiscoveryError) in
      try await core.services(until: deadline)
    }
  }

  /// Reports that a service did not answer at its address.
  ///
  /// The built-in engine asks the network for it again. If no host answers, browsers lose the service within ten seconds
  /// (RFC 6762 §10.4). With avahi-daemon, which has no such request, this method does nothing.
  ///
  /// - Parameters:
  ///   - instance: The service that did not answer.
  ///   - interfaces: The interfaces that it was seen on.
  public func reconfirm(_ instance: ServiceInstance, interfaces: InterfaceSelection = .all) {
    backend.reconfirm(instance, interfaces: interfaces)
  }
}
