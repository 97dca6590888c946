public import Bonjourish
public import FramedTransport

extension Listener {
  /// Listens where a service is published on some interfaces: at their present addresses.
  ///
  /// ```swift
  /// let listener = try await Listener.bind(interfaces: "eth*")
  /// try await bonjour.withPublishedService(named: "Ada", type: "_twentyfour._tcp", listener: listener, interfaces: "eth*") { _ in
  ///   await listener.serve { connection in print(connection.peer) }
  /// }
  /// ```
  ///
  /// Nobody connects through another network then, unless this machine routes between them. An interface that comes later, or gets another
  /// address, is not listened at: bind again then. With `InterfaceSelection.all` it listens at all addresses of the machine,
  /// including later ones, as `bind(port:)` does.
  ///
  /// - Parameters:
  ///   - port: The port; with 0 the system chooses one that is free at all of the addresses.
  ///   - interfaces: The interfaces and address families.
  ///   - format: The format of the frames.
  ///   - limits: The limits of each connection.
  ///   - pending: The limits for pending connections, and how they are admitted.
  ///   - security: The protection of the connections.
  ///   - loops: The loops that serve the connections.
  ///   - log: The handler of log messages; `nil` for none. Called on any thread. It must not block.
  /// - Throws: `addressInUse`; `unavailable` if none of the interfaces exists or has an address; `notPermitted` for ports below 1024;
  ///   `outOfResources`.
  public static func bind(
    port: UInt16 = 0, interfaces: InterfaceSelection, format: FrameFormat = .standard, limits: TransportLimits = .standard,
    pending: PendingConnectionLimits = .standard, security: ListenerSecurity = .plaintext, on loops: TransportLoops = .perCore,
    log: (@Sendable (LogMessage) -> Void)? = nil
  ) async throws(TransportError) -> Listener {
    let addresses = interfaces.listeningAddresses(port: port, own: IPAddress.publishedByThisMachine)
    guard !addresses.isEmpty else {
      throw TransportError(
        .unavailable,
        "Listening at the interfaces \(interfaces) failed: none of them exists or has an address; list interfaces with `ip address`"
      )
    }
    return try await bind(
      toEach: addresses, format: format, limits: limits, pending: pending, security: security, on: loops, log: log)
  }
}

extension InterfaceSelection {
  /// The addresses that a listener binds to.
  ///
  /// - Parameters:
  ///   - port: The port.
  ///   - own: The addresses of this machine on some interfaces.
  func listeningAddresses(port: UInt16, own: (InterfaceSelection) -> [IPAddress]) -> [SocketAddress] {
    guard included.isEmpty, excluded.isEmpty else {
      return own(self).compactMap { SocketAddress(bytes: $0.bytes, port: port, zone: $0.zone) }
    }
    let wildcards: [(family: IPAddress.Family, host: String)] = [(.ipv6, "::"), (.ipv4, "0.0.0.0")]
    return wildcards.filter { families.isEmpty || families.contains($0.family) }.compactMap {
      SocketAddress(numericHost: $0.host, port: port)
    }
  }
}
