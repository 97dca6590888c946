import FramedCoding
package import FuzzCases

/// Values read one after another: each is read or refused, and what was read is written as the bytes that it was read from.
///
/// The first byte is the layout of strings and the number of reads, then comes what is read each time; the rest is the message.
package enum MessageReaderCase {
  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    guard let first = bytes.first else { return }
    let strings: StringLayout = first & 1 == 0 ? .lengthPrefixed : .zeroTerminated
    let reads = bytes.dropFirst().prefix(Int(first >> 1) % 32)
    let message = Array(bytes.dropFirst(1 + reads.count))
    try read(reads, message, strings)
    try decode(message, strings)
  }

  private static func read(
    _ reads: ArraySlice<UInt8>, _ message: [UInt8], _ strings: StringLayout
  ) throws(Violation) {
    var reader = MessageReader(message, strings: strings)
    var writer = MessageWriter(strings: strings)
    for kind in reads {
      let before = reader.offset
      guard let error = copyValue(kind, from: &reader, to: &writer) else { continue }
      try Violation.unless(reader.offset == before, "after a refusal at \(before) the reader stands at \(reader.offset)")
      try Violation.unless((before...message.count).contains(error.offset ?? -1), "refused at \(before): \(error)")
      // Goes on behind the byte at which nothing could be read.
      guard copyValue(0, from: &reader, to: &writer) == nil else { break }
    }
    try Violation.unless(reader.offset + reader.remaining == message.count, "bytes were lost")
    try Violation.unless(writer.bytes == Array(message[..<reader.offset]), "\(message) was read, and \(writer.bytes) written")
  }

  /// - Returns: Why nothing was read.
  private static func copyValue(
    _ kind: UInt8, from reader: inout MessageReader, to writer: inout MessageWriter
  ) -> MessageError? {
    do throws(MessageError) {
      switch kind % 11 {
      case 0: writer.writeUInt8(try reader.readUInt8())
      case 1: writer.writeUInt16(try reader.readUInt16())
      case 2: writer.writeUInt32(try reader.readUInt32())
      case 3: writer.writeUInt64(try reader.readUInt64())
      case 4: writer.writeInt32(try reader.readInt32())
      case 5: writer.writeInt64(try reader.readInt64())
      case 6: writer.writeBool(try reader.readBool())
      case 7: try writer.writeString(try reader.readString())
      case 8: try writer.writeBytes(try reader.readBytes())
      case 9: try writer.write(try reader.read(Sample.self))
      default: try writer.writeArray(try reader.readArray(of: Sample.self))
      }
      return nil
    } catch {
      return error
    }
  }

  private static func decode(_ message: [UInt8], _ strings: StringLayout) throws(Violation) {
    let codec = MarshallingCodec(Sample.self, strings: strings)
    let sample: Sample
    do throws(MessageError) {
      sample = try codec.decode(message)
    } catch {
      return try Violation.unless((0...message.count).contains(error.offset ?? -1), "\(error), of \(message.count) bytes")
    }
    do throws(MessageError) {
      let written = try codec.encode(sample)
      guard written == message else { throw MessageError(.malformed, expected: "the same bytes, not \(written)") }
    } catch {
      throw Violation("\(message) was decoded, and cannot be encoded: \(error)")
    }
  }
}
