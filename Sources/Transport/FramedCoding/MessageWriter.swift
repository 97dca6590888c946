/// A writer of values, one after another, into the body of a frame in network byte order.
///
/// `MessageReader` reads them in the same order. The bytes contain neither separators nor types: both sides must know the order.
public struct MessageWriter: Sendable {
  /// The written bytes.
  public private(set) var bytes: [UInt8]

  /// The layout of strings.
  public let strings: StringLayout

  /// The start of the message in `bytes`.
  private let start: Int

  /// The number of values that contain the next one.
  var depth = 0

  /// Creates a writer for a new message.
  ///
  /// - Parameters:
  ///   - bytes: The bytes before the message in the same body.
  ///   - strings: The layout of strings, the same as for the reader.
  public init(appendingTo bytes: consuming [UInt8] = [], strings: StringLayout = .lengthPrefixed) {
    start = bytes.count
    self.bytes = bytes
    self.strings = strings
  }

  /// The number of written bytes of the message.
  var byteCount: Int { bytes.count - start }

  /// Writes a byte.
  public mutating func writeUInt8(_ value: UInt8) { bytes.append(value) }

  /// Writes an unsigned number of two bytes.
  public mutating func writeUInt16(_ value: UInt16) { write(value) }

  /// Writes an unsigned number of four bytes.
  public mutating func writeUInt32(_ value: UInt32) { write(value) }

  /// Writes an unsigned number of eight bytes.
  public mutating func writeUInt64(_ value: UInt64) { write(value) }

  /// Writes a signed number of four bytes (two's complement).
  public mutating func writeInt32(_ value: Int32) { write(value) }

  /// Writes a signed number of eight bytes (two's complement).
  public mutating func writeInt64(_ value: Int64) { write(value) }

  /// Writes the length of a string as `Int32`, and its UTF-8 bytes.
  ///
  /// - Throws: `tooLarge` for 2 GiB or more; `misplacedZero` if strings end with a zero byte and this one contains one.
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

  /// Writes the number of bytes as `Int32`, and the bytes.
  ///
  /// - Throws: `tooLarge` for 2 GiB or more. Nothing has been written then.
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

  /// Runs a closure; if it throws, removes everything that it has written.
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
