/// Lets one task wait until a state has changed. The owner of the state holds the waiter and calls ``wake()`` after each change.
package final class Waiter: Sendable {
  private let continuation = Locked<CheckedContinuation<Void, Never>?>(nil)

  package init() {}

  /// Returns when a condition no longer holds, or the task is cancelled.
  ///
  /// Only one task at a time may wait.
  ///
  /// - Parameter mustWait: The condition. It is evaluated in the caller's isolation, at first and after each ``wake()``.
  package func wait(isolation: isolated (any Actor)? = #isolation, while mustWait: () -> Bool) async {
    while !Task.isCancelled, mustWait() {
      // The isolation is handed on explicitly: in the closures of a `nonisolated(nonsending)` function, `#isolation` is nil, and
      // the condition would be evaluated on another thread.
      await withTaskCancellationHandler(
        operation: {
          await withCheckedContinuation(isolation: isolation) { continuation in
            self.continuation.withLock { waiting in
              precondition(waiting == nil, "only one task at a time may wait for the next element of an iterator")
              waiting = continuation
            }
            // Evaluated again with the continuation in place: the state may have changed before, when `wake()` found no waiter.
            if Task.isCancelled || !mustWait() { wake() }
          }
        }, onCancel: { wake() }, isolation: isolation)
    }
  }

  /// Makes the waiting task, if there is one, evaluate its condition again. Can be called on any thread.
  package func wake() {
    let continuation = continuation.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    continuation?.resume()
  }
}
