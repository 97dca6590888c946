/// A published service.
///
/// ``Bonjour/withPublishedService(named:type:subtypes:domain:port:txt:onConflict:interfaces:_:)`` and
/// ``Bonjour/withPublishedServices(_:interfaces:_:)`` make it.
public struct PublishedService: Sendable {
  private let publisher: Publisher

  init(_ publisher: Publisher) {
    self.publisher = publisher
  }

  /// The current name of the service: the requested one, or an alternative when another host has that name.
  public var name: InstanceName {
    get async { await publisher.name }
  }

  /// The current identity of the service: ``name``, type and domain.
  public var instance: ServiceInstance {
    get async {
      guard let instance = await publisher.instance else { preconditionFailure("a published service must be a service") }
      return instance
    }
  }

  /// The reason why new browsers cannot find the service now; nil when they can.
  public var interruption: DiscoveryError? {
    get async { await publisher.interruption }
  }

  /// Where the service can be found now, and why not elsewhere.
  public var reach: Reach {
    get async { await publisher.reach.current }
  }

  /// Where the service can be found, at once and after each change.
  public var reachChanges: ReachChanges { ReachChanges(follower: publisher.reach) }

  /// Replaces the service's TXT record.
  ///
  /// The built-in engine announces at most ten changes in a minute (RFC 6762 §8.4): five may follow each other at once, the others
  /// are announced every twelve seconds. The last one is always announced.
  ///
  /// - Parameter txt: The whole new record.
  /// - Throws: ``DiscoveryError`` when publishing has failed, or the record is too large (`invalidTXTRecord`).
  public func update(txt: TXTRecord) async throws(DiscoveryError) {
    try await publisher.update(txt)
  }

  /// Gives the service another name.
  ///
  /// The new name is established first, while the service keeps the former one. Then the former name is withdrawn with a goodbye,
  /// and this method returns. ``ServiceEvent/renamed(from:to:)`` reports it. If another host has the new name, the
  /// ``ConflictPolicy`` of the service applies: it gets an alternative to the new name, or this method throws.
  ///
  /// - Parameter name: The new name. If it differs from the current one in the case of ASCII letters only, the service is
  ///   withdrawn for a moment.
  /// - Throws: ``DiscoveryError``. The service then keeps its former name: `nameTaken`; `unavailable` or `noNetwork` when the
  ///   engine or the network was away for five seconds; `refused` while another renaming is in progress; `cancelled`; or the error
  ///   with which publishing has failed.
  public func rename(to name: InstanceName) async throws(DiscoveryError) {
    try await publisher.rename(to: name)
  }

  /// The events of the service.
  ///
  /// The first events report a name that was already taken, and an interruption that has not ended.
  /// A slow consumer gets fewer events: successive renames are merged; an interruption that has ended is dropped.
  public var events: ServiceEvents { ServiceEvents(publisher: publisher) }
}

/// The events of a ``PublishedService``, a ``PublishedHost`` or ``PublishedRecords``, as an asynchronous sequence.
///
/// The sequence ends with the service's scope, and when the task is cancelled. It throws a ``DiscoveryError`` when publishing
/// has failed.
public struct ServiceEvents: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = ServiceEvent
  /// The reason why publishing has failed.
  public typealias Failure = DiscoveryError

  let publisher: Publisher

  /// Makes an iterator that begins with a rename and an interruption that still apply.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: Subscription(to: publisher)) }

  /// One iteration over the events.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: Subscription<Publisher>

    /// Waits for the next event; nil after the last one, and when the task is cancelled.
    public mutating func next() async throws(DiscoveryError) -> ServiceEvent? {
      try await subscription.source.nextEvent(for: subscription.id)
    }

    /// Waits for the next event; nil after the last one, and when the task is cancelled.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws(DiscoveryError)
      -> ServiceEvent?
    {
      try await next()
    }
  }
}
