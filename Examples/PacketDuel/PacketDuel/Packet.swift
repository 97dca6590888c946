package import Framing

/// What goes from one peer to the other in one frame: a type, an action, and data of any kind.
///
/// Type and action are four bytes each, most significant first, −1 for unknown; then come the number of bytes of data, in four
/// bytes too, and the data.
package struct Packet: Hashable, Sendable, Marshallable {
  /// What stands for a type or an action that is not known.
  package static let unknown: Int32 = -1

  package let type: Int32
  package let action: Int32
  package let data: [UInt8]

  package init(type: Int32 = unknown, action: Int32 = unknown, data: [UInt8] = []) {
    self.type = type
    self.action = action
    self.data = data
  }

  package init(from reader: inout MessageReader) throws(MessageError) {
    type = try reader.readInt32()
    action = try reader.readInt32()
    data = try reader.readBytes()
  }

  package func write(to writer: inout MessageWriter) throws(MessageError) {
    writer.writeInt32(type)
    writer.writeInt32(action)
    try writer.writeBytes(data)
  }
}

extension FrameFormat {
  /// A packet is announced by eight bytes of length, the least significant first. The largest packet of a duel is small.
  package static let duel = FrameFormat(lengthWidth: .eight, byteOrder: .littleEndian, maximumBodySize: 1024)
}
