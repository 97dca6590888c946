import _BonjourishEventLoop

/// Large buffers that connections share: a connection has one only while the buffer holds bytes.
///
/// So thousands of idle connections cost little memory, and a busy one does not allocate again and again.
final class BufferPool: Sendable {
  /// The capacity of a buffer in bytes: a queue filled to the standard high-water mark, and the frame that exceeds it.
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

  /// Returns a buffer, or any other array. An array that is too small or too large to be useful is dropped.
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

  /// The number of buffers dropped since the last `forgetDropped()` because the pool was full.
  var droppedCount: Int { state.withLock { $0.droppedCount } }

  func forgetDropped() {
    state.withLock { $0.droppedCount = 0 }
  }
}
