/// A running search for the instances of a service; made by ``Bonjour/withBrowser(for:subtype:domain:interface:resolving:hints:_:)``.
public struct Browser: Sendable {
  private let core: BrowserCore

  init(_ core: BrowserCore) {
    self.core = core
  }

  /// What is found, changes and goes, in order.
  ///
  /// Every iteration begins with what is known already. Whoever is slow gets fewer changes, later ones merged into earlier
  /// ones; applied one after the other they always lead to what there is.
  public var changes: BrowseChanges { BrowseChanges(core: core) }

  /// Everything that is there, again after each change.
  ///
  /// Changes that come within 30 ms of each other are shown together. The first snapshot comes at once.
  public var snapshots: BrowseSnapshots { BrowseSnapshots(core: core) }
}

/// The changes that a ``Browser`` sees. The sequence ends with the browser's scope, and when the task is cancelled.
///
/// It throws a ``DiscoveryError`` when browsing cannot go on.
public struct BrowseChanges: AsyncSequence, Sendable {
  public typealias Element = BrowseChange
  public typealias Failure = DiscoveryError

  let core: BrowserCore

  public func makeAsyncIterator() -> Iterator { Iterator(subscription: BrowserSubscription(to: core)) }

  public struct Iterator: AsyncIteratorProtocol {
    let subscription: BrowserSubscription

    public mutating func next() async throws(DiscoveryError) -> BrowseChange? {
      try await subscription.core.nextChange(for: subscription.id)
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(DiscoveryError) -> BrowseChange? {
      try await subscription.core.nextChange(for: subscription.id)
    }
  }
}

/// What a ``Browser`` sees, as a whole. The sequence ends with the browser's scope, and when the task is cancelled.
///
/// It throws a ``DiscoveryError`` when browsing cannot go on.
public struct BrowseSnapshots: AsyncSequence, Sendable {
  public typealias Element = BrowseSnapshot
  public typealias Failure = DiscoveryError

  let core: BrowserCore

  public func makeAsyncIterator() -> Iterator { Iterator(subscription: BrowserSubscription(to: core)) }

  public struct Iterator: AsyncIteratorProtocol {
    let subscription: BrowserSubscription

    public mutating func next() async throws(DiscoveryError) -> BrowseSnapshot? {
      try await subscription.core.nextSnapshot(for: subscription.id)
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(DiscoveryError) -> BrowseSnapshot? {
      try await subscription.core.nextSnapshot(for: subscription.id)
    }
  }
}

/// One iteration's place in a browser, given up when the iterator goes.
final class BrowserSubscription: Sendable {
  let core: BrowserCore
  let id = OperationID()

  init(to core: BrowserCore) {
    self.core = core
  }

  deinit {
    Task { [core, id] in await core.unsubscribe(id) }
  }
}
