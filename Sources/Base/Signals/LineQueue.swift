import _BonjourishEventLoop

/// Passes lines from a thread to a task. The thread blocks while the queue is full; the task suspends while it is empty.
final class LineQueue: Sendable {
  private struct State {
    var lines: [InputLine] = []
    var isClosed = false
  }

  private let capacity: Int
  private let state = Monitor(State())
  private let reader = Waiter()

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Waits for room, then adds a line; does nothing once the queue is closed.
  func append(_ line: InputLine) {
    state.wait { state -> Void? in
      if state.isClosed { return () }
      guard state.lines.count < capacity else { return nil }
      return state.lines.append(line)
    }
    reader.wake()
  }

  /// Makes `next` return nil once the queue is empty.
  func close() {
    state.withLock { $0.isClosed = true }
    reader.wake()
  }

  /// The next line; nil after the last one, and when the task is cancelled.
  func next() async -> InputLine? {
    var line: InputLine?
    await reader.wait {
      state.withLock { state in
        if line == nil, !state.lines.isEmpty { line = state.lines.removeFirst() }
        return line == nil && !state.isClosed
      }
    }
    return line
  }
}
