/// A thread for work that blocks, such as waiting for the lock of a file: neither a loop nor the threads that tasks share wait for it.
///
/// The work is done one after another, in order. The thread exists only while there is work.
package final class WorkThread: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var isRunning = false
  }

  private let state = Locked(State())

  package init() {}

  /// Does some work, after that which was given before.
  package func run(_ work: @escaping @Sendable () -> Void) {
    let mustStart = state.withLock { state in
      state.waiting.append(work)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    // The system may have no thread left. Then the caller has to wait for the work.
    if mustStart, makeThread({ self.goOn() }) != 0 { goOn() }
  }

  private func goOn() {
    while let next = next() { next() }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isRunning = false
        return nil
      }
      return state.waiting.removeFirst()
    }
  }
}
