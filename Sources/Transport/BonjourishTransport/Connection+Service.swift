public import Bonjourish
public import FramedTransport
import _BonjourishEventLoop

extension Connection {
  /// Connects to the first address of a resolved service that answers (RFC 8305).
  ///
  /// An endpoint can become outdated. To connect to a service that was found some time ago, use its name:
  /// ``connect(to:using:interfaces:stayingOn:format:limits:security:within:on:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint, from a browser or a resolver.
  ///   - format: The format of the frames, the same in both directions.
  ///   - limits: The limits of the connection.
  ///   - security: The protection of the connection.
  ///   - limit: The longest time for all attempts together.
  ///   - loops: The loops to choose from.
  /// - Throws: What `connect(to:format:limits:security:within:on:log:)` for addresses throws.
  public static func connect(
    to endpoint: Endpoint, format: FrameFormat = .standard, limits: TransportLimits = .peer,
    security: ConnectionSecurity = .plaintext, within limit: Duration = .seconds(10), on loops: TransportLoops = .one
  ) async throws(TransportError) -> Connection {
    try await connect(
      to: endpoint.socketAddresses, isBudgeted: true, format: format, limits: limits, security: security, within: limit,
      on: loops)
  }

  /// Resolves a service by its name, and connects to the first of its addresses that answers.
  ///
  /// A known service may no longer exist: the records of one that vanished without a goodbye stay in caches for up to 75 minutes.
  /// So if no address answers, discovery checks the service again, and browsers remove it within ten seconds if it is gone
  /// (RFC 6762 §10.4, ``Bonjourish/Bonjour/reconfirm(_:interfaces:)``).
  ///
  /// If the service is published in a directory that relays (the module `BonjourishDirectory`), and no address has answered after a second, or
  /// none can be reached, the relay is tried too. What is established first is used; ``FramedTransport/Connection/isRelayed`` tells
  /// which it is.
  ///
  /// - Parameters:
  ///   - instance: The service. A browser need not have found it.
  ///   - bonjour: The discovery to resolve it with. Its log gets the attempts to connect, too.
  ///   - interfaces: The interfaces to ask on.
  ///   - host: The host where the service was found first, to which it must stay; nil to follow it anywhere.
  ///   - format: The format of the frames, the same in both directions.
  ///   - limits: The limits of the connection.
  ///   - security: The protection of the connection.
  ///   - limit: The longest time for everything. If resolving takes most of it, connecting still has a second.
  ///   - loops: The loops to choose from.
  /// - Throws: ``ServiceConnectionError`` with code `unresolved` if the service does not resolve to an address, `unreachable` if
  ///   no connection can be made, `moved` if the service is on another host than `host`, or `cancelled`.
  public static func connect(
    to instance: ServiceInstance, using bonjour: Bonjour, interfaces: InterfaceSelection = .all,
    stayingOn host: ServiceHost? = nil,
    format: FrameFormat = .standard, limits: TransportLimits = .peer,
    security: ConnectionSecurity = .plaintext, within limit: Duration = .seconds(5),
    on loops: TransportLoops = .one
  ) async throws(ServiceConnectionError) -> Connection {
    let direct: @Sendable () async throws(ServiceConnectionError) -> Connection = { () throws(ServiceConnectionError) in
      try await bonjour.reach(instance, interfaces: interfaces, stayingOn: host, security: security, within: limit) {
        (endpoint, addresses, limit) throws(TransportError) in
        let connection = try await connect(
          to: addresses, isBudgeted: true, format: format, limits: limits, security: security, within: limit, on: loops,
          log: bonjour.log)
        host?.note(endpoint.host, connection.peer)
        return connection
      }
    }
    guard let relaying = bonjour.backend as? any RelayingBackend else { return try await direct() }
    return try await ServiceRace(instance, within: limit).run(directly: direct) { (limit) throws(TransportError) in
      let transportLoop = try loops.chosen()
      let start = ContinuousClock.now
      let service = try await relaying.dial(instance, interfaces: interfaces, within: limit, on: transportLoop)
      let stream = service.stream
      guard host?.admits(service.host, stream.peer, security) ?? true else {
        // Made only to be closed.
        transportLoop.loop.execute { stream.make(transportLoop).reset() }
        throw TransportError(.unreachable, "It is now offered by another host, \(service.host); nothing was sent there")
      }
      let connection = try await connect(
        over: stream, format: format, limits: limits, security: security,
        within: max(.seconds(1), limit - (ContinuousClock.now - start)), on: transportLoop)
      host?.note(service.host, connection.peer)
      return connection
    }
  }
}

extension ConnectedSocket {
  /// Resolves a service by its name, connects to the first of its addresses that answers, and returns the socket.
  ///
  /// If no address answers, discovery checks the service again, as with
  /// ``FramedTransport/Connection/connect(to:using:interfaces:stayingOn:format:limits:security:within:on:)``.
  ///
  /// - Parameters:
  ///   - instance: The service. A browser need not have found it.
  ///   - bonjour: The discovery to resolve it with.
  ///   - interfaces: The interfaces to ask on.
  ///   - limit: The longest time for everything. If resolving takes most of it, connecting still has a second.
  /// - Returns: A socket that the caller owns. It does not block, and is closed on `exec`.
  /// - Throws: ``ServiceConnectionError`` with code `unresolved`, `unreachable` or `cancelled`.
  public static func connect(
    to instance: ServiceInstance, using bonjour: Bonjour, interfaces: InterfaceSelection = .all,
    within limit: Duration = .seconds(5)
  ) async throws(ServiceConnectionError) -> ConnectedSocket {
    try await bonjour.reach(instance, interfaces: interfaces, within: limit) { (_, addresses, limit) throws(TransportError) in
      try await connect(to: addresses, isBudgeted: true, within: limit)
    }
  }
}

extension Reconnections {
  /// Creates a sequence of connections with a service, which is resolved by its name for each attempt.
  ///
  /// ``FramedTransport/ReconnectionEvent/failed(_:)`` has the code `unresolved` if the service does not resolve to an address,
  /// otherwise the code of the connection's failure, such as `refused`.
  ///
  /// - Parameters:
  ///   - instance: The service. It need not exist yet.
  ///   - bonjour: The discovery to resolve it with.
  ///   - interfaces: The interfaces to ask on.
  ///   - format: The format of the frames, the same in both directions.
  ///   - limits: The limits of each connection.
  ///   - security: The protection of each connection.
  ///   - limit: The longest time for an attempt, resolving included. If resolving takes most of it, connecting still has a
  ///     second.
  ///   - policy: The policy for connecting again.
  ///   - host: The host where the service was found first, to which it must stay; nil to follow it anywhere. A service on another
  ///     host is a failed attempt.
  ///   - events: Called with each event, in order, on the iterating task.
  ///   - retry: Decides whether an attempt may follow an error, if the policy permits one. By default permanent errors, such as a
  ///     wrong passcode, end the sequence.
  public init(
    to instance: ServiceInstance, using bonjour: Bonjour, interfaces: InterfaceSelection = .all,
    stayingOn host: ServiceHost? = nil,
    format: FrameFormat = .standard, limits: TransportLimits = .peer,
    security: ConnectionSecurity = .plaintext, within limit: Duration = .seconds(5),
    policy: ReconnectionPolicy = .standard, events: @escaping @Sendable (ReconnectionEvent) -> Void = { _ in },
    retry: @escaping @Sendable (TransportError) -> Bool = { !$0.isPermanent }
  ) {
    self.init(
      policy: policy,
      connectingBy: {
        try await Connection.connect(
          to: instance, using: bonjour, interfaces: interfaces, stayingOn: host, format: format, limits: limits,
          security: security, within: limit)
      }, events: events, retry: retry)
  }
}

extension Bonjour {
  /// Resolves an instance, and calls a closure with its endpoint, the addresses to try and the time left for connecting.
  fileprivate func reach<Reached: ~Copyable>(
    _ instance: ServiceInstance, interfaces: InterfaceSelection, stayingOn host: ServiceHost? = nil,
    security: ConnectionSecurity = .plaintext, within limit: Duration,
    _ connect: (Endpoint, [SocketAddress], Duration) async throws(TransportError) -> Reached
  ) async throws(ServiceConnectionError) -> Reached {
    let start = ContinuousClock.now
    let endpoint: Endpoint
    do throws(DiscoveryError) {
      endpoint = try await resolve(instance, interfaces: interfaces, within: limit)
    } catch {
      throw ServiceConnectionError(instance, .discovery(error))
    }
    let all = endpoint.socketAddresses
    guard let addresses = host.map({ $0.addresses(of: endpoint, security) }) ?? all else {
      throw ServiceConnectionError(instance, movedFrom: host?.name, to: endpoint.host)
    }
    do throws(TransportError) {
      return try await connect(endpoint, addresses, max(.seconds(1), limit - (ContinuousClock.now - start)))
    } catch {
      let error = ServiceConnectionError(instance, .transport(error))
      // That it was not tried says nothing about the service.
      if error.code == .unreachable, error.transportError.code != .throttled { reconfirm(instance, interfaces: interfaces) }
      throw error
    }
  }
}
