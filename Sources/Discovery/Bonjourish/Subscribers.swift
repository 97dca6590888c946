import _BonjourishDiscovery
import _BonjourishEventLoop

/// The elements that one subscriber has not taken yet. They are merged, so their number is bounded.
protocol PendingElements: Sendable {
  associatedtype Element: Sendable

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
    let mailbox: Mailbox<Pending>
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

  deinit { for subscriber in subscribers.values { subscriber.mailbox.close() } }

  /// Gives every subscriber an element.
  func tell(_ element: Pending.Element) {
    counters?.told()
    for subscriber in subscribers.values {
      subscriber.mailbox.append(element)
      subscriber.waiter.wake()
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
    while subscribers[id]?.mailbox.popFirst() != nil {}
  }

  func remove(_ id: OperationID) {
    subscribers.removeValue(forKey: id)?.mailbox.close()
  }

  /// Waits for the next element; nil after the last one, and when the task is cancelled.
  ///
  /// - Parameters:
  ///   - id: The subscriber. It is added at its first call.
  ///   - mailbox: The mailbox of a new subscriber.
  ///   - initial: The first elements of a new subscriber.
  /// - Throws: The error given to ``finish(throwing:)``.
  func next(
    for id: OperationID, in mailbox: @autoclosure () -> Mailbox<Pending> = Mailbox(), initial: () -> Pending
  ) async throws(DiscoveryError) -> Pending.Element? {
    if subscribers[id] == nil {
      let mailbox = mailbox()
      mailbox.open(initial(), counting: counters)
      subscribers[id] = Subscriber(mailbox: mailbox)
    }
    let subscriber = subscribers[id]!
    await subscriber.waiter.wait { subscriber.mailbox.isEmpty && end == nil }
    if Task.isCancelled { return nil }
    if let element = subscriber.mailbox.popFirst() { return element }
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
