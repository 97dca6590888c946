import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces

/// What the operations use: watches, readers, and publications with their addresses.
extension DirectoryBackend {
  func refusal(of action: String, _ domain: DomainName, _ interfaces: InterfaceSelection) -> DiscoveryError? {
    guard domain == .local else {
      return DiscoveryError(.invalidDomain, "\(action) in \(domain): a directory shows its services in the domain local")
    }
    guard interfaces.usesDirectory else {
      return DiscoveryError(.noSuchInterface, "\(action): the directory is not among what is used (\(interfaces))")
    }
    return nil
  }

  /// Notes how an operation fails if the directory refuses before its first answer.
  ///
  /// - Returns: False if it has refused, and the operation has failed.
  func admit(_ id: OperationID, _ fail: @escaping (DiscoveryError) -> Void) -> Bool {
    if let refusal {
      fail(refusal)
      return false
    }
    if isAlone, !wasOnline { beginnings[id] = fail }
    return true
  }

  /// The watch of a type, which is made at the first use.
  func watch(_ type: ServiceType) -> DirectoryWatch {
    if let watch = watches[type] { return watch }
    lastWatch += 1
    let watch = DirectoryWatch(
      type, number: lastWatch, settings, on: loop, limits: limits,
      missing: { [weak self] in self?.assumeIsolated { $0.run($0.preparation.missing(at: .now)) } },
      full: { [weak self] in self?.assumeIsolated { $0.run($0.preparation.raiseLimitOfWatches(at: .now)) } })
    watches[type] = watch
    join(watch)
    return watch
  }

  /// What reads a key that no watch covers, which is made at the first use.
  func reader(of key: DirectoryKey) -> DirectoryReader {
    if let reader = readers[key] { return reader }
    let reader = DirectoryReader(key, settings, on: loop) { [weak self] in
      self?.assumeIsolated { $0.run($0.preparation.missing(at: .now)) }
    }
    readers[key] = reader
    join(reader)
    return reader
  }

  func begin(
    _ registration: Registration, as id: OperationID, _ handler: @escaping (RegistrationEvent) -> Void
  ) {
    if let error = refusal(of: registration.action, registration.domain, registration.interfaces) {
      return handler(.failed(error))
    }
    switch registration.content {
    case .records:
      handler(.failed(DiscoveryError(.refused, "\(registration.action): a directory holds services only")))
    case .host(let addresses):
      if let name = registration.hostName { hosts[id] = (name, addresses) }
      handler(.established(registration.name))
      refreshPublications()
    case .service:
      guard admit(id, { error in handler(.failed(error)) }) else { return }
      followAddresses()
      // Alone, it ends what is published.
      let denied: ((DiscoveryError) -> Void)? = if isAlone { nil } else { self.denied }
      let publication = DirectoryPublication(
        registration, settings, on: loop,
        addresses: { [weak self] registration in self?.assumeIsolated { $0.addresses(of: registration) } ?? [] },
        relay: { [weak self] registration in self?.assumeIsolated { $0.relay(of: registration) } },
        missing: { [weak self] in self?.assumeIsolated { $0.run($0.preparation.missing(at: .now)) } }, denied: denied, handler)
      publications[id] = publication
      updateAcceptor(of: publication)
      join(publication)
    }
  }

  func addresses(of registration: Registration) -> [IPAddress] {
    guard let host = registration.service?.host else {
      var addresses = settings.addresses
      for own in currentAddresses() where !addresses.contains(own) { addresses.append(own) }
      return addresses.filter { $0.leadsElsewhere(allowsLoopback: settings.allowsLoopback) }
    }
    return hosts.values.first { $0.name == host }?.addresses
      .filter { $0.leadsElsewhere(allowsLoopback: settings.allowsLoopback) } ?? []
  }

  /// Where services of this machine can be reached: asked for once until the network changes, if that is noticed.
  private func currentAddresses() -> [IPAddress] {
    if let knownAddresses { return knownAddresses }
    let addresses = ownAddresses()
    if monitor != nil { knownAddresses = addresses }
    return addresses
  }

  private func addressesChanged() {
    knownAddresses = nil
    refreshPublications()
  }

  /// Ends a publication, and keeps it until it is known what is to be removed.
  func leave(_ publication: DirectoryPublication) {
    hub?.shut(publication.owner)
    publication.stop()
    _ = loop.schedule(after: Claim.timeout * 2) { _ = publication }
  }

  func refreshPublications() {
    for publication in publications.values { publication.refresh() }
  }

  /// Follows the addresses of this machine from the first publication.
  func followAddresses() {
    guard monitor == nil, !isClosed, let monitor = try? InterfaceMonitor() else { return }
    do throws(SystemError) {
      try monitor.start(
        on: loop, changed: { [weak self] in self?.assumeIsolated { $0.addressesChanged() } },
        failed: { [weak self] _ in self?.assumeIsolated { $0.stopFollowingAddresses() } })
      self.monitor = monitor
    } catch {
      log(LogMessage(.warning, "changes of the network cannot be noticed: \(error)", ["error": "\(error)"]))
    }
  }

  private func stopFollowingAddresses() {
    monitor = nil
    knownAddresses = nil
  }
}
