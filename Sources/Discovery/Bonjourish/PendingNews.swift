import _BonjourishDiscovery
import _BonjourishEventLoop

/// Whether there are new changes. The snapshot holds the changes themselves.
struct PendingNews: PendingElements {
  var isEmpty: Bool

  var count: Int { isEmpty ? 0 : 1 }

  mutating func append(_: Void) { isEmpty = false }

  mutating func popFirst() -> Void? {
    defer { isEmpty = true }
    return isEmpty ? nil : ()
  }
}

extension Subscribers<PendingNews> {
  /// Waits for the time of the next snapshot: at once for a new subscriber, later 30 ms after a change.
  ///
  /// - Returns: False after the last snapshot, and when the task is cancelled.
  func nextNews(
    for id: OperationID, _ time: MonotonicClock, isolation: isolated (any Actor)? = #isolation
  ) async throws(DiscoveryError) -> Bool {
    var isFirst = false
    let news: Void? = try await next(for: id) {
      isFirst = true
      return PendingNews(isEmpty: false)
    }
    guard news != nil else { return false }
    if !isFirst {
      await time.sleep(time.now() + .milliseconds(30))
      if Task.isCancelled { return false }
      clear(id)
    }
    return true
  }
}
