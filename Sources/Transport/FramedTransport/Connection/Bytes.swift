/// Bulk copies, for which the standard library's spans have no operation yet.
extension OutputSpan<UInt8> {
  /// Appends bytes; there must be room for them.
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
  /// The size up to which overwriting an array in place costs no more than emptying it first.
  private static var littleSize: Int { 1024 }

  /// Replaces the content with a copy of other bytes, in the same memory if it is not shared and not far too large.
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
