/// The header of a frame (RFC 6455, section 5.2).
package struct WebSocketFrameHeader: Hashable, Sendable {
  /// The most bytes of a header.
  package static var mostBytes: Int { 14 }

  package let opcode: WebSocketOpcode
  /// Whether it is the last frame of its message.
  package let isFinal: Bool
  /// The number of bytes of the payload.
  package let length: UInt64
  /// The mask, its first byte in the lowest bits; `nil` for none.
  package let mask: UInt32?

  package init(_ opcode: WebSocketOpcode, isFinal: Bool = true, length: UInt64, mask: UInt32? = nil) {
    self.opcode = opcode
    self.isFinal = isFinal
    self.length = length
    self.mask = mask
  }

  /// Appends the header, with the shortest form of the length; there must be room for ``mostBytes``.
  package func write(into output: inout OutputSpan<UInt8>) {
    output.append(opcode.rawValue | (isFinal ? 0x80 : 0))
    let masked: UInt8 = mask == nil ? 0 : 0x80
    if length < 126 {
      output.append(masked | UInt8(truncatingIfNeeded: length))
    } else if length <= UInt16.max {
      output.append(masked | 126)
      output.append(UInt8(truncatingIfNeeded: length >> 8))
      output.append(UInt8(truncatingIfNeeded: length))
    } else {
      output.append(masked | 127)
      for place in (0..<8).reversed() { output.append(UInt8(truncatingIfNeeded: length >> UInt64(8 * place))) }
    }
    guard let mask else { return }
    for place in 0..<4 { output.append(UInt8(truncatingIfNeeded: mask >> UInt32(8 * place))) }
  }

  /// A whole control frame.
  package static func control(_ opcode: WebSocketOpcode, _ payload: [UInt8], mask: UInt32?) -> [UInt8] {
    precondition(opcode.isControl && payload.count <= 125, "a control frame has at most 125 bytes")
    var frame: [UInt8] = []
    frame.append(addingCapacity: mostBytes + payload.count) { output in
      Self(opcode, length: UInt64(payload.count), mask: mask).write(into: &output)
      for (index, byte) in payload.enumerated() { output.append(byte ^ (mask ?? 0).maskByte(index)) }
    }
    return frame
  }
}

extension UInt32 {
  /// The byte of a mask for the payload's byte at an index.
  package func maskByte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: self >> UInt32(8 * (index & 3))) }

  /// The mask for the rest of a payload after a number of bytes.
  package func mask(after count: Int) -> UInt32 {
    let shift = UInt32(8 * (count & 3))
    return shift == 0 ? self : self >> shift | self << (32 - shift)
  }
}
