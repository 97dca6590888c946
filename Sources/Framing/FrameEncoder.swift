/// Makes frames out of bodies.
///
/// Frames are appended to a buffer of the caller's, so that many of them can leave in one piece.
public struct FrameEncoder: Hashable, Sendable {
  /// The shape of the frames.
  public let format: FrameFormat

  /// An encoder of frames of the given shape.
  public init(format: FrameFormat = .standard) {
    self.format = format
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
      for index in body.indices { span.append(body[index]) }
    }
  }

  /// Appends only the header of a frame, for a body that the caller sends after it.
  ///
  /// - Parameter bodySize: The size of the body in bytes.
  /// - Throws: `bodyTooLarge` when the body is larger than the format's maximum or than its width can announce; nothing has
  ///   been appended then.
  @inlinable
  public func encodeHeader(bodySize: Int, into output: inout [UInt8]) throws(FramingError) {
    guard bodySize <= format.largestBodySize else {
      throw .bodyTooLarge(announced: UInt64(bodySize), permitted: format.largestBodySize)
    }
    let width = format.headerSize
    let length = UInt64(bodySize) + (format.lengthCountsItself ? UInt64(width) : 0)
    for place in 0..<width {
      let shift = 8 * (format.byteOrder == .bigEndian ? width - 1 - place : place)
      output.append(UInt8(truncatingIfNeeded: length >> UInt64(shift)))
    }
  }
}
