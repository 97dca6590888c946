import _BonjourishEventLoop

/// The elements that one subscriber has not taken yet. Shared with its iterator, which takes them without a visit to the actor that
/// tells them: while many things change, that is busy.
final class Mailbox<Pending: PendingElements>: Sendable {
  private struct State {
    var pending: Pending?
    var counters: DeliveryCounters?
  }

  private let state = Locked(State())

  var isEmpty: Bool { state.withLock { $0.pending?.isEmpty ?? true } }

  /// Begins with the first elements of a new subscriber.
  func open(_ initial: Pending, counting counters: DeliveryCounters?) {
    counters?.wait(initial.count)
    state.withLock { $0 = State(pending: initial, counters: counters) }
  }

  func append(_ element: Pending.Element) {
    state.withLock { state in
      let before = state.pending?.count ?? 0
      state.pending?.append(element)
      state.counters?.wait((state.pending?.count ?? 0) - before)
    }
  }

  /// Takes the oldest element.
  func popFirst() -> Pending.Element? {
    state.withLock { state in
      guard let element = state.pending?.popFirst() else { return nil }
      state.counters?.wait(-1)
      return element
    }
  }

  /// Drops all elements, because nobody takes them any more.
  func close() {
    state.withLock { state in
      state.counters?.wait(-(state.pending?.count ?? 0))
      state = State()
    }
  }
}
