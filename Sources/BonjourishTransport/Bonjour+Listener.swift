public import Bonjourish
public import FramedTransport

extension Bonjour {
  /// Publishes a service at a listener's port while a closure runs.
  ///
  /// The listener stays open when this returns. Close it only then, so that no service is published at a closed port.
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
    try await withPublishedService(
      named: name, type: type, subtypes: subtypes, domain: domain, port: listener.port, txt: txt, interfaces: interfaces, body)
  }
}
