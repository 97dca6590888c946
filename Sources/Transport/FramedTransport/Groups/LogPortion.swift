import CBonjourishLinux

/// A part of a log. It retains the memory while it is sent.
struct LogPortion: Sendable {
  let range: Range<Int>
  /// The chunks that contain the range, in order.
  private let chunks: [LogChunk]

  /// - Parameter chunks: Consecutive chunks that contain the range, and no others.
  init(_ range: Range<Int>, of chunks: [LogChunk]) {
    self.range = range
    self.chunks = chunks
  }

  /// The part before a position.
  func prefix(upTo end: Int) -> LogPortion {
    LogPortion(range.lowerBound..<end, of: chunks.filter { $0.start < end })
  }

  /// The bytes of each chunk from a position on, in order.
  func pieces(from start: Int) -> [Piece] {
    chunks.indices.compactMap { index in
      let next = index + 1 < chunks.count ? chunks[index + 1].start : range.upperBound
      let from = max(chunks[index].start, start)
      return from < next ? Piece(chunk: chunks[index], range: from..<next) : nil
    }
  }

  /// A range of one chunk.
  struct Piece: Sendable {
    let chunk: LogChunk
    let range: Range<Int>

    /// The bytes, valid as long as the chunk is retained.
    var bytes: UnsafeBufferPointer<UInt8> { chunk.bytes(in: range) }
  }

  /// The first end of a frame that is not before a position of the range. Called with the log's lock held.
  func frameEnd(notBefore position: Int) -> Int {
    guard position < range.upperBound, let chunk = chunks.last(where: { $0.start <= position }) else { return position }
    return chunk.frameEnd(notBefore: position)
  }
}
