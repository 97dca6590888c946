public import _BonjourishDiscovery

extension Bonjour {
  /// Publishes addresses under a host name for as long as a closure runs: a further name of this machine, or the name of a host
  /// that does not answer for itself.
  ///
  /// The name is probed for and defended (RFC 6762 §8, §9). No reverse pointers are published.
  ///
  /// - Parameters:
  ///   - name: The name of the host, such as `wiki.local`.
  ///   - addresses: The addresses, at least one.
  ///   - conflictPolicy: What happens when another host has the name with other addresses. With `rename`, `wiki-2.local` is tried
  ///     next.
  ///   - interfaces: The interfaces to publish on.
  ///   - body: The closure. It is called when the name is established, and the name is published while it runs.
  /// - Returns: The closure's result.
  /// - Throws: ``DiscoveryError`` when the name cannot be published (`invalidDomain`, `nameTaken`, `limitReached`, `refused`,
  ///   `timedOut`, `cancelled`), or the closure's error.
  public func withPublishedHost<Result>(
    named name: DomainName, addresses: [IPAddress], onConflict conflictPolicy: ConflictPolicy = .fail,
    interfaces: InterfaceSelection = .all, _ body: (PublishedHost) async throws -> Result
  ) async throws -> Result {
    let (host, end) = try await startPublishing(host: name, addresses, onConflict: conflictPolicy, on: interfaces)
    return try await scope(host, endingBy: end, body)
  }

  func startPublishing(
    host name: DomainName, _ addresses: [IPAddress], onConflict conflictPolicy: ConflictPolicy,
    on interfaces: InterfaceSelection
  ) async throws(DiscoveryError) -> (host: PublishedHost, end: @Sendable () async -> Void) {
    try checkIsOpen()
    let registration = try registration(ofHost: name, addresses: addresses, interfaces: interfaces, onConflict: conflictPolicy)
    let publisher = publisher(of: registration, requested: registration.name)
    return (PublishedHost(publisher), try await start([publisher]))
  }

  /// Publishes DNS records for as long as a closure runs.
  ///
  /// - Parameters:
  ///   - records: The records, at least one. If another host has records of a name that is to be unique, none is published.
  ///   - interfaces: The interfaces to publish on.
  ///   - body: The closure. It is called when the records are established, and they are published while it runs.
  /// - Returns: The closure's result.
  /// - Throws: ``DiscoveryError`` when the records cannot be published (`invalidRecord`, `invalidDomain`, `nameTaken`,
  ///   `limitReached`, `refused`, `timedOut`, `cancelled`), or the closure's error.
  public func withPublishedRecords<Result>(
    _ records: [CustomRecord], interfaces: InterfaceSelection = .all, _ body: (PublishedRecords) async throws -> Result
  ) async throws -> Result {
    let (records, end) = try await startPublishing(records, on: interfaces)
    return try await scope(records, endingBy: end, body)
  }

  func startPublishing(
    _ records: [CustomRecord], on interfaces: InterfaceSelection
  ) async throws(DiscoveryError) -> (records: PublishedRecords, end: @Sendable () async -> Void) {
    try checkIsOpen()
    guard let registration = Registration(records: records, interfaces: interfaces) else {
      throw DiscoveryError(.invalidRecord, "publishing records: there is none; give at least one")
    }
    let publisher = publisher(of: registration, requested: registration.name)
    return (PublishedRecords(publisher), try await start([publisher]))
  }
}

/// A published host name. ``Bonjour/withPublishedHost(named:addresses:onConflict:interfaces:_:)`` makes it.
public struct PublishedHost: Sendable {
  private let publisher: Publisher

  init(_ publisher: Publisher) {
    self.publisher = publisher
  }

  /// The current name: the requested one, or an alternative when another host has that name.
  public var name: DomainName {
    get async { await publisher.hostName }
  }

  /// The reason why the name cannot be found now; nil when it can.
  public var interruption: DiscoveryError? {
    get async { await publisher.interruption }
  }

  /// Where the name can be found now, and why not elsewhere.
  public var reach: Reach {
    get async { await publisher.reach.current }
  }

  /// Where the name can be found, at once and after each change.
  public var reachChanges: ReachChanges { ReachChanges(follower: publisher.reach) }

  /// The events of the name. A renaming tells first labels: `wiki` and `wiki-2`.
  public var events: ServiceEvents { ServiceEvents(publisher: publisher) }
}

/// Published records. ``Bonjour/withPublishedRecords(_:interfaces:_:)`` makes them.
public struct PublishedRecords: Sendable {
  private let publisher: Publisher

  init(_ publisher: Publisher) {
    self.publisher = publisher
  }

  /// The reason why the records cannot be found now; nil when they can.
  public var interruption: DiscoveryError? {
    get async { await publisher.interruption }
  }

  /// Where the records can be found now, and why not elsewhere.
  public var reach: Reach {
    get async { await publisher.reach.current }
  }

  /// Where the records can be found, at once and after each change.
  public var reachChanges: ReachChanges { ReachChanges(follower: publisher.reach) }

  /// The events of the records. They are never renamed; a conflict ends the sequence with an error.
  public var events: ServiceEvents { ServiceEvents(publisher: publisher) }
}
