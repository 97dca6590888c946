/// Some bytes that the kernel wrote, in the order of this machine.
struct KernelBytes {
  let bytes: ArraySlice<UInt8>

  /// The 32-bit number at an offset; nil past the end.
  func word(at offset: Int) -> UInt32? {
    guard offset >= 0, offset + 4 <= bytes.count else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
  }

  /// The 16-bit number at an offset; nil past the end.
  func half(at offset: Int) -> UInt16? {
    guard offset >= 0, offset + 2 <= bytes.count else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt16.self) }
  }

  /// The bytes as text up to a zero. Bytes that are not UTF-8 are replaced.
  var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}

/// A message of the kernel about interfaces or addresses (`linux/netlink.h`).
struct NetlinkMessage {
  let type: UInt16
  let body: KernelBytes

  /// The messages of one or more datagrams, up to the first that does not fit.
  static func all(in bytes: [UInt8]) -> [NetlinkMessage] {
    var messages: [NetlinkMessage] = []
    var rest = bytes[...]
    while let length = KernelBytes(bytes: rest).word(at: 0), let type = KernelBytes(bytes: rest).half(at: 4) {
      guard length >= 16, length <= rest.count else { break }
      let end = rest.startIndex + Int(length)
      messages.append(NetlinkMessage(type: type, body: KernelBytes(bytes: rest[(rest.startIndex + 16)..<end])))
      rest = rest[min(rest.startIndex + (Int(length) + 3) & ~3, rest.endIndex)...]
    }
    return messages
  }

  /// The data of an attribute of the body.
  ///
  /// - Parameter header: The length in bytes of what precedes the attributes.
  func attribute(_ type: Int, after header: Int) -> KernelBytes? {
    Self.attribute(type, in: body.bytes.dropFirst(header))
  }

  /// The data of an attribute (`struct rtattr`).
  static func attribute(_ type: Int, in bytes: ArraySlice<UInt8>) -> KernelBytes? {
    var rest = bytes
    while let length = KernelBytes(bytes: rest).half(at: 0), let own = KernelBytes(bytes: rest).half(at: 2) {
      guard length >= 4, length <= rest.count else { return nil }
      // The upper two bits say how to read the data.
      if Int(own & 0x3FFF) == type { return KernelBytes(bytes: rest[(rest.startIndex + 4)..<(rest.startIndex + Int(length))]) }
      rest = rest[min(rest.startIndex + (Int(length) + 3) & ~3, rest.endIndex)...]
    }
    return nil
  }
}
