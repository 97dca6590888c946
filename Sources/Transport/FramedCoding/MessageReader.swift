/// A reader of values, one after another, from the body of a frame in network byte order.
///
/// For any bytes, a read returns a value or throws. After an error the position is unchanged. Lengths are compared with the size
/// of the message before memory is reserved.
public struct MessageReader: Sendable {
  private let bytes: [UInt8]

  /// The layout of strings.
  public let strings: StringLayout

  /// The number of bytes that have been read.
  public internal(set) var offset = 0

  /// The number of values that contain the next one.
  var depth = 0

  /// Creates a reader at the start of a message.
  ///
  /// - Parameters:
  ///   - bytes: The whole message.
  ///   - strings: The layout of strings, the same as for the writer.
  public init(_ bytes: [UInt8], strings: StringLayout = .lengthPrefixed) {
    self.bytes = bytes
    self.strings = strings
  }

  /// The number of bytes that have not been read.
  public var remaining: Int { bytes.count - offset }

  /// Reads a byte.
  ///
  /// - Throws: `truncated`.
  public mutating func readUInt8() throws(MessageError) -> UInt8 { try read(UInt8.self) }

  /// Reads an unsigned number of two bytes.
  ///
  /// - Throws: `truncated`.
  public mutating func readUInt16() throws(MessageError) -> UInt16 { try read(UInt16.self) }

  /// Reads an unsigned number of four bytes.
  ///
  /// - Throws: `truncated`.
  public mutating func readUInt32() throws(MessageError) -> UInt32 { try read(UInt32.self) }

  /// Reads an unsigned number of eight bytes.
  ///
  /// - Throws: `truncated`.
  public mutating func readUInt64() throws(MessageError) -> UInt64 { try read(UInt64.self) }

  /// Reads a signed number of four bytes (two's complement).
  ///
  /// - Throws: `truncated`.
  public mutating func readInt32() throws(MessageError) -> Int32 { try read(Int32.self) }

  /// Reads a signed number of eight bytes (two's complement).
  ///
  /// - Throws: `truncated`.
  public mutating func readInt64() throws(MessageError) -> Int64 { try read(Int64.self) }

  /// Reads a length as `Int32`, and a string of that many UTF-8 bytes.
  ///
  /// - Throws: `truncated`; `invalidLength`; `invalidUTF8`; `misplacedZero` if strings end with a zero byte and this one does
  ///   not, or contains another.
  public mutating func readString() throws(MessageError) -> String {
    let terminator = strings.terminatorSize
    var ahead = self
    let place = try ahead.stepOver("a string", atLeast: terminator)
    let text = bytes[place.dropLast(terminator)]
    if strings == .zeroTerminated, text.contains(0) || bytes[place.upperBound - 1] != 0 {
      throw MessageError(.misplacedZero, at: offset, expected: "a string with a zero byte at its end and nowhere else")
    }
    guard let string = String(validating: text, as: UTF8.self) else {
      throw MessageError(.invalidUTF8, at: offset, expected: "a string in UTF-8")
    }
    self = ahead
    return string
  }

  /// Reads a string as `readString()` does, of at most so many bytes of UTF-8.
  ///
  /// - Throws: `tooLarge`; what `readString()` throws.
  package mutating func readString(upTo byteCount: Int) throws(MessageError) -> String {
    var ahead = self
    let string = try ahead.readString()
    guard string.utf8.count <= byteCount else {
      throw MessageError(.tooLarge, at: offset, expected: "a string of at most \(byteCount) bytes")
    }
    self = ahead
    return string
  }

  /// Reads a length as `Int32`, and that many bytes.
  ///
  /// - Throws: `truncated`, `invalidLength`.
  public mutating func readBytes() throws(MessageError) -> [UInt8] {
    Array(bytes[try stepOver("bytes", atLeast: 0)])
  }

  /// Checks that the whole message has been read.
  ///
  /// - Throws: `trailingBytes`.
  public func expectEnd() throws(MessageError) {
    guard remaining == 0 else {
      throw MessageError(.trailingBytes, at: offset, expected: "the end of the message, not \(remaining) more bytes")
    }
  }

  /// Reads a length, skips that many bytes, and returns their range.
  private mutating func stepOver(_ what: String, atLeast minimum: Int) throws(MessageError) -> Range<Int> {
    var ahead = self
    let length = Int(try ahead.read(Int32.self, expecting: "the length of \(what)"))
    guard length >= minimum else {
      throw MessageError(.invalidLength, at: offset, expected: "\(what) of at least \(minimum) bytes, not of \(length)")
    }
    guard length <= ahead.remaining else {
      throw MessageError(.truncated, at: offset, expected: "\(what) of \(length) bytes; only \(ahead.remaining) follow")
    }
    let start = ahead.offset
    offset = start + length
    return start..<offset
  }

  private mutating func read<Value: FixedWidthInteger>(
    _ type: Value.Type, expecting what: @autoclosure () -> String = "\(Value.self)"
  ) throws(MessageError) -> Value {
    let size = Value.bitWidth / 8
    guard remaining >= size else {
      throw MessageError(.truncated, at: offset, expected: "\(what()); only \(remaining) bytes remain")
    }
    var value: Value = 0
    for byte in bytes[offset..<offset + size] {
      // `<<` by all bits of a type gives zero: so a type of one byte works too.
      value = value << 8 | Value(truncatingIfNeeded: byte)
    }
    offset += size
    return value
  }
}
