extension FrameFormat {
  /// Creates a format with a length of variable width before each body: seven bits per byte, least significant first (LEB128).
  ///
  /// Delimited messages of Protocol Buffers have this format. A length with more bytes than necessary is accepted if it has at
  /// most ten bytes and fits into 64 bits.
  ///
  /// - Parameter maximumBodySize: The largest body in bytes; 0 or more.
  public static func varint(maximumBodySize: Int = 64 * 1024) -> FrameFormat {
    FrameFormat(VarintLayout(maximumBodySize: maximumBodySize))
  }
}

/// A length in LEB128 before each body.
struct VarintLayout: FrameLayout {
  /// The number of bytes of the longest length, which has 64 bits.
  private static let longest = 10

  let maximumBodySize: Int
  var overhead: Int { Self.longest }

  func scan(_ bytes: Span<UInt8>, seen: Int, limit: Int) throws(FramingError) -> FrameScan {
    var length: UInt64 = 0
    for index in 0..<min(bytes.count, Self.longest) {
      let byte = bytes[index]
      guard index < Self.longest - 1 || byte <= 1 else {
        throw FramingError(.malformed, "A frame length has more than 64 bits; check that both sides use the same format")
      }
      length |= UInt64(byte & 0x7F) << UInt64(7 * index)
      guard byte & 0x80 == 0 else { continue }
      guard length <= UInt64(limit) else { throw .bodyTooLarge(announced: length, permitted: limit) }
      let size = index + 1 + Int(length)
      return bytes.count < size ? .incomplete(needs: size - bytes.count) : .frame(size: size, body: index + 1..<size)
    }
    return .incomplete(needs: 1)
  }

  func writeHeader(of body: Span<UInt8>, into header: inout OutputSpan<UInt8>) -> Int {
    var rest = body.count
    while rest >= 0x80 {
      header.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    header.append(UInt8(rest))
    return 0
  }
}
