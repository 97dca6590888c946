import EventLoop

/// Large buffers that connections share: each has one only while there is something in it.
///
/// So thousands of idle connections cost little, and a busy one does not ask the system for memory again and again.
final class BufferPool: Sendable {
  /// How many bytes fit into a buffer: a queue filled up to the standard high-water mark, and the frame that goes above it.
  static let capacity = 256 * 1024 + 32 * 1024

  private static let mostKept = 8
  private static let largestKept = 4 * capacity

  private struct State {
    var buffers: [[UInt8]] = []
    var droppedCount = 0
  }

  private let state = Locked(State())

  /// An empty buffer of at least `capacity`.
  func take() -> [UInt8] {
    if let buffer = state.withLock({ $0.buffers.popLast() }) { return buffer }
    var buffer: [UInt8] = []
    buffer.reserveCapacity(Self.capacity)
    return buffer
  }

  static func isWorthKeeping(_ buffer: borrowing [UInt8]) -> Bool {
    (capacity...largestKept).contains(buffer.capacity)
  }

  /// Gives a buffer back, or any other array, which is dropped when it is too small or too large to be useful.
  func give(_ buffer: consuming [UInt8]) {
    guard Self.isWorthKeeping(buffer) else { return }
    if !buffer.isEmpty { buffer.removeAll(keepingCapacity: true) }
    let kept = buffer
    state.withLock { state in
      if state.buffers.count < Self.mostKept {
        state.buffers.append(kept)
      } else {
        state.droppedCount += 1
      }
    }
  }

  /// How many buffers have been dropped, because there were enough, since they were last forgotten.
  var droppedCount: Int { state.withLock { $0.droppedCount } }

  func forgetDropped() {
    state.withLock { $0.droppedCount = 0 }
  }
}
