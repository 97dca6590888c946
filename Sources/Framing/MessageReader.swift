/// Reads values one after another from the body of a frame, in network order.
///
/// Whatever the bytes are, a read gives a value or throws; after a throw the reader stands where it stood. Lengths are
/// compared with what the message really holds before memory is reserved.
public struct MessageReader: Sendable {
  private let bytes: [UInt8]

  /// How strings are laid out.
  public let strings: StringLayout

  /// The number of bytes that have been read.
  public internal(set) var offset = 0

  /// How many values are being read inside of which the next one is.
  var depth = 0

  /// A reader at the start of a message.
  ///
  /// - Parameters:
  ///   - bytes: The whole message.
  ///   - strings: How strings are laid out; the same as for the writer.
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

  /// Reads two bytes as a number without a sign.
  ///
  /// - Throws: `truncated`.
  public mutating func readUInt16() throws(MessageError) -> UInt16 { try read(UInt16.self) }

  /// Reads four bytes as a number without a sign.
  ///
  /// - Throws: `truncated`.
  public mutating func readUInt32() throws(MessageError) -> UInt32 { try read(UInt32.self) }

  /// Reads eight bytes as a number without a sign.
  ///
  /// - Throws: `truncated`.
  public mutating func readUInt64() throws(MessageError) -> UInt64 { try read(UInt64.self) }

  /// Reads four bytes as a number in two's complement.
  ///
  /// - Throws: `truncated`.
  public mutating func readInt32() throws(MessageError) -> Int32 { try read(Int32.self) }

  /// Reads eight bytes as a number in two's complement.
  ///
  /// - Throws: `truncated`.
  public mutating func readInt64() throws(MessageError) -> Int64 { try read(Int64.self) }

  /// Reads a length as `Int32` and a string of so many UTF-8 bytes.
  ///
  /// - Throws: `truncated`, `invalidLength`, `invalidUTF8`, and `misplacedZero` when strings end with a zero byte and this one
  ///   does not, or contains another.
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

  /// Reads a length as `Int32` and so many bytes.
  ///
  /// - Throws: `truncated`, `invalidLength`.
  public mutating func readBytes() throws(MessageError) -> [UInt8] {
    Array(bytes[try stepOver("bytes", atLeast: 0)])
  }

  /// Makes sure that the whole message has been read.
  ///
  /// - Throws: `trailingBytes`.
  public func expectEnd() throws(MessageError) {
    guard remaining == 0 else {
      throw MessageError(.trailingBytes, at: offset, expected: "the end of the message, not \(remaining) more bytes")
    }
  }

  /// Reads a length and steps over so many bytes, whose place it returns.
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
      // Shifting a byte by eight bits would be an overshift, which gives zero, as it should.
      value = value << 8 | Value(truncatingIfNeeded: byte)
    }
    offset += size
    return value
  }
}
