package import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces
package import _BonjourishMulticastDNS

/// The engine's own questions and registrations, for those who tell results of each interface and family apart, as a daemon does.
///
/// Handlers are called on the loop. Links have the kernel's index of the interface.
extension MulticastBackend {
  /// An event of a question.
  package enum RecordEvent: Hashable, Sendable {
    /// - Parameter isOwn: Whether this process publishes the record.
    case added(DNSRecord, MulticastLink, isOwn: Bool)
    case removed(DNSRecord, MulticastLink)
    /// The answers that were known already have been told.
    case cacheExhausted
    /// All hosts that answer at once have answered.
    case settled
  }

  /// Follows the records of a name and type, on each link, until ``end(_:)``. A record may be told again when another host has sent
  /// the same.
  package nonisolated func ask(
    _ name: DNSName, _ type: DNSType, on interfaces: InterfaceSelection, as id: OperationID,
    _ handler: @escaping @Sendable (RecordEvent) -> Void
  ) {
    perform { backend in
      let number = MulticastEngine.QueryID(backend.nextNumber())
      backend.operations[id] = .ask(number, interfaces, handler)
      backend.queries[number] = id
      backend.use(interfaces)
      backend.handle(.ask(number, name, type, in: backend.scopes[interfaces]?.id))
    }
  }

  /// Publishes records until ``end(_:)`` or a conflict with another host. Their names may be the host's, and those of others that are
  /// published like this: whoever publishes them has made sure that they agree.
  package nonisolated func publish(
    _ records: [PublishedRecord], on interfaces: InterfaceSelection, as id: OperationID,
    _ handler: @escaping @Sendable (MulticastEngine.RegistrationChange) -> Void
  ) {
    perform { backend in
      let number = backend.newRegistration(for: id)
      let needsHost = records.contains { if case .serviceOfThisHost = $0.content { true } else { false } }
      backend.operations[id] = .records(number, interfaces, needsHost: needsHost, handler)
      backend.use(interfaces, forHost: needsHost)
      if needsHost { backend.claimHostName() }
      backend.register(records, as: number, on: interfaces, sharingNames: true)
    }
  }

  /// Replaces published records. Does nothing when the operation has ended, or is not one of records.
  package nonisolated func update(_ records: [PublishedRecord], of id: OperationID) {
    perform { backend in
      guard case .records(let number, _, _, _) = backend.operations[id] else { return }
      backend.update(number, to: records)
    }
  }

  /// Publishes the addresses of this host, on some interfaces, until ``end(_:)``.
  ///
  /// - Parameters:
  ///   - name: The host's name; nil for the machine's, whose changes are followed.
  ///   - hasAddresses: False if the host is to have a name alone, which services point to.
  ///   - handler: Called with each change of the host's name.
  package nonisolated func publishHost(
    on interfaces: InterfaceSelection, named name: DNSName?, withAddresses hasAddresses: Bool, as id: OperationID,
    _ handler: @escaping @Sendable (MulticastEngine.HostNameChange) -> Void
  ) {
    perform { backend in
      backend.operations[id] = .host(interfaces, handler)
      backend.hasHostAddresses = hasAddresses
      backend.use(interfaces, forHost: true)
      guard let name else { return backend.claimHostName() }
      backend.hasHostName = true
      backend.setHostName(to: name)
    }
  }

  /// Replaces the name of this host, which no longer follows the machine's.
  package nonisolated func setHostName(_ name: DNSName) {
    perform { backend in
      backend.hasHostName = true
      backend.hostNameMonitor?.stop()
      backend.hostNameMonitor = nil
      backend.setHostName(to: name)
    }
  }

  package func remainingLifetimes(of name: DomainName) -> [ResourceRecord.ID: Duration] {
    guard let name = try? DNSName(name.text) else { return [:] }
    var lifetimes: [ResourceRecord.ID: Duration] = [:]
    for (record, link, left) in engine.remainingLifetimes(of: name, at: now) {
      guard let local = links[link],
        let record = ResourceRecord(
          record, on: Link(NetworkInterface(index: local.index, name: local.name), link.family))
      else { continue }
      lifetimes[record.id] = left
    }
    return lifetimes
  }

  func tell(_ id: OperationID, _ change: MulticastEngine.AnswerChange, _ handler: (RecordEvent) -> Void) {
    guard let local = links[change.link] else { return }
    let link = MulticastLink(interface: local.index, family: change.link.family)
    switch change {
    case .added(let record, let own): handler(.added(record, link, isOwn: engine.isOwn(record, on: own)))
    case .removed(let record, _): handler(.removed(record, link))
    case .leaving, .suspect, .confirmed: return
    }
  }

  func tellHost(_ change: MulticastEngine.HostNameChange) {
    for case .host(_, let handler) in operations.values { handler(change) }
  }
}
