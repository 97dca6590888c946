/// The running resolution of one instance, whose endpoint is followed.
///
/// ``Bonjour/withResolution(of:interfaces:_:)`` makes it.
public struct ServiceResolution: Sendable {
  private let resolution: Resolution

  init(_ resolution: Resolution) {
    self.resolution = resolution
  }

  /// The current endpoint; nil while none is known.
  public var endpoint: Endpoint? {
    get async { await resolution.endpoint }
  }

  /// The addresses that its host tells and this machine does not reach, if they are the reason why no endpoint is known.
  package var refusedAddresses: [IPAddress] {
    get async { await resolution.refusedAddresses }
  }

  /// The changes of the endpoint, in order.
  ///
  /// Every iteration begins with the current endpoint, if one is known. A slow consumer gets the last state only.
  public var changes: ResolutionChanges { ResolutionChanges(resolution: resolution) }
}

/// The changes that a ``ServiceResolution`` reports, as an asynchronous sequence.
///
/// The sequence ends with the scope of the resolution, and when the task is cancelled. It throws a ``DiscoveryError`` when the
/// instance cannot be resolved any more.
public struct ResolutionChanges: AsyncSequence, Sendable {
  /// A change.
  public typealias Element = ResolutionChange
  /// The reason why the instance cannot be resolved any more.
  public typealias Failure = DiscoveryError

  let resolution: Resolution

  /// Makes an iterator that begins with the current endpoint, if one is known.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: Subscription(to: resolution)) }

  /// One iteration over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: Subscription<Resolution>

    /// Waits for the next change; nil after the last one, and when the task is cancelled.
    public mutating func next() async throws(DiscoveryError) -> ResolutionChange? {
      try await subscription.source.nextChange(for: subscription.id)
    }

    /// Waits for the next change; nil after the last one, and when the task is cancelled.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws(DiscoveryError)
      -> ResolutionChange?
    {
      try await next()
    }
  }
}
