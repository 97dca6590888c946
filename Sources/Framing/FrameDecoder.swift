/// Cuts a stream of bytes, however it was split on its way, into frames.
///
/// Give it bytes as they come with `append`, then take frames until there are none left: as arrays with `nextFrame()`, or in
/// place and without a copy with `withNextFrame(_:)` and `forEachFrame(_:)`. When the stream ends, `finish()` tells whether
/// it ended between two frames.
///
/// The length of a frame is judged as soon as it is there and before memory is reserved for its body. The decoder holds what
/// was appended and not yet taken and nothing more: taking all frames after each append bounds it to one incomplete frame
/// and the bytes of one append. After an error it stays failed, for the start of the next frame cannot be known.
public struct FrameDecoder: Sendable {
  /// The shape of the frames.
  public let format: FrameFormat

  /// Bytes that were appended; those before `position` have been taken.
  @usableFromInline var storage: [UInt8] = []
  @usableFromInline var position = 0
  @usableFromInline var failure: FramingError?

  // The format, spread out for the inner loop.
  @usableFromInline let headerSize: Int
  @usableFromInline let isBigEndian: Bool
  @usableFromInline let counted: UInt64
  @usableFromInline var maximumBodySize: UInt64

  /// A decoder at the start of a stream.
  public init(format: FrameFormat = .standard) {
    self.format = format
    headerSize = format.headerSize
    isBigEndian = format.byteOrder == .bigEndian
    counted = format.lengthCountsItself ? UInt64(format.headerSize) : 0
    maximumBodySize = UInt64(format.largestBodySize)
  }

  /// How many bytes were appended and not yet taken as part of a frame.
  public var bufferedByteCount: Int { storage.count - position }

  /// Takes the next frame's body as an array, or returns `nil` when more bytes are needed for it.
  ///
  /// - Throws: `bodyTooLarge` or `lengthSmallerThanItself` when the length cannot be accepted, and from then on always.
  @inlinable
  public mutating func nextFrame() throws(FramingError) -> [UInt8]? {
    guard let body = try nextBody() else { return nil }
    return Array(storage[body])
  }

  /// Shows the next frame's body in place, or returns `nil` without a call when more bytes are needed for it.
  ///
  /// - Parameter body: Called at most once; the span is valid until it returns.
  /// - Throws: `bodyTooLarge` or `lengthSmallerThanItself` when the length cannot be accepted, and from then on always.
  @inlinable @inline(__always)
  public mutating func withNextFrame<Result>(_ body: (Span<UInt8>) -> Result) throws(FramingError) -> Result? {
    guard let range = try nextBody() else { return nil }
    return body(storage.span.extracting(range))
  }

  /// Shows the bodies of all frames that are complete, in order and in place.
  ///
  /// - Parameter body: Called once for each frame; the span is valid until it returns.
  /// - Throws: `bodyTooLarge` or `lengthSmallerThanItself` after the frames before the one whose length cannot be accepted,
  ///   and from then on always.
  @inlinable @inline(__always)
  public mutating func forEachFrame(_ body: (Span<UInt8>) -> Void) throws(FramingError) {
    while let range = try nextBody() {
      body(storage.span.extracting(range))
    }
  }

  /// Whether the next frame is complete, so that it can be taken.
  ///
  /// - Throws: What taking it would throw.
  @inlinable
  public mutating func hasFrame() throws(FramingError) -> Bool {
    let available = storage.count - position
    guard available >= headerSize else {
      if let failure { throw failure }
      return false
    }
    return try bodySize() <= available - headerSize
  }

  /// Says that no more bytes will come.
  ///
  /// All complete frames have to be taken before.
  /// - Throws: `truncated` when the stream ended inside a frame; the error of an earlier call when there was one.
  public mutating func finish() throws(FramingError) {
    if let failure { throw failure }
    let available = bufferedByteCount
    guard available > 0 else { return }
    guard available >= headerSize else { throw fail(.truncated(missing: headerSize - available)) }
    let missing = try bodySize() - (available - headerSize)
    precondition(missing > 0, "A stream was finished before its last frames were taken")
    throw fail(.truncated(missing: missing))
  }

  /// The place of the next body in `storage`, which is thereby taken, or `nil` when it is not complete.
  @inlinable @inline(__always)
  mutating func nextBody() throws(FramingError) -> Range<Int>? {
    let available = storage.count - position
    guard available >= headerSize else {
      if let failure { throw failure }
      return nil
    }
    let size = try bodySize()
    guard size <= available - headerSize else { return nil }
    let start = position + headerSize
    position = start + size
    return start..<position
  }

  /// The size of the body whose complete header is at `position`, once it has been found acceptable.
  @inlinable @inline(__always)
  mutating func bodySize() throws(FramingError) -> Int {
    let length = announcedLength()
    // A number without a sign that is too small becomes one that is too large. Compared as 64-bit numbers, so that no length
    // from the network can overflow.
    guard length &- counted <= maximumBodySize else { throw refuse(length) }
    return Int(length - counted)
  }

  @inlinable @inline(__always)
  func announcedLength() -> UInt64 {
    let header = storage.span.extracting(position..<position + headerSize)
    // The usual width without a loop, of which one load is made.
    if header.count == 4 {
      let length = UInt32(header[0]) << 24 | UInt32(header[1]) << 16 | UInt32(header[2]) << 8 | UInt32(header[3])
      return UInt64(isBigEndian ? length : length.byteSwapped)
    }
    var length: UInt64 = 0
    for index in header.indices { length = length << 8 | UInt64(header[index]) }
    return isBigEndian ? length : length.byteSwapped >> UInt64(64 - 8 * headerSize)
  }

  /// Says what is wrong with a length.
  @usableFromInline
  mutating func refuse(_ length: UInt64) -> FramingError {
    length < counted
      ? fail(.lengthSmallerThanItself(announced: length, width: headerSize))
      : fail(.bodyTooLarge(announced: length - counted, permitted: Int(maximumBodySize)))
  }

  /// Remembers the error and lets go of the bytes, which nothing can be made of any more.
  @usableFromInline
  mutating func fail(_ error: FramingError) -> FramingError {
    failure = error
    storage = []
    position = 0
    return error
  }
}
