package import FramedTransport
package import _BonjourishDiscovery

/// A backend of discovery that can also carry connections, between programs that do not reach each other.
package protocol RelayingBackend: DiscoveryBackend {
  /// Lets others connect by the relay to the services that this program publishes with a port, until the operation is ended.
  ///
  /// - Parameters:
  ///   - port: The port of the services.
  ///   - accept: Called with each connection on any thread; it takes it, or calls the closure with which it is refused.
  func acceptRelayed(
    atPort port: UInt16, as id: OperationID,
    _ accept: @escaping @Sendable (RelayedStream, _ refused: @escaping @Sendable () -> Void) -> Void)

  /// Connects to a service by the relay.
  ///
  /// - Parameters:
  ///   - instance: The service.
  ///   - interfaces: What to use. The directory must not be left out.
  ///   - limit: The longest time.
  ///   - transportLoop: The loop of the stream.
  /// - Throws: `unreachable` if the service is not known to the directory, its host accepts no relayed connections, or the directory
  ///   is away; `refused` if nobody accepts; `timedOut` at the limit; `cancelled`.
  func dial(
    _ instance: ServiceInstance, interfaces: InterfaceSelection, within limit: Duration, on transportLoop: TransportLoop
  ) async throws(TransportError) -> RelayedService
}

/// A stream to a service, and the name that the service's host has where it was found.
package struct RelayedService: Sendable {
  package let host: DomainName
  package let stream: RelayedStream

  package init(host: DomainName, stream: RelayedStream) {
    self.host = host
    self.stream = stream
  }
}
