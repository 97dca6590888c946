public import _BonjourishDiscovery

extension Bonjour {
  /// Publishes a service for as long as a closure runs.
  ///
  /// The closure is called when the name is established. If the daemon is away at the start, the closure is called after five
  /// seconds without a name: then ``PublishedService/events`` begins with an interruption, and reports when the service can be
  /// found. When this function returns or throws, the service is withdrawn, and its goodbye is being sent (RFC 6762 §10.1).
  ///
  /// - Parameters:
  ///   - name: The requested name. If another host has it, the service gets an alternative such as "Name #2", and
  ///     ``PublishedService/name`` returns it.
  ///   - type: The type of the service, such as `_http._tcp`.
  ///   - subtypes: The subtypes of the service, such as `_printer`.
  ///   - domain: The domain, usually `local`, which is the only domain of the built-in engine.
  ///   - port: The port that the service listens on, 1–65,535.
  ///   - txt: The TXT record of the service.
  ///   - conflictPolicy: What happens when another host has the name.
  ///   - interfaces: The interfaces to publish on.
  ///   - body: The closure. The service is published while it runs.
  /// - Returns: The closure's result.
  /// - Throws: ``DiscoveryError`` when the service cannot be published (`invalidPort`, `invalidServiceType`, `invalidDomain`,
  ///   `invalidTXTRecord`, `nameTaken`, `limitReached`, `refused`, `timedOut`, `cancelled`), or the closure's error.
  public func withPublishedService<Result>(
    named name: InstanceName, type: ServiceType, subtypes: Set<ServiceSubtype> = [], domain: DomainName = .local, port: UInt16,
    txt: TXTRecord = TXTRecord(), onConflict conflictPolicy: ConflictPolicy = .rename, interfaces: InterfaceSelection = .all,
    _ body: (PublishedService) async throws -> Result
  ) async throws -> Result {
    let service = Service(
      name, type: type, subtypes: subtypes, domain: domain, port: port, txt: txt, onConflict: conflictPolicy)
    return try await withPublishedServices([service], interfaces: interfaces) { try await body($0[0]) }
  }

  /// Publishes several services for as long as a closure runs.
  ///
  /// The closure is called when all names are established. If one service cannot be published, none is, and its error, which has
  /// its name, is thrown. In all else it works like ``withPublishedService(named:type:subtypes:domain:port:txt:onConflict:interfaces:_:)``.
  ///
  /// The addresses of other hosts are published too, and their names are probed for. A conflict about a host's name is a failure
  /// with the code `nameTaken`, also later, because an alternative would not be the host's name: the events of its services then
  /// throw it.
  ///
  /// - Parameters:
  ///   - services: The services. There is no limit to their number.
  ///   - interfaces: The interfaces to publish on.
  ///   - body: The closure. It gets the published services in the order of `services`, which are published while it runs.
  /// - Returns: The closure's result.
  /// - Throws: ``DiscoveryError`` when a service cannot be published (`invalidPort`, `invalidServiceType`, `invalidDomain`,
  ///   `invalidTXTRecord`, `nameTaken`, `limitReached`, `refused`, `timedOut`, `cancelled`), or the closure's error.
  public func withPublishedServices<Result>(
    _ services: [Service], interfaces: InterfaceSelection = .all, _ body: ([PublishedService]) async throws -> Result
  ) async throws -> Result {
    let (publishers, end) = try await startPublishing(services, on: interfaces)
    return try await scope(publishers.map { PublishedService($0) }, endingBy: end, body)
  }

  /// Publishes services, and the hosts that they name.
  ///
  /// - Returns: The publishers of the services, which are established, and what withdraws all.
  func startPublishing(
    _ services: [Service], on interfaces: InterfaceSelection
  ) async throws(DiscoveryError) -> (publishers: [Publisher], end: @Sendable () async -> Void) {
    try checkIsOpen()
    let hosts = try registrations(ofHostsOf: services, on: interfaces).map { publisher(of: $0, requested: $0.name) }
    var publishers: [Publisher] = []
    for service in services {
      let remembered = service.conflictPolicy == .rename ? names?.name(for: service.instance) : nil
      let registration = try service.registration(on: interfaces, remembered: remembered)
      publishers.append(publisher(of: registration, requested: service.name))
    }
    let endHosts = try await start(hosts)
    for host in hosts { await host.carry(publishers) }
    do throws(DiscoveryError) {
      let endServices = try await start(publishers)
      return (
        publishers,
        {
          await endServices()
          await endHosts()
        }
      )
    } catch {
      await endHosts()
      throw error
    }
  }

  /// The addresses of the hosts, each host once.
  private func registrations(
    ofHostsOf services: [Service], on interfaces: InterfaceSelection
  ) throws(DiscoveryError) -> [Registration] {
    var order: [DomainName] = []
    var addresses: [DomainName: [IPAddress]] = [:]
    for host in services.compactMap(\.host) where !host.addresses.isEmpty {
      if addresses[host.name] == nil { order.append(host.name) }
      addresses[host.name, default: []] += host.addresses.filter { !addresses[host.name, default: []].contains($0) }
    }
    var registrations: [Registration] = []
    for host in order {
      registrations.append(
        try registration(ofHost: host, addresses: addresses[host] ?? [], interfaces: interfaces, onConflict: .fail))
    }
    return registrations
  }

  func registration(
    ofHost name: DomainName, addresses: [IPAddress], interfaces: InterfaceSelection = .all, onConflict policy: ConflictPolicy
  ) throws(DiscoveryError) -> Registration {
    let registration = Registration(host: name, addresses: addresses, interfaces: interfaces, onConflict: policy)
    guard let registration, registration.hostName == name else {
      throw DiscoveryError(
        .invalidDomain, "publishing the host name \"\(name)\": it needs a label and a domain, like printer.local")
    }
    guard !addresses.isEmpty, addresses.allSatisfy(\.isUnicast) else {
      throw DiscoveryError(
        .refused, "publishing the host name \"\(name)\": it needs addresses of a single host; give at least one")
    }
    return registration
  }

  func publisher(of registration: Registration, requested: InstanceName) -> Publisher {
    Publisher(registration, requested: requested, on: backend, own: own, names: names, time: time)
  }

  /// Starts publishers, and returns when all are established.
  ///
  /// - Returns: What withdraws what was published, and returns when the backend has done so and the names are kept.
  func start(_ publishers: [Publisher]) async throws(DiscoveryError) -> @Sendable () async -> Void {
    // From now on, so that `close()` also ends the wait for names.
    let ending = try await ending { [backend, names] in
      await publishers.first?.stop(all: publishers)
      await backend.drain()
      await names?.write()
    }
    await publishers.first?.start(all: publishers)
    do throws(DiscoveryError) {
      for publisher in publishers { try await publisher.established() }
      return { await ending.end() }
    } catch {
      await ending.end()
      try checkIsOpen()
      throw error
    }
  }
}
