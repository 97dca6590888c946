import EventLoop

/// Large buffers that connections share: each has one only while there is something in it.
///
/// So thousands of idle connections cost little, and a busy one does not ask the system for memory again and again.
final class BufferPool: Sendable {
  /// How many bytes fit into a buffer: a queue filled up to the standard high-water mark, and the frame that goes above it.
  static let capacity = 256 * 1024 + 32 * 1024

  private static let mostKept = 8
  private static let largestKept = 4 * capacity

  private let buffers = Locked<[[UInt8]]>([])

  /// An empty buffer of at least `capacity`.
  func take() -> [UInt8] {
    if let buffer = buffers.withLock({ $0.popLast() }) { return buffer }
    var buffer: [UInt8] = []
    buffer.reserveCapacity(Self.capacity)
    return buffer
  }

  /// Gives a buffer back, or any other array, which is dropped when it is too small or too large to be useful.
  func give(_ buffer: consuming [UInt8]) {
    guard (Self.capacity...Self.largestKept).contains(buffer.capacity) else { return }
    buffer.removeAll(keepingCapacity: true)
    let kept = buffer
    buffers.withLock { buffers in
      if buffers.count < Self.mostKept { buffers.append(kept) }
    }
  }
}
