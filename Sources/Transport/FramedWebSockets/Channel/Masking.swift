/// Masks and unmasks payloads (RFC 6455, section 5.3), eight bytes at a time.
enum Masking {
  /// Copies bytes with a mask.
  ///
  /// - Parameters:
  ///   - source: The bytes.
  ///   - target: Memory for as many bytes, which does not overlap with the source unless it is the same.
  ///   - mask: The mask for the first byte and those after it, from the lowest bits on.
  @inline(__always)
  static func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer, mask: UInt32) {
    guard let start = source.baseAddress else { return }
    guard mask != 0 else { return target.copyMemory(from: start, byteCount: source.count) }
    let little = mask.littleEndian
    let wide = SIMD4<UInt64>(repeating: UInt64(little) << 32 | UInt64(little))
    var offset = 0
    while source.count - offset >= 32 {
      let block = start.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self) ^ wide
      target.storeBytes(of: block, toByteOffset: offset, as: SIMD4<UInt64>.self)
      offset += 32
    }
    while source.count - offset >= 8 {
      let word = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ wide[0]
      target.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < source.count {
      let byte =
        start.load(fromByteOffset: offset, as: UInt8.self) ^ UInt8(truncatingIfNeeded: mask >> UInt32(8 * (offset & 3)))
      target.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
      offset += 1
    }
  }
}
