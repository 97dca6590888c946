/// A service that is published; made by
/// ``Bonjour/withPublishedService(named:type:subtypes:domain:port:txt:interface:_:)``.
public struct PublishedService: Sendable {
  private let publisher: Publisher

  init(_ publisher: Publisher) {
    self.publisher = publisher
  }

  /// The name that the service goes by at present: the one asked for, or an alternative when another host has that.
  public var name: InstanceName {
    get async { await publisher.name }
  }

  /// Why nobody new can find the service at present; nil when it can be found.
  public var interruption: DiscoveryError? {
    get async { await publisher.interruption }
  }

  /// Says something else from now on.
  ///
  /// - Parameter txt: The whole record; it replaces the one before.
  /// - Throws: ``DiscoveryError`` when the service cannot be published any more.
  public func update(txt: TXTRecord) async throws(DiscoveryError) {
    try await publisher.update(txt)
  }

  /// What happens to the service, beginning with a renaming that was necessary at first, and an interruption that lasts.
  ///
  /// Whoever is slow gets fewer events: of renamings the outcome, of an interruption that is over nothing.
  public var events: ServiceEvents { ServiceEvents(publisher: publisher) }
}

/// The events of a ``PublishedService``. The sequence ends with the service's scope, and when the task is cancelled.
///
/// It throws a ``DiscoveryError`` when the service cannot be published any more.
public struct ServiceEvents: AsyncSequence, Sendable {
  public typealias Element = ServiceEvent
  public typealias Failure = DiscoveryError

  let publisher: Publisher

  public func makeAsyncIterator() -> Iterator { Iterator(subscription: PublisherSubscription(to: publisher)) }

  public struct Iterator: AsyncIteratorProtocol {
    let subscription: PublisherSubscription

    public mutating func next() async throws(DiscoveryError) -> ServiceEvent? {
      try await subscription.publisher.nextEvent(for: subscription.id)
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(DiscoveryError) -> ServiceEvent? {
      try await subscription.publisher.nextEvent(for: subscription.id)
    }
  }
}

/// One iteration's place at a publisher, given up when the iterator goes.
final class PublisherSubscription: Sendable {
  let publisher: Publisher
  let id = OperationID()

  init(to publisher: Publisher) {
    self.publisher = publisher
  }

  deinit {
    Task { [publisher, id] in await publisher.unsubscribe(id) }
  }
}
