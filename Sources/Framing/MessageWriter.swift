/// Writes values one after another into the body of a frame, in network order.
///
/// `MessageReader` reads them in the same order. There is nothing in between, and nothing that tells what they are: both sides
/// know it.
public struct MessageWriter: Sendable {
  /// What has been written.
  public private(set) var bytes: [UInt8]

  /// How strings are laid out.
  public let strings: StringLayout

  /// Where the message begins in `bytes`.
  private let start: Int

  /// How many values are being written inside of which the next one is.
  var depth = 0

  /// A writer of an empty message.
  ///
  /// - Parameters:
  ///   - bytes: What stands before the message in the same body.
  ///   - strings: How strings are laid out; the reader has to be told the same.
  public init(appendingTo bytes: consuming [UInt8] = [], strings: StringLayout = .lengthPrefixed) {
    start = bytes.count
    self.bytes = bytes
    self.strings = strings
  }

  /// How many bytes of the message have been written.
  var byteCount: Int { bytes.count - start }

  /// Writes a byte.
  public mutating func writeUInt8(_ value: UInt8) { bytes.append(value) }

  /// Writes two bytes as a number without a sign.
  public mutating func writeUInt16(_ value: UInt16) { write(value) }

  /// Writes four bytes as a number without a sign.
  public mutating func writeUInt32(_ value: UInt32) { write(value) }

  /// Writes eight bytes as a number without a sign.
  public mutating func writeUInt64(_ value: UInt64) { write(value) }

  /// Writes four bytes as a number in two's complement.
  public mutating func writeInt32(_ value: Int32) { write(value) }

  /// Writes eight bytes as a number in two's complement.
  public mutating func writeInt64(_ value: Int64) { write(value) }

  /// Writes the length of a string as `Int32` and its UTF-8 bytes.
  ///
  /// - Throws: `tooLarge` from 2 GiB on; `misplacedZero` when strings end with a zero byte and this one contains one.
  ///   Nothing has been written then.
  public mutating func writeString(_ value: String) throws(MessageError) {
    let text = value.utf8
    if strings == .zeroTerminated, text.contains(0) {
      throw MessageError(.misplacedZero, at: byteCount, expected: "a string without a zero byte")
    }
    try writeLength(text.count + strings.terminatorSize)
    bytes.append(contentsOf: text)
    if strings == .zeroTerminated { bytes.append(0) }
  }

  /// Writes the number of bytes as `Int32` and the bytes.
  ///
  /// - Throws: `tooLarge` from 2 GiB on. Nothing has been written then.
  public mutating func writeBytes(_ value: some Collection<UInt8>) throws(MessageError) {
    try writeLength(value.count)
    bytes.append(contentsOf: value)
  }

  mutating func writeLength(_ length: Int, of what: String = "bytes") throws(MessageError) {
    guard let length = Int32(exactly: length) else {
      throw MessageError(.tooLarge, at: byteCount, expected: "at most \(Int32.max) \(what)")
    }
    writeInt32(length)
  }

  /// Takes back everything that a closure has written when it throws.
  mutating func writeWhole(_ body: (inout MessageWriter) throws(MessageError) -> Void) throws(MessageError) {
    let (count, depth) = (bytes.count, depth)
    do throws(MessageError) {
      try body(&self)
    } catch {
      bytes.removeSubrange(count...)
      self.depth = depth
      throw error
    }
  }

  private mutating func write<Value: FixedWidthInteger>(_ value: Value) {
    for shift in stride(from: Value.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> Value(shift)))
    }
  }
}
