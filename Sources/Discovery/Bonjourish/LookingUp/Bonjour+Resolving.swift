import _BonjourishDiscovery
import _BonjourishEventLoop

extension Bonjour {
  /// Finds the host, port, addresses and TXT record of an instance.
  ///
  /// - Parameters:
  ///   - instance: The instance to resolve. A browser need not have found it.
  ///   - interfaces: The interfaces to ask on.
  ///   - limit: The longest time to wait.
  /// - Returns: The endpoint, with the known addresses of the host.
  /// - Throws: ``DiscoveryError`` with code `timedOut` when no host answers in time, `noNetwork` when the network cannot be
  ///   reached, `unavailable` when the daemon is away at the end of the limit, `cancelled`, `limitReached`, `refused`, or
  ///   `invalidDomain` for a domain outside multicast DNS.
  public func resolve(
    _ instance: ServiceInstance, interfaces: InterfaceSelection = .all, within limit: Duration = .seconds(5)
  ) async throws(DiscoveryError) -> Endpoint {
    try await resolve(
      instance, interfaces: interfaces, within: limit, waitingForFamilies: ResolverState.Limits().addressTimeout)
  }

  /// The same, with a time to wait for the addresses of the other family after the first address.
  ///
  /// - Parameter timeout: That time. Where all hosts have answered that do so at once, there is nothing to wait for.
  package func resolve(
    _ instance: ServiceInstance, interfaces: InterfaceSelection = .all, within limit: Duration,
    waitingForFamilies timeout: Duration
  ) async throws(DiscoveryError) -> Endpoint {
    try checkIsOpen()
    let resolution = Resolution(
      of: instance, interfaces: interfaces, backend: backend, filter: filter, time: time, waitingForFamilies: timeout)
    let deadline = time.now() + limit
    let outcome = try await once(endingBy: { await resolution.stop() }) { () throws(DiscoveryError) in
      await resolution.run(until: deadline)
    }
    switch outcome {
    case .resolved(let endpoint): return endpoint
    case .cancelled: throw DiscoveryError(.cancelled, "resolving \"\(instance)\" was cancelled")
    case .failed(let error): throw error
    case .outOfReach(let error):
      throw DiscoveryError(
        error.code == .noNetwork ? .noNetwork : .unavailable,
        "resolving \"\(instance)\": discovery was still unavailable after \(limit); \(error.message)", because: error)
    case .timedOut(let refused) where !refused.isEmpty:
      let addresses = refused.map(\.description).joined(separator: ", ")
      throw DiscoveryError(
        .timedOut,
        "resolving \"\(instance)\": its host answers, but there is no way to its addresses (\(addresses)) through the interface "
          + "of the answer; if a reflector tells of it here, a router must lead there; else see who answers: bonjourish query")
    case .timedOut:
      if let reason = self.limit.reason {
        throw DiscoveryError(
          .noNetwork, "resolving \"\(instance)\": no program of this machine answered within \(limit), and \(reason.message)")
      }
      throw DiscoveryError(
        .timedOut,
        "resolving \"\(instance)\": no host answered within \(limit); the service may be gone, or the name may be wrong: "
          + "browse \(instance.type) to list the services")
    }
  }

  /// Resolves an instance, and follows its endpoint for as long as a closure runs.
  ///
  /// ```swift
  /// try await bonjour.withResolution(of: instance) { resolution in
  ///   for try await change in resolution.changes {
  ///     if case .resolved(let endpoint) = change { print(endpoint.port) }
  ///   }
  /// }
  /// ```
  ///
  /// An endpoint whose records have expired or were withdrawn is lost when no host answers for five seconds. When this function
  /// returns or throws, resolving has ended.
  ///
  /// - Parameters:
  ///   - instance: The instance to resolve. A browser need not have found it.
  ///   - interfaces: The interfaces to ask on.
  ///   - body: The closure. The endpoint is followed while it runs.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  public func withResolution<Result>(
    of instance: ServiceInstance, interfaces: InterfaceSelection = .all, _ body: (ServiceResolution) async throws -> Result
  ) async throws -> Result {
    let resolution = try await startResolution(of: instance, interfaces)
    return try await scope(ServiceResolution(resolution), endingBy: { await resolution.stop() }, body)
  }

  /// Resolves an instance, and follows its endpoint until the handle is closed.
  ///
  /// It is ``withResolution(of:interfaces:_:)`` for objects that live as long as a program; see there for the parameters.
  ///
  /// - Returns: The resolution, in a handle.
  /// - Throws: ``DiscoveryError`` with code `unavailable` after ``close()``. Other errors are thrown by the resolution's sequence.
  public func openResolution(
    of instance: ServiceInstance, interfaces: InterfaceSelection = .all
  ) async throws(DiscoveryError) -> Handle<ServiceResolution> {
    let resolution = try await startResolution(of: instance, interfaces)
    return try await handle(ServiceResolution(resolution), "the resolution of \"\(instance)\"") { await resolution.stop() }
  }

  private func startResolution(
    of instance: ServiceInstance, _ interfaces: InterfaceSelection
  ) async throws(DiscoveryError) -> Resolution {
    try checkIsOpen()
    let resolution = Resolution(
      of: instance, interfaces: interfaces, backend: backend, filter: filter, time: time, counting: own.deliveries)
    await resolution.start()
    return resolution
  }
}
