/// An encoder that makes frames from bodies.
///
/// Frames are appended to the caller's buffer, so that many of them can be sent at once.
public struct FrameEncoder: Hashable, Sendable {
  /// The format of the frames.
  public let format: FrameFormat

  /// The writer of headers that are a length; `nil` for formats with a layout.
  package let header: LengthHeader?

  /// Creates an encoder for the given format.
  public init(format: FrameFormat = .standard) {
    self.format = format
    header = format.lengthPrefix.map { LengthHeader($0, largestBodySize: format.largestBodySize) }
  }

  /// Appends a frame with the given body.
  ///
  /// - Throws: `bodyTooLarge` if the body is larger than the format's maximum or than its length can announce; another error for
  ///   a body that the format cannot send, such as one with a delimiter. Nothing has been appended then.
  public func encode(_ body: some Collection<UInt8>, into output: inout [UInt8]) throws(FramingError) {
    guard let header else { return try encode(Array(body).span, into: &output) }
    try header.check(bodySize: body.count)
    output.append(addingCapacity: LengthHeader.mostBytes) { header.write(bodySize: body.count, into: &$0) }
    output.append(contentsOf: body)
  }

  /// Appends a frame with the given body.
  ///
  /// - Throws: As `encode(_:into:)` does for a collection.
  public func encode(_ body: Span<UInt8>, into output: inout [UInt8]) throws(FramingError) {
    try check(bodySize: body.count)
    try output.append(addingCapacity: format.overhead + body.count) { (output) throws(FramingError) in
      try encode(body, into: &output)
    }
  }

  /// Appends a frame with the given body to the caller's memory, which must have room for the body and the format's overhead.
  ///
  /// - Throws: As `encode(_:into:)` does for a collection.
  package func encode(_ body: Span<UInt8>, into output: inout OutputSpan<UInt8>) throws(FramingError) {
    try check(bodySize: body.count)
    guard let layout = format.layout?.layout else {
      header?.write(bodySize: body.count, into: &output)
      return Self.append(body, to: &output)
    }
    guard body.count > 0 || layout.permitsEmptyFrames else { throw .bodyTooSmall(0, least: 1) }
    let start = output.count
    do throws(FramingError) {
      let taken = try layout.writeHeader(of: body, into: &output)
      precondition((0...body.count).contains(taken), "writeHeader must return a number of bytes of the body")
      Self.append(body.extracting(taken..<body.count), to: &output)
    } catch {
      output.removeLast(output.count - start)
      throw error
    }
    layout.writeTrailer(of: body, into: &output)
  }

  /// Throws `bodyTooLarge` if a body is too large, before memory is reserved for it.
  package func check(bodySize: Int) throws(FramingError) {
    guard bodySize <= format.largestBodySize else {
      throw .bodyTooLarge(announced: UInt64(bodySize), permitted: format.largestBodySize)
    }
  }

  private static func append(_ body: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
    let start = output.count
    // Appending copies bytes one by one; writing to a mutable span copies many at a time.
    output.append(repeating: 0, count: body.count)
    var place = output.mutableSpan
    for index in body.indices { place[start + index] = body[index] }
  }
}

/// A writer of the length before a body. A trivial type, so that it is copied for each frame without reference counting.
@usableFromInline
package struct LengthHeader: Hashable, Sendable {
  /// The size of the largest header in bytes.
  @usableFromInline package static var mostBytes: Int { 8 }

  /// The size of the header in bytes.
  @usableFromInline package let size: Int
  @usableFromInline let isBigEndian: Bool
  @usableFromInline let counted: Int
  @usableFromInline let largestBodySize: Int

  init(_ prefix: FrameFormat.LengthPrefix, largestBodySize: Int) {
    size = prefix.width.rawValue
    isBigEndian = prefix.byteOrder == .bigEndian
    counted = prefix.countsItself ? size : 0
    self.largestBodySize = largestBodySize
  }

  /// Throws `bodyTooLarge` if a body is too large.
  @inlinable @inline(__always)
  package func check(bodySize: Int) throws(FramingError) {
    guard bodySize <= largestBodySize else {
      throw .bodyTooLarge(announced: UInt64(bodySize), permitted: largestBodySize)
    }
  }

  /// Appends the header for a body that has been checked.
  @inlinable @inline(__always)
  package func write(bodySize: Int, into header: inout OutputSpan<UInt8>) {
    // Cannot overflow: the largest body leaves room for the length to count itself.
    let length = UInt64(bodySize) + UInt64(counted)
    // The usual width without a loop: the compiler makes one store of it.
    if size == 4 {
      let length = isBigEndian ? UInt32(truncatingIfNeeded: length) : UInt32(truncatingIfNeeded: length).byteSwapped
      header.append(UInt8(truncatingIfNeeded: length >> 24))
      header.append(UInt8(truncatingIfNeeded: length >> 16))
      header.append(UInt8(truncatingIfNeeded: length >> 8))
      header.append(UInt8(truncatingIfNeeded: length))
    } else if isBigEndian {
      for place in (0..<size).reversed() { header.append(UInt8(truncatingIfNeeded: length >> UInt64(8 * place))) }
    } else {
      for place in 0..<size { header.append(UInt8(truncatingIfNeeded: length >> UInt64(8 * place))) }
    }
  }
}
