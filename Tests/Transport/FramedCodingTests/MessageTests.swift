import FramedCoding
import TestSupport
import Testing
import _BonjourishBase

@Suite struct MessageTests {
  @Test func `numbers are in network order`() {
    var writer = MessageWriter()
    writer.writeUInt8(0xFE)
    writer.writeUInt16(0x0102)
    writer.writeUInt32(0x0304_0506)
    writer.writeInt32(-2)
    writer.writeUInt64(0x0708_090A_0B0C_0D0E)
    writer.writeInt64(-256)
    #expect(
      writer.bytes == [0xFE, 1, 2, 3, 4, 5, 6, 0xFF, 0xFF, 0xFF, 0xFE, 7, 8, 9, 10, 11, 12, 13, 14]
        + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0])
  }

  @Test func `strings are laid out as asked`() throws {
    var prefixed = MessageWriter()
    try prefixed.writeString("aé")
    #expect(prefixed.bytes == [0, 0, 0, 3, 0x61, 0xC3, 0xA9])
    var terminated = MessageWriter(strings: .zeroTerminated)
    try terminated.writeString("aé")
    #expect(terminated.bytes == [0, 0, 0, 4, 0x61, 0xC3, 0xA9, 0])
  }

  @Test func `a player of the hosted server introduces himself`() throws {
    var writer = MessageWriter(strings: .zeroTerminated)
    writer.writeUInt8(0)
    try writer.writeString("G:1")
    try writer.writeString("")
    writer.writeUInt8(1)
    #expect(writer.bytes == [0, 0, 0, 0, 4, 0x47, 0x3A, 0x31, 0, 0, 0, 0, 1, 0, 1])

    var reader = MessageReader(writer.bytes, strings: .zeroTerminated)
    #expect(try reader.readUInt8() == 0)
    #expect(try reader.readString() == "G:1")
    #expect(try reader.readString() == "")
    #expect(reader.remaining == 1)
    #expect(try reader.readUInt8() == 1)
    try reader.expectEnd()
  }

  @Test func `a zero byte inside a string needs the other layout`() throws {
    var terminated = MessageWriter(strings: .zeroTerminated)
    terminated.writeUInt8(1)
    let error = #expect(throws: MessageError.self) { try terminated.writeString("a\0b") }
    #expect(error?.code == .misplacedZero)
    #expect(error?.offset == 1)
    #expect(terminated.bytes == [1])

    var prefixed = MessageWriter()
    try prefixed.writeString("a\0b")
    var reader = MessageReader(prefixed.bytes)
    #expect(try reader.readString() == "a\0b")
  }

  @Test(
    arguments: [
      (.lengthPrefixed, [0, 0, 0], .truncated),
      (.lengthPrefixed, [0, 0, 0, 4, 1, 2, 3], .truncated),
      (.lengthPrefixed, [0x7F, 0xFF, 0xFF, 0xFF, 1], .truncated),
      (.lengthPrefixed, [0xFF, 0xFF, 0xFF, 0xFF, 1], .invalidLength),
      (.lengthPrefixed, [0, 0, 0, 2, 0xC3, 0x28], .invalidUTF8),
      (.lengthPrefixed, [0, 0, 0, 3, 0xED, 0xA0, 0x80], .invalidUTF8),
      (.zeroTerminated, [0, 0, 0, 0], .invalidLength),
      (.zeroTerminated, [0x80, 0, 0, 0, 0], .invalidLength),
      (.zeroTerminated, [0, 0, 0, 2, 0x61, 0x62], .misplacedZero),
      (.zeroTerminated, [0, 0, 0, 3, 0x61, 0, 0], .misplacedZero),
      (.zeroTerminated, [0, 0, 0, 3, 0xFF, 0x62, 0], .invalidUTF8),
      (.zeroTerminated, [0, 0, 0, 3, 0x61, 0], .truncated),
    ] as [(StringLayout, [UInt8], MessageError.Code)])
  func `a malformed string is refused and not stepped over`(layout: StringLayout, bytes: [UInt8], code: MessageError.Code) {
    var reader = MessageReader([9] + bytes, strings: layout)
    #expect(throws: Never.self) { try reader.readUInt8() }
    let error = #expect(throws: MessageError.self) { try reader.readString() }
    #expect(error?.code == code)
    #expect(error?.offset == 1)
    #expect(reader.offset == 1)
  }

  @Test func `a string that is too long is not stepped over`() throws {
    var reader = MessageReader([9, 0, 0, 0, 4, 0xC3, 0xBC, 0x61, 0x62])
    _ = try reader.readUInt8()
    let error = #expect(throws: MessageError.self) { try reader.readString(upTo: 3) }
    #expect(error?.code == .tooLarge && error?.offset == 1)
    #expect(reader.offset == 1)
    #expect(try reader.readString(upTo: 4) == "üab")
  }

  @Test func `an error says where and what`() {
    var reader = MessageReader([1, 2, 3])
    #expect(throws: Never.self) { try reader.readUInt8() }
    let error = #expect(throws: MessageError.self) { try reader.readInt32() }
    #expect(error.map { "\($0)" } == "At byte 1 of a message: expected Int32; only 2 bytes remain (truncated)")
    #expect(reader.remaining == 2)
    let end = #expect(throws: MessageError.self) { try reader.expectEnd() }
    #expect(end?.code == .trailingBytes)
  }

  @Test func `bytes of a negative or excessive length are refused`() {
    for bytes: [UInt8] in [[0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0, 0, 0, 1]] {
      var reader = MessageReader(bytes)
      #expect(throws: MessageError.self) { try reader.readBytes() }
      #expect(reader.offset == 0)
    }
  }

  /// A value as a test knows it.
  enum Value: Equatable {
    case uint8(UInt8), uint16(UInt16), uint32(UInt32), uint64(UInt64), int32(Int32), int64(Int64)
    case string(String), bytes([UInt8])

    static func random(using generator: inout SeededGenerator) -> Value {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: .uint8(.random(in: .min ... .max, using: &generator))
      case 1: .uint16(.random(in: .min ... .max, using: &generator))
      case 2: .uint32(.random(in: .min ... .max, using: &generator))
      case 3: .uint64(.random(in: .min ... .max, using: &generator))
      case 4: .int32(.random(in: .min ... .max, using: &generator))
      case 5: .int64(.random(in: .min ... .max, using: &generator))
      case 6:
        .string(
          String((0..<Int.random(in: 0..<20, using: &generator)).map { _ in "a é漢🂡\u{301}".randomElement(using: &generator)! }))
      default: .bytes(generator.bytes(count: .random(in: 0..<40, using: &generator)))
      }
    }

    func write(to writer: inout MessageWriter) throws(MessageError) {
      switch self {
      case .uint8(let value): writer.writeUInt8(value)
      case .uint16(let value): writer.writeUInt16(value)
      case .uint32(let value): writer.writeUInt32(value)
      case .uint64(let value): writer.writeUInt64(value)
      case .int32(let value): writer.writeInt32(value)
      case .int64(let value): writer.writeInt64(value)
      case .string(let value): try writer.writeString(value)
      case .bytes(let value): try writer.writeBytes(value)
      }
    }

    /// Reads a value of the same kind.
    func read(from reader: inout MessageReader) throws(MessageError) -> Value {
      switch self {
      case .uint8: .uint8(try reader.readUInt8())
      case .uint16: .uint16(try reader.readUInt16())
      case .uint32: .uint32(try reader.readUInt32())
      case .uint64: .uint64(try reader.readUInt64())
      case .int32: .int32(try reader.readInt32())
      case .int64: .int64(try reader.readInt64())
      case .string: .string(try reader.readString())
      case .bytes: .bytes(try reader.readBytes())
      }
    }
  }

  @Test(arguments: StringLayout.allCases, 0..<50 as Range<UInt64>)
  func `what was written is read, and no beginning of it is`(layout: StringLayout, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let values = (0..<Int.random(in: 1..<20, using: &generator)).map { _ in Value.random(using: &generator) }
    var writer = MessageWriter(strings: layout)
    for value in values { try value.write(to: &writer) }

    var reader = MessageReader(writer.bytes, strings: layout)
    for value in values { #expect(try value.read(from: &reader) == value, "seed \(seed)") }
    try reader.expectEnd()

    for length in writer.bytes.indices {
      var reader = MessageReader(Array(writer.bytes[..<length]), strings: layout)
      let error = #expect(throws: MessageError.self, "seed \(seed)") {
        for value in values { _ = try value.read(from: &reader) }
      }
      #expect(error?.code == .truncated, "seed \(seed)")
    }
  }

  @Test(arguments: StringLayout.allCases, 0..<200 as Range<UInt64>)
  func `random bytes are read or refused`(layout: StringLayout, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let highest: UInt8 = [1, 255].randomElement(using: &generator) ?? 1
    let bytes = (0..<Int.random(in: 0..<100, using: &generator)).map { _ in UInt8.random(in: 0...highest, using: &generator) }
    var reader = MessageReader(bytes, strings: layout)
    var position = 0
    while let _ = try? Value.random(using: &generator).read(from: &reader) {
      #expect(reader.offset > position, "seed \(seed)")
      position = reader.offset
    }
    #expect(reader.offset == position, "seed \(seed)")
    #expect(reader.offset + reader.remaining == bytes.count, "seed \(seed)")
  }
}
