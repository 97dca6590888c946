import FramedCoding

/// Memory for frames of a log, filled once from start to end.
///
/// Sendable: bytes before a position of the log never change. A reader takes the position under the log's lock, and then reads up
/// to it without the lock. `frameEnds` is guarded by that lock.
final class LogChunk: @unchecked Sendable {
  /// The position of the first byte in the log.
  let start: Int
  private let memory: UnsafeMutableBufferPointer<UInt8>
  /// The position after each frame. No frame spans two chunks.
  private var frameEnds: [Int] = []

  init(at start: Int, capacity: Int) {
    self.start = start
    memory = .allocate(capacity: capacity)
  }

  deinit { memory.deallocate() }

  // MARK: - With the log's lock held

  /// The position after the last frame.
  var end: Int { frameEnds.last ?? start }

  /// The free room, in bytes.
  var room: Int { capacity - (end - start) }

  /// Adds a frame, for which there must be room.
  ///
  /// - Returns: The size of the frame in bytes.
  func append(_ body: Span<UInt8>, _ encoder: FrameEncoder) throws(FramingError) -> Int {
    let free = memory.extracting((end - start)...)
    var output = OutputSpan(buffer: free, initializedCount: 0)
    if let header = encoder.header {
      try header.check(bodySize: body.count)
      header.write(bodySize: body.count, into: &output)
      output.append(copying: body)
    } else {
      try encoder.encode(body, into: &output)
    }
    let size = output.finalize(for: free)
    frameEnds.append(end + size)
    return size
  }

  /// The first end of a frame at or after a position of the chunk; the start if the position is the start.
  func frameEnd(notBefore position: Int) -> Int {
    guard position > start else { return start }
    var low = 0
    var high = frameEnds.count - 1
    while low < high {
      let middle = (low + high) / 2
      if frameEnds[middle] < position { low = middle + 1 } else { high = middle }
    }
    return frameEnds[low]
  }

  // MARK: - Anywhere

  /// The size of the memory, in bytes.
  var capacity: Int { memory.count }

  /// The bytes between two positions, valid as long as the chunk exists.
  func bytes(in range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(memory.extracting(range.lowerBound - start..<range.upperBound - start))
  }
}
