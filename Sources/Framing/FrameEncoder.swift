/// Makes frames out of bodies.
///
/// Frames are appended to a buffer of the caller's, so that many of them can leave in one piece.
public struct FrameEncoder: Hashable, Sendable {
  /// The shape of the frames.
  public let format: FrameFormat

  // The format, spread out for the inner loop.
  @usableFromInline let headerSize: Int
  @usableFromInline let isBigEndian: Bool
  @usableFromInline let counted: Int
  @usableFromInline let maximumBodySize: Int

  /// An encoder of frames of the given shape.
  public init(format: FrameFormat = .standard) {
    self.format = format
    headerSize = format.headerSize
    isBigEndian = format.byteOrder == .bigEndian
    counted = format.lengthCountsItself ? format.headerSize : 0
    maximumBodySize = format.largestBodySize
  }

  /// Appends a frame with the given body.
  ///
  /// - Throws: `bodyTooLarge` when the body is larger than the format's maximum or than its width can announce; nothing has
  ///   been appended then.
  @inlinable
  public func encode(_ body: some Collection<UInt8>, into output: inout [UInt8]) throws(FramingError) {
    try encodeHeader(bodySize: body.count, into: &output)
    output.append(contentsOf: body)
  }

  /// Appends a frame with the given body.
  ///
  /// - Throws: `bodyTooLarge` when the body is larger than the format's maximum or than its width can announce; nothing has
  ///   been appended then.
  @inlinable
  public func encode(_ body: Span<UInt8>, into output: inout [UInt8]) throws(FramingError) {
    try encodeHeader(bodySize: body.count, into: &output)
    output.append(addingCapacity: body.count) { span in
      // Bytes are appended one by one, but copied many at a time.
      span.append(repeating: 0, count: body.count)
      var place = span.mutableSpan
      for index in body.indices { place[index] = body[index] }
    }
  }

  /// Appends only the header of a frame, for a body that the caller sends after it.
  ///
  /// - Parameters:
  ///   - bodySize: The size of the body in bytes.
  ///   - output: What the header is appended to.
  /// - Throws: `bodyTooLarge` when the body is larger than the format's maximum or than its width can announce; nothing has
  ///   been appended then.
  @inlinable
  public func encodeHeader(bodySize: Int, into output: inout [UInt8]) throws(FramingError) {
    try check(bodySize: bodySize)
    output.append(addingCapacity: headerSize) { header in writeHeader(bodySize: bodySize, into: &header) }
  }

  /// Appends only the header of a frame to memory of the caller's that has room for it.
  ///
  /// - Throws: `bodyTooLarge`; nothing has been appended then.
  @inlinable @inline(__always)
  package func encodeHeader(bodySize: Int, into output: inout OutputSpan<UInt8>) throws(FramingError) {
    try check(bodySize: bodySize)
    writeHeader(bodySize: bodySize, into: &output)
  }

  /// Throws `bodyTooLarge` when a body cannot be framed, before anything is reserved for it.
  @inlinable @inline(__always)
  package func check(bodySize: Int) throws(FramingError) {
    guard bodySize <= maximumBodySize else {
      throw .bodyTooLarge(announced: UInt64(bodySize), permitted: maximumBodySize)
    }
  }

  @inlinable @inline(__always)
  func writeHeader(bodySize: Int, into header: inout OutputSpan<UInt8>) {
    // Cannot overflow: the largest body leaves room for the length to count itself.
    let length = UInt64(bodySize) + UInt64(counted)
    // The usual width without a loop, of which one store is made.
    if headerSize == 4 {
      let length = isBigEndian ? UInt32(truncatingIfNeeded: length) : UInt32(truncatingIfNeeded: length).byteSwapped
      header.append(UInt8(truncatingIfNeeded: length >> 24))
      header.append(UInt8(truncatingIfNeeded: length >> 16))
      header.append(UInt8(truncatingIfNeeded: length >> 8))
      header.append(UInt8(truncatingIfNeeded: length))
    } else if isBigEndian {
      for place in (0..<headerSize).reversed() { header.append(UInt8(truncatingIfNeeded: length >> UInt64(8 * place))) }
    } else {
      for place in 0..<headerSize { header.append(UInt8(truncatingIfNeeded: length >> UInt64(8 * place))) }
    }
  }
}
