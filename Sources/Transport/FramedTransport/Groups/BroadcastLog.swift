import FramedCoding

/// The frames that a group has broadcast and that some member may not have received. Each is encoded once.
///
/// A position is the number of bytes added to the log before it. Members read the same memory, each from its own position. Bytes
/// that no member needs any more are removed, chunk by chunk.
struct BroadcastLog {
  /// A new chunk is as large as the content of the log, within these bounds, so that a quiet group uses little memory.
  private static let smallestChunk = 1024
  private static let largestChunk = 64 * 1024

  private let encoder: FrameEncoder
  private var chunks: [LogChunk] = []

  /// The position before which no byte is needed any more.
  private(set) var start = 0
  /// The position after the last frame.
  private(set) var end = 0
  /// The position of the last frame.
  private(set) var newestFrame = 0

  init(format: FrameFormat) {
    encoder = FrameEncoder(format: format)
  }

  /// The number of bytes that are still needed.
  var byteCount: Int { end - start }

  /// The memory for frames, in bytes.
  var capacity: Int { chunks.reduce(0) { $0 + $1.capacity } }

  /// Adds a frame.
  ///
  /// - Throws: The reason why the body cannot be sent; nothing has been added then.
  mutating func append(_ body: Span<UInt8>) throws(FramingError) {
    let size: Int
    let mostBytes = encoder.format.overhead + body.count
    if let last = chunks.last, last.room >= mostBytes {
      size = try last.append(body, encoder)
    } else {
      try encoder.check(bodySize: body.count)
      let usual = min(max(byteCount, Self.smallestChunk), Self.largestChunk)
      let chunk = LogChunk(at: end, capacity: max(mostBytes, usual))
      size = try chunk.append(body, encoder)
      chunks.append(chunk)
    }
    newestFrame = end
    end += size
  }

  /// Removes the bytes before a position.
  ///
  /// - Parameter keepsNewest: Whether the last frame stays readable, for members that skip to it.
  mutating func forget(before position: Int, keepsNewest: Bool) {
    precondition(position <= end, "position must not be beyond the end of the log")
    start = max(start, position)
    let kept = keepsNewest ? min(start, newestFrame) : start
    let count = chunks.prefix { $0.end <= kept }.count
    if count > 0 { chunks.removeFirst(count) }
  }

  /// Returns the whole frames from a position on: at most `byteCount` bytes, rounded up to the end of a chunk.
  func portion(from position: Int, upTo limit: Int, atMost byteCount: Int = .max) -> LogPortion {
    guard position < limit else { return LogPortion(position..<position, of: []) }
    guard var index = chunks.lastIndex(where: { $0.start <= position }) else {
      preconditionFailure("position must not be before the start of the log")
    }
    let first = index
    while chunks[index].end < limit, chunks[index].end - position < byteCount { index += 1 }
    return LogPortion(position..<min(chunks[index].end, limit), of: Array(chunks[first...index]))
  }
}
