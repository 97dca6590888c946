import Framing

/// The frames that a group has broadcast and that some member may not have got, encoded once, one after another.
///
/// A position is the number of bytes that the log was given before it. Members read the same memory, each from its own
/// position; what none of them needs any more is forgotten, chunk by chunk.
struct BroadcastLog {
  /// A chunk is as large as what the log holds already, within these bounds, so that a quiet group has little memory.
  private static let smallestChunk = 1024
  private static let largestChunk = 64 * 1024

  private let encoder: FrameEncoder
  private var chunks: [LogChunk] = []

  /// The position up to which everything is needed no more.
  private(set) var start = 0
  /// The position after the last frame.
  private(set) var end = 0
  /// The position of the last frame.
  private(set) var newestFrame = 0

  init(format: FrameFormat) {
    encoder = FrameEncoder(format: format)
  }

  /// How many bytes are still needed.
  var byteCount: Int { end - start }

  /// How many bytes of memory there are for frames.
  var capacity: Int { chunks.reduce(0) { $0 + $1.capacity } }

  /// Adds a frame.
  ///
  /// - Throws: `bodyTooLarge`; nothing has been added then.
  mutating func append(_ body: Span<UInt8>) throws(FramingError) {
    let size = encoder.format.headerSize + body.count
    if let last = chunks.last, last.room >= size {
      try last.append(body, encoder)
    } else {
      try encoder.check(bodySize: body.count)
      let usual = min(max(byteCount, Self.smallestChunk), Self.largestChunk)
      let chunk = LogChunk(at: end, capacity: max(size, usual))
      try chunk.append(body, encoder)
      chunks.append(chunk)
    }
    newestFrame = end
    end += size
  }

  /// Forgets what is before a position.
  ///
  /// - Parameter keepsNewest: Whether the last frame stays readable although nobody needs it to go on.
  mutating func forget(before position: Int, keepsNewest: Bool) {
    precondition(position <= end, "A log cannot forget what it has not got yet")
    start = max(start, position)
    let kept = keepsNewest ? min(start, newestFrame) : start
    let count = chunks.prefix { $0.end <= kept }.count
    if count > 0 { chunks.removeFirst(count) }
  }

  /// What is to be read from a position on: whole frames, of many bytes no more than one chunk beyond so many.
  func portion(from position: Int, upTo limit: Int, atMost byteCount: Int = .max) -> LogPortion {
    guard position < limit else { return LogPortion(position..<position, of: []) }
    guard var index = chunks.lastIndex(where: { $0.start <= position }) else {
      preconditionFailure("A member asks its group for frames that have been forgotten")
    }
    let first = index
    while chunks[index].end < limit, chunks[index].end - position < byteCount { index += 1 }
    return LogPortion(position..<min(chunks[index].end, limit), of: Array(chunks[first...index]))
  }
}
