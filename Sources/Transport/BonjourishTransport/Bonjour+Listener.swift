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
  ///     ``Bonjourish/Bonjour/withPublishedService(named:type:subtypes:domain:port:txt:interfaces:_:)``.
  ///   - type: The type of the service, such as `_http._tcp`.
  ///   - subtypes: The subtypes of the service, such as `_printer`.
  ///   - domain: The domain to publish in.
  ///   - listener: A listener at all addresses of the machine, or at those of the interfaces to publish on.
  ///   - txt: The TXT record of the service.
  ///   - interfaces: The interfaces to publish on.
  ///   - body: The closure, which for example calls ``FramedTransport/Listener/serve(_:)``.
  /// - Returns: The closure's result.
  /// - Throws: `DiscoveryError` if the service cannot be published, with code `invalidPort` for a listener without a port (at a
  ///   Unix-domain socket); or the closure's error.
  public func withPublishedService<Result>(
    named name: InstanceName, type: ServiceType, subtypes: Set<ServiceSubtype> = [], domain: DomainName = .local,
    listener: Listener, txt: TXTRecord = TXTRecord(), interfaces: InterfaceSelection = .all,
    _ body: (PublishedService) async throws -> Result
  ) async throws -> Result {
    try await accepting(by: listener) {
      try await withPublishedService(
        named: name, type: type, subtypes: subtypes, domain: domain, port: listener.port, txt: txt, interfaces: interfaces, body
      )
    }
  }

  /// Publishes several services while a closure runs, of which those with a listener's port are reached by relays, too.
  ///
  /// It is ``Bonjourish/Bonjour/withPublishedServices(_:interfaces:_:)`` with what
  /// ``withPublishedService(named:type:subtypes:domain:listener:txt:interfaces:_:)`` adds to it.
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

  /// Has the relay, if there is one, bring connections to a listener while a closure runs.
  private func accepting<Result>(by listener: Listener, _ body: () async throws -> Result) async throws -> Result {
    guard let relaying = backend as? any RelayingBackend, listener.port != 0 else { return try await body() }
    let id = OperationID()
    relaying.acceptRelayed(atPort: listener.port, as: id) { relayed, refused in listener.accept(relayed, orElse: refused) }
    defer { relaying.end(id) }
    return try await body()
  }
}
