public import FramedCoding

/// The body of a frame: a type, an action, and data of any kind.
///
/// Type and action have four bytes each, most significant byte first; −1 means unknown. The number of bytes of data follows,
/// also in four bytes, then the data.
public struct Packet: Hashable, Sendable, Marshallable {
  /// An unknown type or action.
  public static let unknown: Int32 = -1

  public let type: Int32
  public let action: Int32
  public let data: [UInt8]

  public init(type: Int32 = unknown, action: Int32 = unknown, data: [UInt8] = []) {
    self.type = type
    self.action = action
    self.data = data
  }

  public init(from reader: inout MessageReader) throws(MessageError) {
    type = try reader.readInt32()
    action = try reader.readInt32()
    data = try reader.readBytes()
  }

  public func write(to writer: inout MessageWriter) throws(MessageError) {
    writer.writeInt32(type)
    writer.writeInt32(action)
    try writer.writeBytes(data)
  }
}

extension FrameFormat {
  /// A length of eight bytes, least significant byte first, precedes a packet of at most 1,024 bytes.
  public static let duel = FrameFormat(lengthWidth: .eight, byteOrder: .littleEndian, maximumBodySize: 1024)
}
