/// A decoder that splits a stream of bytes into frames. The bytes may arrive in pieces of any size.
///
/// Pass received bytes to `append`, then take frames until there are none left: as arrays with `nextFrame()`, or in place and
/// without a copy with `withNextFrame(_:)` and `forEachFrame(_:)`. When the stream ends, `finish()` checks that it ended between
/// two frames.
///
/// The size of a frame is checked as soon as it is known, before memory is reserved for its body. The decoder holds only the
/// bytes that were appended and not yet taken. If all frames are taken after each append, that is one incomplete frame and the
/// bytes of one append. After an error the decoder stays failed, because the start of the next frame is unknown.
public struct FrameDecoder: Sendable {
  /// The appended bytes. Those before `position` have been taken.
  @usableFromInline var storage: [UInt8] = []
  @usableFromInline var position = 0
  @usableFromInline var failed: Failure?

  // The format, unpacked for the inner loop, and small, because each connection has one.
  let layout: AnyFrameLayout?
  /// The number of bytes of the length; `Int.max` with a layout, so that the layout is asked.
  @usableFromInline let headerSize: Int
  @usableFromInline var maximumBodySize: UInt64
  /// The number of bytes that a length counts besides the body.
  @usableFromInline let counted: UInt8
  @usableFromInline let isBigEndian: Bool

  // The layout's last answer about the frame at `position`, in 32 bits each: larger numbers are clamped.
  /// The number of bytes that the layout has seen.
  private var seen: UInt32 = 0
  /// The number of bytes that must be there before the layout is asked again.
  private var needed: UInt32 = 0

  /// An error in one word of memory.
  @usableFromInline
  final class Failure: Sendable {
    @usableFromInline let error: FramingError

    init(_ error: FramingError) { self.error = error }
  }

  /// The error that the decoder has failed with.
  @inlinable var failure: FramingError? { failed?.error }

  /// Creates a decoder for the start of a stream.
  public init(format: FrameFormat = .standard) {
    layout = format.layout
    let prefix = format.lengthPrefix
    headerSize = prefix?.width.rawValue ?? .max
    isBigEndian = prefix?.byteOrder == .bigEndian
    counted = prefix?.countsItself == true ? UInt8(headerSize) : 0
    maximumBodySize = UInt64(format.largestBodySize)
  }

  /// The number of bytes that were appended and not yet taken as part of a frame.
  @inlinable public var bufferedByteCount: Int { storage.count - position }

  /// Takes the next frame's body as an array; returns `nil` if the frame is incomplete.
  ///
  /// - Throws: `bodyTooLarge` or another error if the bytes are not a valid frame. All later calls throw the same error.
  @inlinable
  public mutating func nextFrame() throws(FramingError) -> [UInt8]? {
    guard let body = try nextBody() else { return nil }
    return Array(storage[body])
  }

  /// Takes the next frame, and calls a closure with its body in place; returns `nil` without a call if the frame is incomplete.
  ///
  /// - Parameter body: Called at most once. The span is valid until the closure returns.
  /// - Throws: `bodyTooLarge` or another error if the bytes are not a valid frame. All later calls throw the same error.
  @inlinable @inline(__always)
  public mutating func withNextFrame<Result>(_ body: (Span<UInt8>) -> Result) throws(FramingError) -> Result? {
    guard let range = try nextBody() else { return nil }
    return body(storage.span.extracting(range))
  }

  /// Takes all complete frames, and calls a closure with each body, in order and in place.
  ///
  /// - Parameter body: Called once for each frame. The span is valid until the closure returns.
  /// - Throws: `bodyTooLarge` or another error if the bytes after the last valid frame are not a valid frame. All later calls
  ///   throw the same error.
  @inlinable @inline(__always)
  public mutating func forEachFrame(_ body: (Span<UInt8>) -> Void) throws(FramingError) {
    while let range = try nextBody() {
      body(storage.span.extracting(range))
    }
  }

  /// Whether the next frame is complete, so that it can be taken.
  ///
  /// - Throws: The error that taking it would throw.
  @inlinable @inline(__always)
  public mutating func hasFrame() throws(FramingError) -> Bool {
    let available = storage.count - position
    guard available >= headerSize else { return try scan() != nil }
    return try bodySize() <= available - headerSize
  }

  /// Checks the end of the stream. All complete frames must have been taken before.
  ///
  /// - Throws: `truncated` if the stream ended inside a frame; the error of an earlier call, if there was one.
  public mutating func finish() throws(FramingError) {
    let isWhole = try hasFrame()
    precondition(!isWhole, "all complete frames must be taken before finish() is called")
    let available = bufferedByteCount
    guard available > 0 else { return }
    if layout != nil { throw fail(.truncated(missing: max(1, Int(needed) - available))) }
    let isHeaderWhole = available >= headerSize
    throw fail(.truncated(missing: headerSize - available + (isHeaderWhole ? try bodySize() : 0)))
  }

  /// Takes the next frame, and returns the range of its body in `storage`; `nil` if it is incomplete.
  @inlinable @inline(__always)
  mutating func nextBody() throws(FramingError) -> Range<Int>? {
    let available = storage.count - position
    guard available >= headerSize else { return try nextScannedBody() }
    let size = try bodySize()
    guard size <= available - headerSize else { return nil }
    let start = position + headerSize
    position = start + size
    return start..<position
  }

  /// Returns the checked size of the body whose complete header is at `position`.
  @inlinable @inline(__always)
  mutating func bodySize() throws(FramingError) -> Int {
    let length = announcedLength()
    // A length that is too small wraps around to one that is too large. Compared as 64-bit numbers, so that no length from the
    // network can overflow.
    guard length &- UInt64(counted) <= maximumBodySize else { throw refuse(length) }
    return Int(length - UInt64(counted))
  }

  @inlinable @inline(__always)
  func announcedLength() -> UInt64 {
    let header = storage.span.extracting(position..<position + headerSize)
    // The usual width without a loop: the compiler makes one load of it.
    if header.count == 4 {
      let length = UInt32(header[0]) << 24 | UInt32(header[1]) << 16 | UInt32(header[2]) << 8 | UInt32(header[3])
      return UInt64(isBigEndian ? length : length.byteSwapped)
    }
    var length: UInt64 = 0
    for index in header.indices { length = length << 8 | UInt64(header[index]) }
    return isBigEndian ? length : length.byteSwapped >> UInt64(64 - 8 * headerSize)
  }

  /// Fails because of a length.
  @usableFromInline
  mutating func refuse(_ length: UInt64) -> FramingError {
    length < UInt64(counted)
      ? fail(.lengthSmallerThanItself(announced: length, least: headerSize))
      : fail(.bodyTooLarge(announced: length - UInt64(counted), permitted: Int(maximumBodySize)))
  }

  /// Stores the error, and releases the bytes, which can no longer be decoded.
  @usableFromInline
  mutating func fail(_ error: FramingError) -> FramingError {
    failed = Failure(error)
    storage = []
    position = 0
    return error
  }
}

/// Formats with a layout.
extension FrameDecoder {
  /// Asks the layout for the frame at `position`; returns `nil` if it is incomplete or the format has no layout.
  ///
  /// - Throws: The layout's error; the error of an earlier call, if there was one.
  @usableFromInline
  mutating func scan() throws(FramingError) -> (size: Int, fields: Range<Int>, body: Range<Int>)? {
    if let failure { throw failure }
    let available = bufferedByteCount
    guard available > 0, available >= Int(needed), let layout = layout?.layout else { return nil }
    let limit = Int(maximumBodySize)
    let scan: FrameScan
    do throws(FramingError) {
      scan = try layout.scan(storage.span.extracting(position...), seen: Int(seen), limit: limit)
    } catch {
      throw fail(error)
    }
    switch scan {
    case .incomplete(let missing):
      precondition(missing > 0, "scan must need at least one more byte for an incomplete frame")
      seen = UInt32(clamping: available)
      let (size, isOverflow) = available.addingReportingOverflow(missing)
      guard !isOverflow, size - layout.overhead <= limit else {
        throw fail(.bodyTooLarge(announced: UInt64(limit) + 1, permitted: limit))
      }
      needed = UInt32(clamping: size)
      return nil
    case .frame(let size, let fields, let body):
      precondition((1...available).contains(size), "size must be at least 1 and at most the number of bytes")
      precondition(body.lowerBound >= 0 && body.upperBound <= size, "body must be inside the frame")
      precondition(
        fields.isEmpty || fields.lowerBound >= 0 && fields.upperBound <= body.lowerBound, "fields must be before the body")
      guard fields.count + body.count <= limit else {
        throw fail(.bodyTooLarge(announced: UInt64(fields.count + body.count), permitted: limit))
      }
      return (size, fields, body)
    }
  }

  /// The same as `nextBody()`, with a layout.
  @usableFromInline
  mutating func nextScannedBody() throws(FramingError) -> Range<Int>? {
    guard let frame = try scan() else { return nil }
    let body = position + frame.body.lowerBound..<position + frame.body.upperBound
    let start = body.lowerBound - frame.fields.count
    // Backwards, because the two ranges may overlap.
    for index in frame.fields.indices.reversed() {
      storage[start + index - frame.fields.lowerBound] = storage[position + index]
    }
    position += frame.size
    seen = 0
    needed = 0
    return start..<body.upperBound
  }
}
