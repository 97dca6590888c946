public import Bonjourish
public import FramedTransport
import _BonjourishDiscovery

extension Bonjour {
  /// Publishes a service at a listener's port while a closure runs.
  ///
  /// The listener stays open when this returns. Close it only then, so that no service is published at a closed port. If the service
  /// is published in a directory that relays (the module `BonjourishDirectory`), the listener also accepts relayed connections meanwhile, with
  /// the same limits and the same protection; ``FramedTransport/Connection/isRelayed`` tells which they are.
  ///
  /// - Parameters:
  ///   - name: The name to publish under. If another host uses it, the service gets an alternative name: see
  ///     ``Bonjourish/Bonjour/withPublishedService(named:type:subtypes:domain:port:txt:onConflict:interfaces:_:)``.
  ///   - type: The type of the service, such as `_http._tcp`.
  ///   - subtypes: The subtypes of the service, such as `_printer`.
  ///   - domain: The domain to publish in.
  ///   - listener: A listener at all addresses of the machine, or at those of the interfaces to publish on.
  ///   - txt: The TXT record of the service.
  ///   - conflictPolicy: What happens when another host has the name.
  ///   - interfaces: The interfaces to publish on.
  ///   - body: The closure, which for example calls ``FramedTransport/Listener/serve(_:)``.
  /// - Returns: The closure's result.
  /// - Throws: `DiscoveryError` if the service cannot be published, with code `invalidPort` for a listener without a port (at a
  ///   Unix-domain socket); or the closure's error.
  public func withPublishedService<Result>(
    named name: InstanceName, type: ServiceType, subtypes: Set<ServiceSubtype> = [], domain: DomainName = .local,
    listener: Listener, txt: TXTRecord = TXTRecord(), onConflict conflictPolicy: ConflictPolicy = .rename,
    interfaces: InterfaceSelection = .all, _ body: (PublishedService) async throws -> Result
  ) async throws -> Result {
    try await accepting(by: listener) {
      try await withPublishedService(
        named: name, type: type, subtypes: subtypes, domain: domain, port: listener.port, txt: txt, onConflict: conflictPolicy,
        interfaces: interfaces, body)
    }
  }

  /// Publishes several services while a closure runs, of which those with a listener's port are reached by relays, too.
  ///
  /// It is ``Bonjourish/Bonjour/withPublishedServices(_:interfaces:_:)`` with what
  /// ``withPublishedService(named:type:subtypes:domain:listener:txt:onConflict:interfaces:_:)`` adds to it.
  ///
  /// - Parameters:
  ///   - services: The services. Those of other ports, or of other hosts, are not relayed.
  ///   - listener: The listener, which stays open when this returns.
  ///   - interfaces: The interfaces to publish on.
  ///   - body: The closure. It gets the published services in the order of `services`.
  /// - Returns: The closure's result.
  /// - Throws: `DiscoveryError` if a service cannot be published, or the closure's error.
  public func withPublishedServices<Result>(
    _ services: [Service], listener: Listener, interfaces: InterfaceSelection = .all,
    _ body: ([PublishedService]) async throws -> Result
  ) async throws -> Result {
    try await accepting(by: listener) { try await withPublishedServices(services, interfaces: interfaces, body) }
  }

  /// Publishes a service at a listener's port until the handle is closed.
  ///
  /// It is ``withPublishedService(named:type:subtypes:domain:listener:txt:onConflict:interfaces:_:)`` for objects that live as long as a
  /// program; see there for the parameters and errors. Close the handle before the listener.
  ///
  /// - Returns: The published service, in a handle.
  /// - Throws: `DiscoveryError` if the service cannot be published, or with code `unavailable` after `Bonjour.close()`.
  public func openPublishedService(
    named name: InstanceName, type: ServiceType, subtypes: Set<ServiceSubtype> = [], domain: DomainName = .local,
    listener: Listener, txt: TXTRecord = TXTRecord(), onConflict conflictPolicy: ConflictPolicy = .rename,
    interfaces: InterfaceSelection = .all
  ) async throws(DiscoveryError) -> Handle<PublishedService> {
    try await openAccepting(by: listener, "the published service \"\(name)\"") { () throws(DiscoveryError) in
      try await openPublishedService(
        named: name, type: type, subtypes: subtypes, domain: domain, port: listener.port, txt: txt, onConflict: conflictPolicy,
        interfaces: interfaces)
    }
  }

  /// Publishes several services until the handle is closed, of which those with a listener's port are reached by relays, too.
  ///
  /// It is ``withPublishedServices(_:listener:interfaces:_:)`` for objects that live as long as a program; see there for the parameters
  /// and errors. Close the handle before the listener.
  ///
  /// - Returns: The published services in the order of `services`, in a handle.
  /// - Throws: `DiscoveryError` if a service cannot be published, or with code `unavailable` after `Bonjour.close()`.
  public func openPublishedServices(
    _ services: [Service], listener: Listener, interfaces: InterfaceSelection = .all
  ) async throws(DiscoveryError) -> Handle<[PublishedService]> {
    let names = services.map { "\"\($0.name)\"" }.joined(separator: ", ")
    return try await openAccepting(by: listener, "the published services \(names)") { () throws(DiscoveryError) in
      try await openPublishedServices(services, interfaces: interfaces)
    }
  }

  /// Has the relay, if there is one, bring connections to a listener while a closure runs.
  private func accepting<Result>(by listener: Listener, _ body: () async throws -> Result) async throws -> Result {
    guard let (relaying, id) = accept(by: listener) else { return try await body() }
    defer { relaying.end(id) }
    return try await body()
  }

  /// Has the relay, if there is one, bring connections to a listener until a handle is closed.
  private func openAccepting<Value>(
    by listener: Listener, _ name: String, _ open: () async throws(DiscoveryError) -> Handle<Value>
  ) async throws(DiscoveryError) -> Handle<Value> {
    guard let (relaying, id) = accept(by: listener) else { return try await open() }
    do throws(DiscoveryError) {
      let handle = try await open()
      return try await self.handle(handle.value, name) {
        await handle.close()
        relaying.end(id)
      }
    } catch {
      relaying.end(id)
      throw error
    }
  }

  private func accept(by listener: Listener) -> (relaying: any RelayingBackend, id: OperationID)? {
    guard let relaying = backend as? any RelayingBackend, listener.port != 0 else { return nil }
    let id = OperationID()
    relaying.acceptRelayed(atPort: listener.port, as: id) { relayed, refused in listener.accept(relayed, orElse: refused) }
    return (relaying, id)
  }
}
