import Foundation

/// Hands lines from a thread, which waits while the queue is full, to a task, which is suspended while it is empty.
final class LineQueue: @unchecked Sendable {  // every access holds the lock
  private let capacity: Int
  private let condition = NSCondition()
  private var lines: [InputLine] = []
  private var isClosed = false
  private var waiting: CheckedContinuation<InputLine?, Never>?

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Adds a line, waiting for room first; does nothing once the queue is closed.
  func append(_ line: InputLine) {
    condition.lock()
    defer { condition.unlock() }
    while lines.count >= capacity, !isClosed { condition.wait() }
    guard !isClosed else { return }
    if let waiting {
      self.waiting = nil
      waiting.resume(returning: line)
    } else {
      lines.append(line)
    }
  }

  /// Lets `next` return nil once the queue is empty.
  func close() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
      waiting?.resume(returning: nil)
      waiting = nil
    }
  }

  /// The next line; nil when there will be none or the task is cancelled.
  func next() async -> InputLine? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        condition.withLock {
          if !lines.isEmpty {
            continuation.resume(returning: lines.removeFirst())
            condition.signal()
          } else if isClosed || Task.isCancelled {
            continuation.resume(returning: nil)
          } else {
            precondition(waiting == nil, "two tasks wait for a line at once")
            waiting = continuation
          }
        }
      }
    } onCancel: {
      condition.withLock {
        waiting?.resume(returning: nil)
        waiting = nil
      }
    }
  }
}
