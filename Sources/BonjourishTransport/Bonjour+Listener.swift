public import Bonjourish
public import FramedTransport

extension Bonjour {
  /// Publishes a service at the port where a listener listens, for as long as a closure runs.
  ///
  /// The listener goes on when this returns; close it, or let its scope end, afterwards, so that nobody is told of a port where
  /// nobody listens.
  ///
  /// - Parameters:
  ///   - name: The name to go by, as for
  ///     ``Bonjour/withPublishedService(named:type:domain:port:txt:interface:_:)``.
  ///   - type: What the service is, such as `_http._tcp`.
  ///   - domain: Where to publish.
  ///   - listener: Where the service listens: at all addresses of the machine, or at those of `interface`.
  ///   - txt: What the service says of itself.
  ///   - interface: The only interface to publish on; nil for all.
  ///   - body: What to do meanwhile, such as to ``Listener/serve(_:)``.
  /// - Returns: What the closure returns.
  /// - Throws: ``DiscoveryError`` when the service cannot be published, with code `invalidPort` for a listener without a port (at
  ///   a Unix-domain socket); or what the closure throws.
  public func withPublishedService<Result>(
    named name: InstanceName, type: ServiceType, domain: DomainName = .local, listener: Listener,
    txt: TXTRecord = TXTRecord(), interface: NetworkInterface? = nil, _ body: (PublishedService) async throws -> Result
  ) async throws -> Result {
    try await withPublishedService(
      named: name, type: type, domain: domain, port: listener.port, txt: txt, interface: interface, body)
  }
}
