/// Hands lines from a thread, which waits while the queue is full, to a task, which is suspended while it is empty.
final class LineQueue: Sendable {
  private struct State {
    var lines: [InputLine] = []
    var isClosed = false
    var waiting: CheckedContinuation<InputLine?, Never>?

    /// Those who wait are told outside the lock.
    mutating func takeWaiting() -> CheckedContinuation<InputLine?, Never>? {
      defer { waiting = nil }
      return waiting
    }
  }

  private let capacity: Int
  private let state = Monitor(State())

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Adds a line, waiting for room first; does nothing once the queue is closed.
  func append(_ line: InputLine) {
    let waiting: CheckedContinuation<InputLine?, Never>? = state.wait { state in
      if state.isClosed { return .some(nil) }
      if let waiting = state.takeWaiting() { return waiting }
      guard state.lines.count < capacity else { return nil }
      state.lines.append(line)
      return .some(nil)
    }
    waiting?.resume(returning: line)
  }

  /// Lets `next` return nil once the queue is empty.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      return state.takeWaiting()
    }
    waiting?.resume(returning: nil)
  }

  /// The next line; nil when there will be none or the task is cancelled.
  func next() async -> InputLine? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: InputLine?? = state.withLock { state in
          if !state.lines.isEmpty { return state.lines.removeFirst() }
          if state.isClosed || Task.isCancelled { return .some(nil) }
          precondition(state.waiting == nil, "two tasks wait for a line at once")
          state.waiting = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      state.withLock { $0.takeWaiting() }?.resume(returning: nil)
    }
  }
}
