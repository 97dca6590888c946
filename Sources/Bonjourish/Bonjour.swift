import AvahiBackend
package import EventLoop
import MulticastBackend

/// Finds and publishes services on the local network (mDNS, RFC 6762; DNS-SD, RFC 6763).
///
/// Make one for a process and pass it on: each takes a connection to avahi-daemon, which allows only so many, or hears and asks
/// the network for itself. It frees what it holds when the last reference to it goes.
///
/// ```swift
/// let bonjour = try await Bonjour()
/// try await bonjour.withBrowser(for: "_http._tcp") { browser in
///   for try await change in browser.changes { print(change) }
/// }
/// ```
public final class Bonjour: Sendable {
  /// Who speaks mDNS; <doc:ChoosingABackend> tells how they differ.
  public enum Backend: String, Hashable, Sendable, CaseIterable {
    /// avahi-daemon while there is one, and the built-in engine otherwise; changes over when the daemon comes or goes.
    case auto
    /// The machine's avahi-daemon, which answers for all its programs; waits for it when it goes.
    case avahi
    /// The engine of this library, within the process: for containers and machines without a daemon.
    case builtin
  }

  /// How discovery is done.
  public struct Configuration: Sendable {
    /// Who speaks mDNS.
    public var backend: Backend
    /// Told who does, at first and after each change: `avahi` or `builtin`. Called from any thread; it must not block.
    public var backendChosen: @Sendable (Backend) -> Void = { _ in }
    /// Told what happens inside: the daemon that comes and goes, for example. Called from any thread; it must not block.
    public var log: @Sendable (LogMessage) -> Void

    /// - Parameters:
    ///   - backend: Nil for what the environment variable `BONJOURISH_BACKEND` says: `auto`, `avahi` or `builtin`. If it is
    ///     not set, or to something else, it is `auto`.
    ///   - log: Told what happens inside.
    public init(backend: Backend? = nil, log: @escaping @Sendable (LogMessage) -> Void = { _ in }) {
      self.backend = backend ?? .fromEnvironment ?? .auto
      self.log = log
    }
  }

  let backend: any DiscoveryBackend
  let time: Timekeeper

  /// The thread for discovery, one for all: Avahi's calls block it for moments, and nothing else belongs on it.
  private static let sharedLoop = SharedEventLoop(name: "discovery")

  /// Connects to the machine's avahi-daemon, or starts the built-in engine.
  ///
  /// - Throws: ``DiscoveryError`` with code `unavailable`: for `avahi` when there is no daemon, or no system bus to reach it;
  ///   for `builtin` when another program has port 5353 for itself; for `auto` when both is the case. Later on, a daemon that
  ///   goes is an event, see <doc:WhenTheDaemonGoes>.
  public convenience init(_ configuration: Configuration = Configuration()) async throws(DiscoveryError) {
    let loop: EventLoop
    do throws(SystemError) {
      loop = try Self.sharedLoop.get()
    } catch {
      throw DiscoveryError(.unavailable, "starting discovery: \(error.reason) (\(error.call)); close some files or programs")
    }
    let backend: any DiscoveryBackend
    switch configuration.backend {
    case .auto:
      backend = try await AutomaticBackend(on: loop, log: configuration.log, chosen: configuration.backendChosen)
    case .avahi:
      let avahi = AvahiBackend(on: loop, log: configuration.log)
      try await avahi.connect()
      backend = avahi
      configuration.backendChosen(.avahi)
    case .builtin:
      backend = try await MulticastBackend(on: loop, log: configuration.log)
      configuration.backendChosen(.builtin)
    }
    self.init(backend: backend, time: .system)
  }

  package init(backend: any DiscoveryBackend, time: Timekeeper) {
    self.backend = backend
    self.time = time
  }

  deinit {
    // Scopes have ended by now, each with its operations; what is left is the connection.
    Task { [backend] in await backend.close() }
  }

  // MARK: - Publishing

  /// Publishes a service for as long as a closure runs.
  ///
  /// The closure is called once the name is established. While the daemon is away it cannot be, and five seconds after that was
  /// found out the closure is called nevertheless: ``PublishedService/events`` begins with an interruption then, and tells when the
  /// service can be found. When this function returns, be it after a return, an error or
  /// cancellation, the service is withdrawn, and its goodbye is on its way (RFC 6762 §10.1).
  ///
  /// - Parameters:
  ///   - name: The name to go by. When another host has it, the service gets an alternative, "Name #2";
  ///     ``PublishedService/name`` tells.
  ///   - type: What the service is, such as `_http._tcp`.
  ///   - subtypes: Narrower kinds of the type that the service is of, such as `_printer`. avahi-daemon takes up to 31.
  ///   - domain: Where to publish; there is hardly a reason for another than `local`, and the built-in engine knows no other.
  ///   - port: Where the service listens: 1 to 65535.
  ///   - txt: What the service says of itself.
  ///   - interface: The only interface to publish on; nil for all.
  ///   - body: What to do meanwhile.
  /// - Returns: What the closure returns.
  /// - Throws: ``DiscoveryError`` when the service cannot be published (`invalidPort`, `invalidDomain`, `limitReached`, `refused`,
  ///   `timedOut`, `cancelled`), or what the closure throws.
  public func withPublishedService<Result>(
    named name: InstanceName, type: ServiceType, subtypes: Set<ServiceSubtype> = [], domain: DomainName = .local, port: UInt16,
    txt: TXTRecord = TXTRecord(), interface: NetworkInterface? = nil, _ body: (PublishedService) async throws -> Result
  ) async throws -> Result {
    guard port != 0 else {
      throw DiscoveryError(
        .invalidPort, "publishing \"\(name)\": port 0 is no port that anyone can connect to; give the one that is listened on")
    }
    let registration = Registration(
      name, type: type, subtypes: subtypes, domain: domain, port: port, txt: txt, on: interface)
    let publisher = Publisher(registration, on: backend, time: time)
    do {
      await publisher.start()
      try await publisher.established()
      let result = try await body(PublishedService(publisher))
      await publisher.stop()
      return result
    } catch {
      await publisher.stop()
      throw error
    }
  }

  // MARK: - Browsing

  /// Looks for the instances of a service for as long as a closure runs.
  ///
  /// When this function returns, be it after a return, an error or cancellation, browsing has ended.
  ///
  /// - Parameters:
  ///   - type: What to look for, such as `_http._tcp`.
  ///   - subtype: The only subtype to look for, such as `_printer`; nil for all services of the type.
  ///   - domain: Where to look; the built-in engine knows `local` only.
  ///   - interface: The only interface to look on; nil for all.
  ///   - resolving: Whether to resolve what is found, and to follow its endpoint from then on. An instance is then found when
  ///     its endpoint is known, or after 5 s without one. The built-in engine then makes sure that it is there at all, as
  ///     ``reconfirm(_:on:)`` does.
  ///   - hints: Whether to tell which services may be gone soon, in ``DiscoveredService/presence``: an update tells when that
  ///     changes. Only the built-in engine gives such hints; avahi-daemon has none for its clients.
  ///   - body: What to do meanwhile.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  public func withBrowser<Result>(
    for type: ServiceType, subtype: ServiceSubtype? = nil, domain: DomainName = .local, interface: NetworkInterface? = nil,
    resolving: Bool = false, hints: Bool = false, _ body: (Browser) async throws -> Result
  ) async throws -> Result {
    let core = BrowserCore(
      BrowseQuery(type, subtype: subtype, domain: domain, on: interface), resolving: resolving, hints: hints, on: backend,
      time: time)
    await core.start()
    do {
      let result = try await body(Browser(core))
      await core.stop()
      return result
    } catch {
      await core.stop()
      throw error
    }
  }

  /// Says that a service did not answer where it was said to be.
  ///
  /// The built-in engine asks the network whether it is still there, and browsers lose it within ten seconds if nobody says so
  /// (RFC 6762 §10.4). avahi-daemon offers its clients nothing of the kind; with it the call does nothing.
  ///
  /// - Parameters:
  ///   - instance: The service that could not be reached.
  ///   - interface: Where it was seen; nil for any.
  public func reconfirm(_ instance: ServiceInstance, on interface: NetworkInterface? = nil) {
    backend.reconfirm(instance, on: interface)
  }

  // MARK: - Resolving

  /// Finds out where an instance is.
  ///
  /// - Parameters:
  ///   - instance: What to resolve. It need not have been seen by a browser.
  ///   - interface: The only interface to ask on; nil for all.
  ///   - limit: How long to wait for an answer.
  /// - Returns: Host, port, TXT record and every address of the host.
  /// - Throws: ``DiscoveryError`` with code `timedOut` when nobody answers in time, `unavailable` when nobody can be asked at the end
  ///   of it because the daemon is away, `cancelled`, `limitReached`, `refused`, or `invalidDomain` for a host or service that is
  ///   not known by multicast DNS.
  public func resolve(
    _ instance: ServiceInstance, on interface: NetworkInterface? = nil, within limit: Duration = .seconds(5)
  ) async throws(DiscoveryError) -> Endpoint {
    let resolution = Resolution(of: instance, on: interface, backend: backend, time: time)
    let outcome = await resolution.run(until: time.now() + limit)
    await resolution.stop()
    switch outcome {
    case .resolved(let endpoint): return endpoint
    case .cancelled: throw DiscoveryError(.cancelled, "resolving \"\(instance)\" was cancelled")
    case .failed(let error): throw error
    case .outOfReach(let error):
      throw DiscoveryError(
        .unavailable, "resolving \"\(instance)\": discovery was out of reach when its \(limit) were over; \(error.message)")
    case .timedOut:
      throw DiscoveryError(
        .timedOut,
        "resolving \"\(instance)\": nobody answered within \(limit); it is gone, or its name is another: browse \(instance.type) "
          + "to see what there is")
    }
  }
}
