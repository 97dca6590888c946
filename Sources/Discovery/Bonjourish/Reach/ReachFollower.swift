import _BonjourishDiscovery
import _BonjourishEventLoop

/// Follows where an operation reaches the network, from the first time that somebody asks. Runs on the backend's executor.
actor ReachFollower: Subscribable {
  private let interfaces: InterfaceSelection
  private let backend: any DiscoveryBackend
  private let id = OperationID()
  private var latest: Reach?
  private var isFollowing = false
  private var hasEnded = false
  private let changes = Subscribers<PendingReach>()

  nonisolated var unownedExecutor: UnownedSerialExecutor { backend.executor.asUnownedSerialExecutor() }

  init(_ interfaces: InterfaceSelection, on backend: any DiscoveryBackend) {
    self.interfaces = interfaces
    self.backend = backend
  }

  /// The reach now; an empty one when the operation has ended before it was known.
  var current: Reach {
    get async {
      let asker = OperationID()
      let reach = await next(for: asker)
      unsubscribe(asker)
      return reach ?? latest ?? Reach()
    }
  }

  /// Waits for the next change. A new subscriber first gets the reach as it is.
  func next(for subscriber: OperationID) async -> Reach? {
    follow()
    // It ends without an error.
    return try? await changes.next(for: subscriber) { PendingReach(latest: hasEnded ? nil : latest) }
  }

  private func follow() {
    guard !isFollowing, !hasEnded else { return }
    isFollowing = true
    backend.followReach(of: interfaces, as: id) { [weak self] reach in self?.assumeIsolated { $0.receive(reach) } }
  }

  private func receive(_ reach: Reach) {
    latest = reach
    changes.tell(reach)
  }

  func stop() {
    if isFollowing { backend.end(id) }
    hasEnded = true
    changes.finish()
  }

  func unsubscribe(_ id: OperationID) {
    changes.remove(id)
  }
}

/// The reach that one subscriber has not taken yet. A later one replaces it.
struct PendingReach: PendingElements {
  var latest: Reach?

  var isEmpty: Bool { latest == nil }
  var count: Int { latest == nil ? 0 : 1 }

  mutating func append(_ reach: Reach) { latest = reach }

  mutating func popFirst() -> Reach? { latest.take() }
}
