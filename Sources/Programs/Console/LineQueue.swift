/// Passes lines from a thread to a task. The thread blocks while the queue is full; the task suspends while it is empty.
final class LineQueue: Sendable {
  private struct State {
    var lines: [InputLine] = []
    var isClosed = false
    var waiting: CheckedContinuation<InputLine?, Never>?

    /// Takes the waiting continuation; the caller resumes it outside the lock.
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

  /// Waits for room, then adds a line; does nothing once the queue is closed.
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

  /// Makes `next` return nil once the queue is empty.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      return state.takeWaiting()
    }
    waiting?.resume(returning: nil)
  }

  /// The next line; nil after the last one, and when the task is cancelled.
  func next() async -> InputLine? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: InputLine?? = state.withLock { state in
          if !state.lines.isEmpty { return state.lines.removeFirst() }
          if state.isClosed || Task.isCancelled { return .some(nil) }
          precondition(state.waiting == nil, "only one task may wait for a line")
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
