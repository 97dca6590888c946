/// A value behind a lock that one task at a time can wait on: every change wakes it.
package final class Watched<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    var waiter = Waiter()
  }

  private let state: Locked<State>

  package init(_ value: Value) {
    state = Locked(State(value: value))
  }

  /// Changes the value, and wakes whoever waits.
  package func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
    state.withLock { state in
      defer { state.waiter.wake() }
      return body(&state.value)
    }
  }

  /// Takes something out of the value as soon as there is something; nil when the task is cancelled.
  ///
  /// - Parameter body: Returns nil while there is nothing to take; called again after each change.
  package func take<Result: Sendable>(_ body: @Sendable (inout Value) -> Result?) async -> Result? {
    while !Task.isCancelled {
      if let result = state.withLock({ body(&$0.value) }) { return result }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          // Looked at once more with the lock held: a change in between has woken nobody.
          let mustWait = state.withLock { state in
            var value = state.value
            guard !Task.isCancelled, body(&value) == nil else { return false }
            state.waiter.set(continuation)
            return true
          }
          if !mustWait { continuation.resume() }
        }
      } onCancel: {
        state.withLock { $0.waiter.wake() }
      }
    }
    return nil
  }
}
