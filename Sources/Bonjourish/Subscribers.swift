import Discovery
import EventLoop

/// The elements that one subscriber has not taken yet. They are merged, so their number is bounded.
protocol PendingElements {
  associatedtype Element

  var isEmpty: Bool { get }
  var count: Int { get }
  mutating func append(_ element: Element)
  mutating func popFirst() -> Element?
}

extension PendingChanges: PendingElements {}
extension PendingServiceEvents: PendingElements {}
extension PendingResolutionChanges: PendingElements {}

/// The tasks that iterate over an actor's elements. Part of that actor's state, and used on it only.
///
/// A slow subscriber does not delay the others: its pending elements are merged.
final class Subscribers<Pending: PendingElements> {
  private struct Subscriber {
    var pending: Pending
    let waiter = Waiter()
  }

  private enum End {
    case stopped
    case failed(DiscoveryError)
  }

  private var subscribers: [OperationID: Subscriber] = [:]
  private var end: End?
  /// Counts the elements.
  var counters: DeliveryCounters?

  deinit { for subscriber in subscribers.values { counters?.wait(-subscriber.pending.count) } }

  /// Gives every subscriber an element.
  func tell(_ element: Pending.Element) {
    counters?.told()
    // `Array` copies only the keys. A view of the keys would make each change below copy all subscribers.
    for id in Array(subscribers.keys) {
      let before = subscribers[id]!.pending.count
      subscribers[id]!.pending.append(element)
      counters?.wait(subscribers[id]!.pending.count - before)
      subscribers[id]!.waiter.wake()
    }
  }

  /// Ends all iterations, including later ones, with an error or normally.
  func finish(throwing error: DiscoveryError? = nil) {
    guard end == nil else { return }
    end = error.map { .failed($0) } ?? .stopped
    for subscriber in subscribers.values { subscriber.waiter.wake() }
  }

  /// Drops a subscriber's pending elements.
  func clear(_ id: OperationID) {
    while pop(id) != nil {}
  }

  func remove(_ id: OperationID) {
    if let removed = subscribers.removeValue(forKey: id) { counters?.wait(-removed.pending.count) }
  }

  private func pop(_ id: OperationID) -> Pending.Element? {
    guard let element = subscribers[id]?.pending.popFirst() else { return nil }
    counters?.wait(-1)
    return element
  }

  /// Waits for the next element; nil after the last one, and when the task is cancelled.
  ///
  /// - Parameters:
  ///   - id: The subscriber. It is added at its first call.
  ///   - initial: The first elements of a new subscriber.
  /// - Throws: The error given to ``finish(throwing:)``.
  func next(for id: OperationID, initial: () -> Pending) async throws(DiscoveryError) -> Pending.Element? {
    if subscribers[id] == nil {
      subscribers[id] = Subscriber(pending: initial())
      counters?.wait(subscribers[id]!.pending.count)
    }
    await subscribers[id]!.waiter.wait { subscribers[id]?.pending.isEmpty == true && end == nil }
    if Task.isCancelled { return nil }
    if let element = pop(id) { return element }
    if case .failed(let error) = end { throw error }
    return nil
  }
}

/// An actor that has subscribers.
protocol Subscribable: Actor {
  func unsubscribe(_ id: OperationID)
}

/// The subscription of one iterator to an actor. Ends when the iterator is freed.
final class Subscription<Source: Subscribable>: Sendable {
  let source: Source
  let id = OperationID()

  init(to source: Source) {
    self.source = source
  }

  deinit {
    Task { [source, id] in await source.unsubscribe(id) }
  }
}
