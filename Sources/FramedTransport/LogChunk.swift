import Framing

/// Memory for frames of a log, filled once from front to back.
///
/// Sendable: what lies before a position of the log never changes, so whoever has been told of a position, under the log's
/// lock, reads up to there without one. `frameEnds` is touched with the log's lock held only.
final class LogChunk: @unchecked Sendable {
  /// The log's position of the first byte.
  let start: Int
  private let memory: UnsafeMutableBufferPointer<UInt8>
  /// The position after each frame; no frame goes on in another chunk.
  private var frameEnds: [Int] = []

  init(at start: Int, capacity: Int) {
    self.start = start
    memory = .allocate(capacity: capacity)
  }

  deinit { memory.deallocate() }

  // MARK: - With the log's lock held

  /// The position after the last frame.
  var end: Int { frameEnds.last ?? start }

  /// How many bytes still fit.
  var room: Int { capacity - (end - start) }

  /// Adds a frame, which has to fit.
  func append(_ body: Span<UInt8>, _ encoder: FrameEncoder) throws(FramingError) {
    let free = memory.extracting((end - start)...)
    var output = OutputSpan(buffer: free, initializedCount: 0)
    try encoder.encodeHeader(bodySize: body.count, into: &output)
    let headerSize = output.finalize(for: free)
    body.withUnsafeBufferPointer { bytes in
      _ = free.extracting(headerSize..<headerSize + bytes.count).initialize(fromContentsOf: bytes)
    }
    frameEnds.append(end + headerSize + body.count)
  }

  /// The first end of a frame that is not before a position of the chunk; the position itself when it is the start.
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

  /// How many bytes fit altogether.
  var capacity: Int { memory.count }

  /// The bytes between two positions; they stay as long as the chunk.
  func bytes(in range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(memory.extracting(range.lowerBound - start..<range.upperBound - start))
  }
}
