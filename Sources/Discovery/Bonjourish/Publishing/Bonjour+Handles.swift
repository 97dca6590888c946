public import _BonjourishDiscovery

extension Bonjour {
  /// Publishes a service until the handle is closed.
  ///
  /// It is ``withPublishedService(named:type:subtypes:domain:port:txt:onConflict:interfaces:_:)`` for objects that live as long as a
  /// program; see there for the parameters and errors. It returns when the name is established.
  ///
  /// - Returns: The published service, in a handle.
  /// - Throws: ``DiscoveryError`` when the service cannot be published, or with code `unavailable` after ``close()``.
  public func openPublishedService(
    named name: InstanceName, type: ServiceType, subtypes: Set<ServiceSubtype> = [], domain: DomainName = .local, port: UInt16,
    txt: TXTRecord = TXTRecord(), onConflict conflictPolicy: ConflictPolicy = .rename, interfaces: InterfaceSelection = .all
  ) async throws(DiscoveryError) -> Handle<PublishedService> {
    let service = Service(
      name, type: type, subtypes: subtypes, domain: domain, port: port, txt: txt, onConflict: conflictPolicy)
    let (publishers, end) = try await startPublishing([service], on: interfaces)
    return try await handle(PublishedService(publishers[0]), "the published service \"\(name)\"", endingBy: end)
  }

  /// Publishes several services until the handle is closed.
  ///
  /// It is ``withPublishedServices(_:interfaces:_:)`` for objects that live as long as a program; see there for the parameters and errors.
  ///
  /// - Returns: The published services in the order of `services`, in a handle.
  /// - Throws: ``DiscoveryError`` when a service cannot be published, or with code `unavailable` after ``close()``.
  public func openPublishedServices(
    _ services: [Service], interfaces: InterfaceSelection = .all
  ) async throws(DiscoveryError) -> Handle<[PublishedService]> {
    let (publishers, end) = try await startPublishing(services, on: interfaces)
    let names = services.map { "\"\($0.name)\"" }.joined(separator: ", ")
    return try await handle(publishers.map { PublishedService($0) }, "the published services \(names)", endingBy: end)
  }

  /// Publishes addresses under a host name until the handle is closed.
  ///
  /// It is ``withPublishedHost(named:addresses:onConflict:interfaces:_:)`` for objects that live as long as a program; see there for the
  /// parameters and errors.
  ///
  /// - Returns: The published name, in a handle.
  /// - Throws: ``DiscoveryError`` when the name cannot be published, or with code `unavailable` after ``close()``.
  public func openPublishedHost(
    named name: DomainName, addresses: [IPAddress], onConflict conflictPolicy: ConflictPolicy = .fail,
    interfaces: InterfaceSelection = .all
  ) async throws(DiscoveryError) -> Handle<PublishedHost> {
    let (host, end) = try await startPublishing(host: name, addresses, onConflict: conflictPolicy, on: interfaces)
    return try await handle(host, "the published host name \"\(name)\"", endingBy: end)
  }

  /// Publishes DNS records until the handle is closed.
  ///
  /// It is ``withPublishedRecords(_:interfaces:_:)`` for objects that live as long as a program; see there for the parameters and errors.
  ///
  /// - Returns: The published records, in a handle.
  /// - Throws: ``DiscoveryError`` when the records cannot be published, or with code `unavailable` after ``close()``.
  public func openPublishedRecords(
    _ records: [CustomRecord], interfaces: InterfaceSelection = .all
  ) async throws(DiscoveryError) -> Handle<PublishedRecords> {
    let (published, end) = try await startPublishing(records, on: interfaces)
    return try await handle(published, "the published records of \"\(records[0].name)\"", endingBy: end)
  }
}
