/// A running lookup: of records, service types or domains.
///
/// ``Bonjour/withRecords(of:type:interfaces:_:)``, ``Bonjour/withServiceTypeBrowser(domain:interfaces:_:)`` and
/// ``Bonjour/withDomainBrowser(for:domain:interfaces:_:)`` make it.
public struct Lookup<Element: Identifiable & Hashable & Sendable>: Sendable where Element.ID: Sendable {
  private let core: LookupCore<Element>

  init(_ core: LookupCore<Element>) {
    self.core = core
  }

  /// The changes of what has been found, in order.
  ///
  /// Every iteration begins with what is known already. A slow consumer gets fewer changes, because later ones are merged into
  /// earlier ones. Applying all changes in order always gives the current list.
  public var changes: LookupChanges<Element> { LookupChanges(core: core) }

  /// The whole list of what has been found, at once and after each change.
  ///
  /// Changes within 30 ms of each other give one snapshot.
  public var snapshots: LookupSnapshots<Element> { LookupSnapshots(core: core) }
}

/// The changes that a ``Lookup`` reports, as an asynchronous sequence.
///
/// The sequence ends with the lookup's scope, and when the task is cancelled. It throws a ``DiscoveryError`` when the lookup cannot
/// continue.
public struct LookupChanges<Item: Identifiable & Hashable & Sendable>: AsyncSequence, Sendable where Item.ID: Sendable {
  /// A change.
  public typealias Element = DiscoveryChange<Item>
  /// The reason why the lookup cannot continue.
  public typealias Failure = DiscoveryError

  let core: LookupCore<Item>

  /// Makes an iterator that begins with what is known already.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: Subscription(to: core)) }

  /// One iteration over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: Subscription<LookupCore<Item>>

    /// Waits for the next change; nil after the last one, and when the task is cancelled.
    public mutating func next() async throws(DiscoveryError) -> DiscoveryChange<Item>? {
      try await subscription.source.nextChange(for: subscription.id)
    }

    /// Waits for the next change; nil after the last one, and when the task is cancelled.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws(DiscoveryError)
      -> DiscoveryChange<Item>?
    {
      try await next()
    }
  }
}

/// The snapshots of a ``Lookup``, as an asynchronous sequence.
///
/// The sequence ends with the lookup's scope, and when the task is cancelled. It throws a ``DiscoveryError`` when the lookup cannot
/// continue.
public struct LookupSnapshots<Item: Identifiable & Hashable & Sendable>: AsyncSequence, Sendable where Item.ID: Sendable {
  /// A snapshot.
  public typealias Element = LookupSnapshot<Item>
  /// The reason why the lookup cannot continue.
  public typealias Failure = DiscoveryError

  let core: LookupCore<Item>

  /// Makes an iterator that begins with the current snapshot.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: Subscription(to: core)) }

  /// One iteration over the snapshots.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: Subscription<LookupCore<Item>>

    /// Waits for the next snapshot; nil after the last one, and when the task is cancelled.
    public mutating func next() async throws(DiscoveryError) -> LookupSnapshot<Item>? {
      try await subscription.source.nextSnapshot(for: subscription.id)
    }

    /// Waits for the next snapshot; nil after the last one, and when the task is cancelled.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws(DiscoveryError)
      -> LookupSnapshot<Item>?
    {
      try await next()
    }
  }
}
