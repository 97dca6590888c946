/// Where a ``Browser`` or a ``PublishedService`` reaches the network, now and after each change, as an asynchronous sequence.
///
/// A slow consumer gets fewer elements: only the latest is kept. The sequence ends with the scope of the browser or service, and
/// when the task is cancelled.
public struct ReachChanges: AsyncSequence, Sendable {
  /// The whole reach.
  public typealias Element = Reach
  /// The sequence does not fail.
  public typealias Failure = Never

  let follower: ReachFollower

  /// Makes an iterator that begins with the reach as it is.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: Subscription(to: follower)) }

  /// One iteration over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: Subscription<ReachFollower>

    /// Waits for the next change; nil after the last one, and when the task is cancelled.
    public mutating func next() async -> Reach? {
      await subscription.source.next(for: subscription.id)
    }

    /// Waits for the next change; nil after the last one, and when the task is cancelled.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws(Never) -> Reach? {
      await next()
    }
  }
}
