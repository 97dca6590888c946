/// Messages of rtnetlink as the kernel writes them.
package enum NetlinkBytes {
  package static func number(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

  private static func half(_ number: UInt16) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + Array(repeating: 0, count: (4 - bytes.count % 4) % 4) }

  package static func attribute(_ type: UInt16, _ data: [UInt8]) -> [UInt8] {
    padded(half(UInt16(4 + data.count)) + half(type) + data)
  }

  package static func message(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
    padded(number(UInt32(16 + body.count)) + half(type) + half(2) + number(0) + number(0) + body)
  }

  /// An interface, as with `RTM_NEWLINK`.
  package static func link(
    _ index: UInt32, _ name: String, flags: UInt32, attributes: [(UInt16, [UInt8])] = [], type: UInt16 = 16
  ) -> [UInt8] {
    let header = [0, 0, 1, 0] + number(index) + number(flags) + number(0)
    return message(type, header + attribute(3, Array("\(name)\0".utf8)) + attributes.flatMap { attribute($0.0, $0.1) })
  }

  /// An address, as with `RTM_NEWADDR`.
  ///
  /// - Parameters:
  ///   - flags: All flags; nil if there are only those of the header.
  ///   - local: The own address, where `bytes` is that of the other end.
  package static func address(
    _ index: UInt32, _ bytes: [UInt8], prefixLength: UInt8 = 64, headerFlags: UInt8 = 0, flags: UInt32? = 0, scope: UInt8 = 0,
    local: [UInt8]? = nil, type: UInt16 = 20
  ) -> [UInt8] {
    let header = [bytes.count == 4 ? 2 : 10, prefixLength, headerFlags, scope] + number(index)
    return message(
      type,
      header + attribute(1, bytes) + (local.map { attribute(2, $0) } ?? []) + (flags.map { attribute(8, number($0)) } ?? []))
  }

  /// A route of a kind out of an interface, as with `RTM_NEWROUTE`.
  package static func route(_ kind: UInt8, interface: UInt32?, type: UInt16 = 24) -> [UInt8] {
    message(type, [2, 32, 0, 0, 254, 0, 0, kind, 0, 0, 0, 0] + (interface.map { attribute(4, number($0)) } ?? []))
  }
}
