import CBonjourishLinux
import FramedCoding
import _BonjourishEventLoop

/// The frames to be sent: small ones one after another in one buffer, each large one in its own buffer.
///
/// A body of at least `copyLimit` bytes after a length header is not copied, and neither is a large part of a group's log.
struct OutboundQueue {
  /// The size in bytes from which a body gets its own entry in a gathering write.
  static let copyLimit = 16 * 1024

  /// The number of pieces for one system call; the kernel allows 1024.
  private static let mostVectors = 32

  /// The memory, in bytes, that an empty queue may keep.
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

  /// The pieces before the last, in order.
  private var sealed: [Piece] = []
  /// The index of the first piece of `sealed` that has not left completely.
  private var head = 0
  /// The last piece, to which small frames are added.
  private var tail: [UInt8] = []
  /// The number of bytes of the first piece that have left.
  private var sent = 0

  /// The number of bytes to be sent.
  private(set) var byteCount = 0

  var isEmpty: Bool { byteCount == 0 }

  /// The memory for small frames, in bytes.
  var capacity: Int { tail.capacity }

  /// Adds a frame.
  ///
  /// - Parameters:
  ///   - body: The body of the frame.
  ///   - header: Writes the header if that is a length.
  ///   - encoder: Writes the frame otherwise. The encoder and the pool are seldom needed; as autoclosures, they cost no reference
  ///     counting, which would take longer than the rest.
  ///   - pool: The source of larger buffers.
  /// - Throws: The reason why the body cannot be sent; nothing has been added then.
  @inline(__always)
  mutating func append(
    _ body: [UInt8], _ header: LengthHeader?, _ encoder: @autoclosure () -> FrameEncoder, _ pool: @autoclosure () -> BufferPool
  ) throws(FramingError) {
    if body.count >= Self.copyLimit, let header { return try append(large: body, header) }
    try append(body.span, header, encoder(), pool())
  }

  /// Adds a frame whose body is in a span.
  ///
  /// - Throws: The reason why the body cannot be sent; nothing has been added then.
  @inline(__always)
  mutating func append(
    _ body: Span<UInt8>, _ header: LengthHeader?, _ encoder: @autoclosure () -> FrameEncoder,
    _ pool: @autoclosure () -> BufferPool
  ) throws(FramingError) {
    guard let header else { return try append(body, encoder(), pool()) }
    // The size is checked before memory is reserved.
    try header.check(bodySize: body.count)
    let size = header.size + body.count
    if tail.capacity - tail.count < size { grow(by: size, pool()) }
    tail.append(addingCapacity: size) { output in
      header.write(bodySize: body.count, into: &output)
      output.append(copying: body)
    }
    byteCount += size
  }

  /// Adds a frame whose body is sent without a copy.
  private mutating func append(large body: [UInt8], _ header: LengthHeader) throws(FramingError) {
    try header.check(bodySize: body.count)
    tail.append(addingCapacity: LengthHeader.mostBytes) { header.write(bodySize: body.count, into: &$0) }
    sealed.append(.own(tail))
    sealed.append(.own(body))
    tail = []
    byteCount += header.size + body.count
  }

  /// Adds a frame of a format with a layout.
  private mutating func append(
    _ body: Span<UInt8>, _ encoder: FrameEncoder, _ pool: BufferPool
  ) throws(FramingError) {
    try encoder.check(bodySize: body.count)
    let mostBytes = encoder.format.overhead + body.count
    if tail.capacity - tail.count < mostBytes { grow(by: mostBytes, pool) }
    let before = tail.count
    try tail.append(addingCapacity: mostBytes) { (output) throws(FramingError) in try encoder.encode(body, into: &output) }
    byteCount += tail.count - before
  }

  /// Adds a part of a group's log, from a position on.
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

  /// Makes room for larger content by taking a shared buffer, if that is worth it.
  private mutating func grow(by size: Int, _ pool: BufferPool) {
    let needed = tail.count + size
    guard needed > 4096, needed <= BufferPool.capacity, tail.capacity < BufferPool.capacity else {
      // `Array` grows without help.
      return
    }
    var larger = pool.take()
    larger.append(contentsOf: tail)
    tail = larger
  }

  /// Calls a closure with the pieces for a gathering write (at most `mostVectors`) and their number of bytes.
  func withVectors<Outcome>(
    _ body: (UnsafeMutableBufferPointer<iovec>, _ byteCount: Int) throws(SystemError) -> Outcome
  ) throws(SystemError) -> Outcome {
    guard !sealed.isEmpty else { return try withTail(body) }
    return try withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.mostVectors) { vectors in
      Result { () throws(SystemError) in try collect(into: vectors, count: 0, byteCount: 0, body) }
    }.get()
  }

  /// The same for one piece, by far the most frequent case.
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

  /// Adds the piece at `head + count`, then calls itself for the next one, so that all pieces stay in place during the call of
  /// `body`.
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

  /// Removes bytes that have left.
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

  /// Removes everything, and returns memory.
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
