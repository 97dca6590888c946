package import Discovery
package import EventLoop
import MulticastDNS

/// Speaks mDNS itself: drives the engine over UDP sockets, and follows the machine's interfaces.
///
/// It needs no daemon, and shares port 5353 with any that there is. Only the interfaces that operations ask for are used: those
/// named, and all that reach others as soon as one operation names none.
package actor MulticastBackend: DiscoveryBackend {
  let loop: EventLoop
  let log: @Sendable (LogMessage) -> Void
  let origin = ContinuousClock.now
  var engine: MulticastEngine
  var timer: LoopTimer?

  var sockets: [DNSAddress.Family: MulticastSocket] = [:]
  let monitor: InterfaceMonitor
  /// What the engine has been told of each link.
  var links: [MulticastLink: LocalInterface] = [:]
  /// Those on which the last datagram could not be sent.
  var muteLinks: Set<MulticastLink> = []
  /// Interfaces by number, also those that have gone, since what was seen there is told with their name.
  var interfaces: [UInt32: NetworkInterface] = [:]
  /// What operations had asked for when the links were last looked at; nil stands for all.
  var interfacesInUse: Set<UInt32?> = []
  var isRefreshing = false
  private var isFlushing = false
  var hasHostName = false

  var operations: [OperationID: Operation] = [:]
  var queries: [MulticastEngine.QueryID: OperationID] = [:]
  var registrations: [MulticastEngine.RegistrationID: OperationID] = [:]
  var lastNumber: UInt64 = 0

  enum Operation {
    case browse(MulticastEngine.QueryID, BrowseQuery, @Sendable (BrowseEvent) -> Void)
    case lookUp(MulticastEngine.QueryID, RecordQuestion, @Sendable (LookupEvent) -> Void)
    case publish(MulticastPublication)

    var interface: NetworkInterface? {
      switch self {
      case .browse(_, let query, _): query.interface
      case .lookUp(_, let question, _): question.interface
      case .publish(let publication): publication.interface
      }
    }
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  package nonisolated var executor: any SerialExecutor { loop }

  /// Opens the sockets.
  ///
  /// - Parameters:
  ///   - loop: Where everything happens.
  ///   - log: Told what happens to sockets and interfaces.
  /// - Throws: ``DiscoveryError`` with code `unavailable` when port 5353 can be had in neither family.
  package init(on loop: EventLoop, log: @escaping @Sendable (LogMessage) -> Void) async throws(DiscoveryError) {
    self.loop = loop
    do throws(SystemError) {
      monitor = try InterfaceMonitor()
    } catch {
      throw DiscoveryError(.unavailable, "starting discovery: \(error.reason) (\(error.call)); close some files or programs")
    }
    self.log = log
    engine = MulticastEngine(seed: .random(in: 0...UInt64.max))
    try open()
  }

  // MARK: - Commands

  package nonisolated func browse(
    _ query: BrowseQuery, as id: OperationID, _ handler: @escaping @Sendable (BrowseEvent) -> Void
  ) {
    perform { backend in
      let number = MulticastEngine.QueryID(backend.nextNumber())
      backend.operations[id] = .browse(number, query, handler)
      backend.queries[number] = id
      backend.use(query.interface)
      do throws(DiscoveryError) {
        let name = try DNSName.multicast(during: "browsing \(query.typeName) in \(query.domain)", query.dnsName)
        backend.handle(.ask(number, name, .ptr, interface: query.interface?.index))
      } catch {
        handler(.failed(error))
      }
    }
  }

  package nonisolated func lookUp(
    _ question: RecordQuestion, as id: OperationID, _ handler: @escaping @Sendable (LookupEvent) -> Void
  ) {
    perform { backend in
      let number = MulticastEngine.QueryID(backend.nextNumber())
      backend.operations[id] = .lookUp(number, question, handler)
      backend.queries[number] = id
      backend.use(question.interface)
      do throws(DiscoveryError) {
        let name = try DNSName.multicast(during: "looking up \(question.name)", question.dnsName)
        backend.handle(.ask(number, name, question.dnsType, interface: question.interface?.index))
      } catch {
        handler(.failed(error))
      }
    }
  }

  package nonisolated func publish(
    _ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void
  ) {
    perform { backend in
      do throws(DiscoveryError) {
        let action = "publishing \"\(registration.name)\" as \(registration.type) in \(registration.domain)"
        _ = try DNSName.multicast(during: action, registration.instance.dnsName)
      } catch {
        return handler(.failed(error))
      }
      let publication = MulticastPublication(registration, as: id, on: backend, handler)
      backend.operations[id] = .publish(publication)
      backend.use(registration.interface)
      backend.claimHostName()
      publication.start()
    }
  }

  package nonisolated func update(_ txt: TXTRecord, of id: OperationID) {
    perform { backend in
      if case .publish(let publication) = backend.operations[id] { publication.update(txt) }
    }
  }

  package nonisolated func reconfirm(_ instance: ServiceInstance, on interface: NetworkInterface?) {
    perform { backend in
      // A name that does not fit into a message was never heard of.
      guard let name = try? instance.dnsName() else { return }
      for pointer in backend.pointers(to: instance) { backend.handle(.reconfirm(pointer, .ptr, .ptr(name))) }
      backend.handle(.reconfirm(name, .srv, nil))
    }
  }

  /// The names under which an instance may have been found: its type, and the subtypes that are looked for.
  private func pointers(to instance: ServiceInstance) -> Set<DNSName> {
    var names: Set<DNSName> = []
    for case .browse(_, let query, _) in operations.values where query.type == instance.type && query.domain == instance.domain
    {
      if let name = try? query.dnsName() { names.insert(name) }
    }
    if let name = try? instance.type.name(in: instance.domain) { names.insert(name) }
    return names
  }

  package nonisolated func end(_ id: OperationID) {
    perform { backend in
      switch backend.operations.removeValue(forKey: id) {
      case .browse(let number, _, _), .lookUp(let number, _, _):
        backend.queries[number] = nil
        backend.handle(.endAsking(number))
      case .publish(let publication):
        publication.stop()
        backend.flushSoon()
      case nil:
        break
      }
    }
  }

  package nonisolated func drain() async {
    // A closure in the same queue; a call of the actor would not wait for it when the caller lives on this loop, too.
    await withCheckedContinuation { continuation in
      loop.execute { [loop] in loop.atEndOfTurn { continuation.resume() } }
    }
  }

  /// The process may end next, so goodbyes wait for no other company than that of those in the same turn: a burst of hundreds
  /// of datagrams is more than some receivers take.
  private func flushSoon() {
    guard !isFlushing else { return }
    isFlushing = true
    loop.atEndOfTurn { [weak self] in
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

  /// Frees everything without a goodbye, because another responder of this machine goes on with the same: those who hear of a
  /// goodbye first and of the service again a moment later would lose it for that moment.
  package func fallSilent() {
    for case .publish(let publication) in operations.values { publication.abandon() }
    operations = [:]
    queries = [:]
    registrations = [:]
    timer?.cancel()
    timer = nil
    monitor.stop()
    for socket in sockets.values { socket.stop() }
    sockets = [:]
  }

  /// Runs a closure on the loop, after those that were given before, and in a turn of its own: never within a handler.
  private nonisolated func perform(_ body: @escaping @Sendable (isolated MulticastBackend) -> Void) {
    loop.execute { self.assumeIsolated(body) }
  }
}
