package import Discovery
package import EventLoop
import Glibc
import MulticastDNS

/// Speaks mDNS itself: drives the engine over UDP sockets, and follows the machine's interfaces.
///
/// It needs no daemon, and shares port 5353 with any that there is. Only the interfaces that operations ask for are used: those
/// named, and all that reach others as soon as one operation names none.
package actor MulticastBackend: DiscoveryBackend {
  let loop: EventLoop
  private let log: @Sendable (LogMessage) -> Void
  private let origin = ContinuousClock.now
  private var engine: MulticastEngine
  private var timer: LoopTimer?

  private var sockets: [DNSAddress.Family: MulticastSocket] = [:]
  private let monitor: InterfaceMonitor
  /// What the engine has been told of each link.
  private var links: [MulticastLink: LocalInterface] = [:]
  /// Interfaces by number, also those that have gone, since what was seen there is told with their name.
  private var interfaces: [UInt32: NetworkInterface] = [:]
  /// What operations had asked for when the links were last looked at; nil stands for all.
  private var interfacesInUse: Set<UInt32?> = []
  private var isRefreshing = false
  private var isFlushing = false
  private var hasHostName = false

  private var operations: [OperationID: Operation] = [:]
  private var queries: [MulticastEngine.QueryID: OperationID] = [:]
  private var registrations: [MulticastEngine.RegistrationID: OperationID] = [:]
  private var lastNumber: UInt64 = 0

  private enum Operation {
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
      do throws(DNSNameError) {
        backend.handle(.ask(number, try query.dnsName(), .ptr, interface: query.interface?.index))
      } catch {
        handler(.failed(DiscoveryError(.invalidDomain, "browsing \(query.typeName) in \(query.domain): \(error)")))
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
      do throws(DNSNameError) {
        backend.handle(.ask(number, try question.dnsName(), question.dnsType, interface: question.interface?.index))
      } catch {
        handler(.failed(DiscoveryError(.invalidDomain, "looking up \(question.name): \(error)")))
      }
    }
  }

  package nonisolated func publish(
    _ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void
  ) {
    perform { backend in
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
    operations = [:]
    queries = [:]
    handle(.shutDown)
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

  // MARK: - Publications

  // For publications, which live on the loop and know it.

  /// A new registration of a publication's.
  nonisolated func newRegistration(for id: OperationID) -> MulticastEngine.RegistrationID {
    assumeIsolated { backend in
      let number = MulticastEngine.RegistrationID(backend.nextNumber())
      backend.registrations[number] = id
      return number
    }
  }

  nonisolated func register(
    _ records: [PublishedRecord], as number: MulticastEngine.RegistrationID, on interface: NetworkInterface?
  ) {
    assumeIsolated { $0.handle(.publish(number, records, interface: interface?.index)) }
  }

  nonisolated func update(_ number: MulticastEngine.RegistrationID, to records: [PublishedRecord]) {
    assumeIsolated { $0.handle(.update(number, records)) }
  }

  nonisolated func withdraw(_ number: MulticastEngine.RegistrationID) {
    assumeIsolated { backend in
      backend.registrations[number] = nil
      backend.handle(.withdraw(number))
    }
  }

  private func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// The host's name is published only once it is needed: a program that browses says nothing of itself.
  private func claimHostName() {
    guard !hasHostName else { return }
    hasHostName = true
    handle(.setHostName(Self.hostName()))
  }

  /// The first label of the machine's name, in `local`.
  private static func hostName() -> DNSName {
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      // The name may have been cut, and then has no end.
      buffer[255] = 0
      return gethostname(buffer.baseAddress!, 255) == 0 ? String(cString: buffer.baseAddress!) : ""
    }
    let label = name.split(separator: ".").first.map { Array($0.utf8.prefix(DNSName.maximumLabelBytes)) }
    for candidate in [label, Array("linux".utf8)].compactMap({ $0 }) {
      if let name = try? DNSName(labels: [candidate, Array("local".utf8)]) { return name }
    }
    preconditionFailure("\"linux.local\" is a name")
  }

  // MARK: - Engine

  private var now: Duration { origin.duration(to: .now) }

  private func handle(_ event: MulticastEngine.Event) {
    for effect in engine.handle(event, at: now) { perform(effect) }
    setTimer()
  }

  private func setTimer() {
    timer?.cancel()
    timer = engine.nextDeadline.map { deadline in
      loop.schedule(at: origin + deadline) { [weak self] in self?.assumeIsolated { $0.handle(.timePassed) } }
    }
  }

  private func perform(_ effect: MulticastEngine.Effect) {
    switch effect {
    case .send(let bytes, let link, let destination):
      do throws(SystemError) {
        try sockets[link.family]?.send(bytes, on: link.interface, to: destination)
      } catch {
        log(LogMessage(.debug, "sending on \(name(of: link.interface)): \(error)"))
      }
    case .answer(let number, let change):
      guard let id = queries[number] else { return }
      tell(id, change)
    case .cacheExhausted(let number):
      guard let id = queries[number], case .lookUp(_, _, let handler)? = operations[id] else { return }
      handler(.cacheExhausted)
    case .settled(let number):
      guard let id = queries[number] else { return }
      switch operations[id] {
      case .browse(_, _, let handler): handler(.settled)
      case .lookUp(_, _, let handler): handler(.settled)
      case .publish, nil: return
      }
    case .registration(let number, let change):
      guard let id = registrations[number], case .publish(let publication)? = operations[id] else { return }
      publication.changed(number, change)
    case .hostName(.established(let name)):
      log(LogMessage(.info, "this host goes by \(name)"))
    case .hostName(.renamed(let former, let new)):
      log(LogMessage(.warning, "another host goes by \(former); this one tries \(new)"))
    }
  }

  private func tell(_ id: OperationID, _ change: MulticastEngine.AnswerChange) {
    guard let interface = interfaces[change.link.interface] else { return }
    let link = Link(interface, change.link.family == .ipv4 ? .ipv4 : .ipv6)
    switch operations[id] {
    case .browse(_, let query, let handler):
      guard case .ptr(let target) = change.record.data, let instance = ServiceInstance(target, of: query) else { return }
      handler(change.browseEvent(instance, on: link))
    case .lookUp(_, _, let handler):
      guard let data = RecordData(change.record.data, seenOn: interface),
        let event = change.lookupEvent(ResourceRecord(data, on: link))
      else { return }
      handler(event)
    case .publish, nil:
      return
    }
  }

  // MARK: - Links

  private func open() throws(DiscoveryError) {
    var failures: [String] = []
    for family in DNSAddress.Family.allCases {
      do throws(SystemError) {
        let socket = try MulticastSocket(family)
        try socket.start(on: loop) { [weak self] arrival in self?.assumeIsolated { $0.received(arrival) } }
        sockets[family] = socket
      } catch {
        failures.append("\(family): \(error)")
        log(LogMessage(.info, "no mDNS over \(family): \(error)"))
      }
    }
    guard !sockets.isEmpty else {
      throw DiscoveryError(
        .unavailable,
        "opening port \(MulticastEngine.port) for mDNS failed (\(failures.joined(separator: ", "))); end the program that has it "
          + "for itself, or use avahi-daemon")
    }
    do throws(SystemError) {
      try monitor.start(on: loop) { [weak self] in self?.assumeIsolated { $0.interfacesChanged() } }
    } catch {
      log(LogMessage(.warning, "changes of network interfaces will go unnoticed: \(error)"))
    }
  }

  private func received(_ arrival: MulticastSocket.Arrival) {
    // The group may be heard on an interface for another process's sake.
    guard links[arrival.source.link] != nil else { return }
    handle(.received(arrival.bytes, from: arrival.source, to: arrival.reception))
  }

  /// The kernel tells of one change in several messages.
  private func interfacesChanged() {
    guard !isRefreshing else { return }
    isRefreshing = true
    loop.atEndOfTurn { [weak self] in
      self?.assumeIsolated { backend in
        backend.isRefreshing = false
        backend.refreshLinks()
      }
    }
  }

  /// Makes sure that an interface, or all when it is nil, is in use. Most operations find it so, and looking at the machine's
  /// interfaces takes longer than all the rest.
  private func use(_ interface: NetworkInterface?) {
    if !interfacesInUse.contains(interface?.index) { refreshLinks() }
  }

  /// Tells the engine which links there are, as far as anybody wants them.
  private func refreshLinks() {
    let wanted = wantedLinks()
    for link in links.keys where wanted[link] == nil {
      links[link] = nil
      sockets[link.family]?.leave(link.interface)
      log(LogMessage(.info, "no mDNS on \(name(of: link.interface)) over \(link.family) any more"))
      handle(.linkDown(link))
    }
    for (link, interface) in wanted.sorted(by: {
      ($0.key.interface, $0.key.family.rawValue) < ($1.key.interface, $1.key.family.rawValue)
    }) {
      guard let known = links[link] else {
        begin(link, on: interface)
        continue
      }
      guard known != interface else { continue }
      links[link] = interface
      handle(.linkChanged(link, addresses: interface.addresses))
    }
  }

  private func begin(_ link: MulticastLink, on interface: LocalInterface) {
    do throws(SystemError) {
      try sockets[link.family]?.join(link.interface)
    } catch {
      return log(LogMessage(.warning, "no mDNS on \(interface.name) over \(link.family): \(error)"))
    }
    links[link] = interface
    log(LogMessage(.info, "mDNS on \(interface.name) over \(link.family)"))
    handle(.linkUp(link, addresses: interface.addresses))
  }

  private func wantedLinks() -> [MulticastLink: LocalInterface] {
    let indices = Set(operations.values.map { $0.interface?.index })
    interfacesInUse = indices
    var wanted: [MulticastLink: LocalInterface] = [:]
    for interface in InterfaceMonitor.interfaces() {
      interfaces[interface.index] = NetworkInterface(index: interface.index, name: interface.name)
      guard indices.contains(interface.index) || (interface.isForAll && indices.contains(nil)) else { continue }
      for family in sockets.keys where interface.hasAddress(family) {
        wanted[MulticastLink(interface: interface.index, family: family)] = interface
      }
    }
    return wanted
  }

  private func name(of interface: UInt32) -> String { interfaces[interface]?.name ?? "interface \(interface)" }
}
