package import _BonjourishEventLoop

/// A clock that stands still until the test moves it.
package final class ManualTime: Clock {
  private struct Sleeper {
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now: ContinuousClock.Instant
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var count = 0
    var waiting: [(deadline: ContinuousClock.Instant, continuation: CheckedContinuation<Void, Never>)] = []
  }

  /// When the test began.
  package let start: ContinuousClock.Instant
  private let state: Locked<State>

  package init() {
    let now = ContinuousClock.now
    start = now
    state = Locked(State(now: now))
  }

  package var now: ContinuousClock.Instant { state.withLock { $0.now } }

  package var clock: MonotonicClock {
    MonotonicClock(now: { self.now }, sleep: { await self.sleep(until: $0) })
  }

  package let minimumResolution = Duration.zero

  package func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    await sleep(until: deadline)
    try Task.checkCancellation()
  }

  /// Returns when somebody sleeps until a time after the start.
  package func sleepers(until time: Duration) async {
    let deadline = start + time
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sleepers.values.contains(where: { $0.deadline == deadline }) { return true }
        state.waiting.append((deadline, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Moves the clock to a time after the start, once somebody sleeps until then.
  package func advance(to time: Duration) async {
    await sleepers(until: time)
    let deadline = start + time
    let woken = state.withLock { state in
      state.now = max(state.now, deadline)
      let due = state.sleepers.filter { $0.value.deadline <= deadline }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.sorted { $0.deadline < $1.deadline }.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Moves the clock to a time after the start until which nothing else sleeps.
  package func pass(to time: Duration) async {
    async let slept: Void = sleep(until: start + time)
    await advance(to: time)
    await slept
  }

  private func sleep(until deadline: ContinuousClock.Instant) async {
    let id = state.withLock { state in
      state.count += 1
      return state.count
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isOver, tellers): (Bool, [CheckedContinuation<Void, Never>]) = state.withLock { state in
          if state.cancelled.remove(id) != nil || deadline <= state.now { return (true, []) }
          state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
          let tellers = state.waiting.filter { $0.deadline == deadline }.map(\.continuation)
          state.waiting.removeAll { $0.deadline == deadline }
          return (false, tellers)
        }
        if isOver { continuation.resume() }
        for teller in tellers { teller.resume() }
      }
    } onCancel: {
      let continuation: CheckedContinuation<Void, Never>? = state.withLock { state in
        if let sleeper = state.sleepers.removeValue(forKey: id) { return sleeper.continuation }
        state.cancelled.insert(id)
        return nil
      }
      continuation?.resume()
    }
  }
}
