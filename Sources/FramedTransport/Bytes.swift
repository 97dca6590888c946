/// Copies of many bytes at once, for which spans have no words of their own yet.
extension OutputSpan<UInt8> {
  /// Appends bytes for which there is room.
  @inline(__always)
  mutating func append(copying bytes: Span<UInt8>) {
    withUnsafeMutableBufferPointer { buffer, count in
      bytes.withUnsafeBufferPointer { bytes in
        count = buffer[count...].initialize(fromContentsOf: bytes)
      }
    }
  }
}

extension [UInt8] {
  /// Up to this size it costs nothing to keep what was there while it is overwritten.
  private static var littleSize: Int { 1024 }

  /// Becomes a copy of other bytes, in the same memory if nobody else has it and it is not far too large.
  @inline(__always)
  mutating func replaceAll(with bytes: Span<UInt8>) {
    if count == bytes.count, count <= Self.littleSize {
      withUnsafeMutableBufferPointer { place in
        bytes.withUnsafeBufferPointer { _ = place.update(fromContentsOf: $0) }
      }
    } else {
      if capacity > 2 * bytes.count + Self.littleSize { self = [] }
      removeAll(keepingCapacity: true)
      append(addingCapacity: bytes.count) { $0.append(copying: bytes) }
    }
  }
}
