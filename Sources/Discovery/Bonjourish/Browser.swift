/// A running search for the instances of a service.
///
/// ``Bonjour/withBrowser(for:subtype:domain:interfaces:resolving:hints:_:)`` makes it.
public struct Browser: Sendable {
  private let core: BrowserCore

  init(_ core: BrowserCore) {
    self.core = core
  }

  /// The changes of the list of services, in order.
  ///
  /// Every iteration begins with the services that are known already. A slow consumer gets fewer changes, because later ones
  /// are merged into earlier ones. Applying all changes in order always gives the current list.
  public var changes: BrowseChanges { BrowseChanges(core: core) }

  /// Where the browser reaches the network now, and why not elsewhere.
  public var reach: Reach {
    get async { await core.reach.current }
  }

  /// Where the browser reaches the network, at once and after each change.
  public var reachChanges: ReachChanges { ReachChanges(follower: core.reach) }

  /// The whole list of services, at once and after each change.
  ///
  /// Changes within 30 ms of each other give one snapshot.
  public var snapshots: BrowseSnapshots { BrowseSnapshots(core: core) }
}

/// The changes that a ``Browser`` reports, as an asynchronous sequence.
///
/// The sequence ends with the browser's scope, and when the task is cancelled. It throws a ``DiscoveryError`` when browsing
/// cannot continue.
public struct BrowseChanges: AsyncSequence, Sendable {
  /// A change.
  public typealias Element = BrowseChange
  /// The reason why browsing cannot continue.
  public typealias Failure = DiscoveryError

  let core: BrowserCore

  /// Makes an iterator that begins with the services that are known already.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: Subscription(to: core)) }

  /// One iteration over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: Subscription<BrowserCore>
    let mailbox = Mailbox<PendingChanges<DiscoveredService>>()

    /// Waits for the next change; nil after the last one, and when the task is cancelled.
    public mutating func next() async throws(DiscoveryError) -> BrowseChange? {
      if !Task.isCancelled, let change = mailbox.popFirst() { return change }
      return try await subscription.source.nextChange(for: subscription.id, in: mailbox)
    }

    /// Waits for the next change; nil after the last one, and when the task is cancelled.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws(DiscoveryError)
      -> BrowseChange?
    {
      try await next()
    }
  }
}

/// The snapshots of a ``Browser``, as an asynchronous sequence.
///
/// The sequence ends with the browser's scope, and when the task is cancelled. It throws a ``DiscoveryError`` when browsing
/// cannot continue.
public struct BrowseSnapshots: AsyncSequence, Sendable {
  /// A snapshot.
  public typealias Element = BrowseSnapshot
  /// The reason why browsing cannot continue.
  public typealias Failure = DiscoveryError

  let core: BrowserCore

  /// Makes an iterator that begins with the current snapshot.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: Subscription(to: core)) }

  /// One iteration over the snapshots.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: Subscription<BrowserCore>

    /// Waits for the next snapshot; nil after the last one, and when the task is cancelled.
    public mutating func next() async throws(DiscoveryError) -> BrowseSnapshot? {
      try await subscription.source.nextSnapshot(for: subscription.id)
    }

    /// Waits for the next snapshot; nil after the last one, and when the task is cancelled.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws(DiscoveryError)
      -> BrowseSnapshot?
    {
      try await next()
    }
  }
}
