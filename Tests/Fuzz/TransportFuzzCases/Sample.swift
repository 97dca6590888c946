import FramedCoding

/// A message of all that messages are made of, itself included.
indirect enum Sample: Marshallable {
  case flag(Bool)
  case numbers(UInt16, UInt32, UInt64, Int32, Int64)
  case text(String)
  case bytes([UInt8])
  case list([Sample])
  case inside(Sample)

  init(from reader: inout MessageReader) throws(MessageError) {
    let start = reader.offset
    switch try reader.readUInt8() {
    case 0: self = .flag(try reader.readBool())
    case 1:
      self = .numbers(
        try reader.readUInt16(), try reader.readUInt32(), try reader.readUInt64(), try reader.readInt32(),
        try reader.readInt64())
    case 2: self = .text(try reader.readString())
    case 3: self = .bytes(try reader.readBytes())
    case 4: self = .list(try reader.readArray())
    case 5: self = .inside(try reader.read())
    default: throw MessageError(.invalidValue, at: start, expected: "a kind from 0 to 5")
    }
  }

  func write(to writer: inout MessageWriter) throws(MessageError) {
    switch self {
    case .flag(let flag):
      writer.writeUInt8(0)
      writer.writeBool(flag)
    case .numbers(let first, let second, let third, let fourth, let fifth):
      writer.writeUInt8(1)
      writer.writeUInt16(first)
      writer.writeUInt32(second)
      writer.writeUInt64(third)
      writer.writeInt32(fourth)
      writer.writeInt64(fifth)
    case .text(let text):
      writer.writeUInt8(2)
      try writer.writeString(text)
    case .bytes(let bytes):
      writer.writeUInt8(3)
      try writer.writeBytes(bytes)
    case .list(let list):
      writer.writeUInt8(4)
      try writer.writeArray(list)
    case .inside(let sample):
      writer.writeUInt8(5)
      try writer.write(sample)
    }
  }
}
