import EventLoop
import Framing
import Glibc

/// Frames on their way out: small ones one after another in one buffer, large ones as they were given.
///
/// A body of at least `copyLimit` bytes is not copied; the system is shown where it is. So is a large part of a group's log.
struct OutboundQueue {
  /// From this size on a body is worth an entry of its own in a gathering write.
  static let copyLimit = 16 * 1024

  /// How many pieces one system call takes; the kernel allows 1024.
  private static let mostVectors = 32

  /// What a queue may keep for its next use when it is empty.
  private static let keptCapacity = 1024

  private enum Piece {
    case own([UInt8])
    case shared(LogPortion.Piece)

    var count: Int {
      switch self {
      case .own(let bytes): bytes.count
      case .shared(let piece): piece.range.count
      }
    }

    func withBytes<Outcome>(
      _ body: (UnsafeBufferPointer<UInt8>) throws(SystemError) -> Outcome
    ) throws(SystemError) -> Outcome {
      switch self {
      case .own(let bytes):
        return try bytes.withUnsafeBufferPointer(body)
      case .shared(let piece):
        defer { withExtendedLifetime(piece.chunk) {} }
        return try body(piece.bytes)
      }
    }
  }

  /// Pieces that nothing is added to any more, in order.
  private var sealed: [Piece] = []
  /// Index of the first piece of `sealed` that has not left whole.
  private var head = 0
  /// The last piece, to which small frames are added.
  private var tail: [UInt8] = []
  /// How many bytes of the first piece have left.
  private var sent = 0

  /// How many bytes have to leave.
  private(set) var byteCount = 0

  var isEmpty: Bool { byteCount == 0 }

  /// How many bytes of memory are kept for small frames.
  var capacity: Int { tail.capacity }

  /// Adds a frame.
  ///
  /// - Throws: `bodyTooLarge`; nothing has been added then.
  @inline(__always)
  mutating func append(_ body: [UInt8], _ encoder: FrameEncoder, _ pool: BufferPool) throws(FramingError) {
    if body.count < Self.copyLimit { return try append(body.span, encoder, pool) }
    try encoder.encodeHeader(bodySize: body.count, into: &tail)
    sealed.append(.own(tail))
    sealed.append(.own(body))
    tail = []
    byteCount += encoder.format.headerSize + body.count
  }

  /// Adds a frame whose body is shown in place.
  ///
  /// - Throws: `bodyTooLarge`; nothing has been added then.
  @inline(__always)
  mutating func append(_ body: Span<UInt8>, _ encoder: FrameEncoder, _ pool: BufferPool) throws(FramingError) {
    let size = encoder.format.headerSize + body.count
    if tail.capacity - tail.count < size { grow(by: size, pool) }
    if body.count < Self.copyLimit {
      try tail.append(addingCapacity: size) { (output) throws(FramingError) in
        try encoder.encodeHeader(bodySize: body.count, into: &output)
        output.append(copying: body)
      }
    } else {
      // Nothing is reserved for a body before it is known that it is not too large.
      try encoder.encode(body, into: &tail)
    }
    byteCount += size
  }

  /// Adds what is left of a part of a group's log from a position on.
  mutating func append(_ portion: LogPortion, from start: Int, _ pool: BufferPool) {
    for piece in portion.pieces(from: start) {
      let size = piece.range.count
      if size < Self.copyLimit {
        if tail.capacity - tail.count < size { grow(by: size, pool) }
        tail.append(contentsOf: piece.bytes)
      } else {
        if !tail.isEmpty { sealed.append(.own(tail)) }
        sealed.append(.shared(piece))
        tail = []
      }
      byteCount += size
    }
  }

  /// Makes room: little for little, and a shared buffer as soon as it is worth it.
  private mutating func grow(by size: Int, _ pool: BufferPool) {
    let needed = tail.count + size
    guard needed > 4096, needed <= BufferPool.capacity, tail.capacity < BufferPool.capacity else {
      // A frame that will be refused must not reserve anything; the array grows by itself when it is not.
      return
    }
    var larger = pool.take()
    larger.append(contentsOf: tail)
    tail = larger
  }

  /// Shows the pieces, or the first of them, as a gathering write takes them, and how many bytes they are.
  func withVectors<Outcome>(
    _ body: (UnsafeMutableBufferPointer<iovec>, _ byteCount: Int) throws(SystemError) -> Outcome
  ) throws(SystemError) -> Outcome {
    guard !sealed.isEmpty else { return try withTail(body) }
    return try withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.mostVectors) { vectors in
      Result { () throws(SystemError) in try collect(into: vectors, count: 0, byteCount: 0, body) }
    }.get()
  }

  /// The same if there is but one piece, which is much the most frequent case.
  private func withTail<Outcome>(
    _ body: (UnsafeMutableBufferPointer<iovec>, _ byteCount: Int) throws(SystemError) -> Outcome
  ) throws(SystemError) -> Outcome {
    try tail.withUnsafeBufferPointer { (bytes) throws(SystemError) in
      let rest = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[sent...]))
      var vector = iovec(iov_base: UnsafeMutableRawPointer(mutating: rest.baseAddress), iov_len: rest.count)
      return try withUnsafeMutablePointer(to: &vector) { (vector) throws(SystemError) in
        try body(UnsafeMutableBufferPointer(start: vector, count: 1), rest.count)
      }
    }
  }

  /// Adds the piece at `head + count` and goes on with the next, so that all of them are held in place during the call.
  private func collect<Outcome>(
    into vectors: UnsafeMutableBufferPointer<iovec>, count: Int, byteCount: Int,
    _ body: (UnsafeMutableBufferPointer<iovec>, _ byteCount: Int) throws(SystemError) -> Outcome
  ) throws(SystemError) -> Outcome {
    let index = head + count
    guard count < Self.mostVectors, index <= sealed.count else {
      return try body(UnsafeMutableBufferPointer(rebasing: vectors[..<count]), byteCount)
    }
    let piece = index < sealed.count ? sealed[index] : .own(tail)
    return try piece.withBytes { bytes throws(SystemError) in
      let rest = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes.dropFirst(count == 0 ? sent : 0)))
      vectors.initializeElement(
        at: count, to: iovec(iov_base: UnsafeMutableRawPointer(mutating: rest.baseAddress), iov_len: rest.count))
      return try collect(into: vectors, count: count + 1, byteCount: byteCount + rest.count, body)
    }
  }

  /// Forgets bytes that have left.
  mutating func removeFirst(_ count: Int, _ pool: BufferPool) {
    byteCount -= count
    guard byteCount > 0 else { return removeAll(pool) }
    sent += count
    while head < sealed.count, sent >= sealed[head].count {
      sent -= sealed[head].count
      sealed[head] = .own([])
      head += 1
    }
    if head == sealed.count {
      sealed.removeAll(keepingCapacity: true)
      head = 0
    }
  }

  /// Forgets everything, and gives memory back.
  mutating func removeAll(_ pool: BufferPool) {
    byteCount = 0
    sent = 0
    head = 0
    if !sealed.isEmpty { sealed.removeAll(keepingCapacity: sealed.capacity <= 16) }
    if tail.capacity <= Self.keptCapacity {
      tail.removeAll(keepingCapacity: true)
    } else {
      pool.give(tail)
      tail = []
    }
  }
}
