import Synchronization

/// What has come so far, in order, and those who wait for more.
final class Log<Element: Sendable>: Sendable {
  private struct State {
    var elements: [(value: Element, isTaken: Bool)] = []
    var isComplete = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var tickets = 0
  }

  private let state = Mutex(State())

  var elements: [Element] { state.withLock { $0.elements.map(\.value) } }

  func append(_ element: Element) {
    change { $0.elements.append((element, false)) }
  }

  /// No more will come.
  func complete() {
    change { $0.isComplete = true }
  }

  /// Waits for an element that has not been taken and that the test makes something of, and takes it; those before it stay.
  ///
  /// Returns nil when there is none by the deadline, or the log is complete without one.
  func take<Value>(by deadline: ContinuousClock.Instant, _ test: (Element) -> Value?) async -> Value? {
    var seen = 0
    while true {
      let (fresh, isComplete) = state.withLock { (Array($0.elements[seen...]), $0.isComplete) }
      for (index, element) in zip(seen..., fresh) where !element.isTaken {
        guard let value = test(element.value) else { continue }
        let isOurs = state.withLock { state in
          defer { state.elements[index].isTaken = true }
          return !state.elements[index].isTaken
        }
        if isOurs { return value }
      }
      seen += fresh.count
      if isComplete || ContinuousClock.now >= deadline || Task.isCancelled { return nil }
      await moreCame(than: seen, by: deadline)
    }
  }

  /// Waits for the first element, without taking it.
  func first(by deadline: ContinuousClock.Instant) async -> Element? {
    while true {
      let (first, isComplete) = state.withLock { ($0.elements.first, $0.isComplete) }
      if let first { return first.value }
      if isComplete || ContinuousClock.now >= deadline || Task.isCancelled { return nil }
      await moreCame(than: 0, by: deadline)
    }
  }

  /// Waits until no more will come.
  func completion(by deadline: ContinuousClock.Instant) async {
    while true {
      let (count, isComplete) = state.withLock { ($0.elements.count, $0.isComplete) }
      if isComplete || ContinuousClock.now >= deadline || Task.isCancelled { return }
      await moreCame(than: count, by: deadline)
    }
  }

  /// Waits until there are more than `count` elements or the log is complete, but not beyond the deadline.
  private func moreCame(than count: Int, by deadline: ContinuousClock.Instant) async {
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    let timer = Task {
      try await Task.sleep(until: deadline, clock: .continuous)
      wake(ticket)
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          let waits =
            state.elements.count == count && !state.isComplete && !Task.isCancelled && ContinuousClock.now < deadline
          if waits { state.waiting[ticket] = continuation }
          return waits
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      wake(ticket)
    }
    timer.cancel()
  }

  private func wake(_ ticket: Int) {
    state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
  }

  private func change(_ body: (inout State) -> Void) {
    let woken = state.withLock { state in
      body(&state)
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in woken { continuation.resume() }
  }
}
