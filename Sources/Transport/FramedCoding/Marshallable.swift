/// A value that writes its fields in order, and reads them in the same order.
///
/// ```swift
/// struct Move: Marshallable {
///   let player: String
///   let column: UInt8
///
///   init(from reader: inout MessageReader) throws(MessageError) {
///     player = try reader.readString()
///     column = try reader.readUInt8()
///     guard column < 7 else {
///       throw MessageError(.invalidValue, at: reader.offset - 1, expected: "a column from 0 to 6")
///     }
///   }
///
///   func write(to writer: inout MessageWriter) throws(MessageError) {
///     try writer.writeString(player)
///     writer.writeUInt8(column)
///   }
/// }
/// ```
/// Read values inside a value with ``MessageReader/read(_:)``, and write them with ``MessageWriter/write(_:)``, not with their
/// own methods: the reader and the writer limit the depth of nesting.
public protocol Marshallable: Sendable {
  /// Reads a value. If it throws, the state of `reader` does not matter.
  ///
  /// - Throws: An error with the position and the reason.
  init(from reader: inout MessageReader) throws(MessageError)

  /// Writes the value. If it throws, the state of `writer` does not matter.
  ///
  /// - Throws: The reason why the value cannot be written.
  func write(to writer: inout MessageWriter) throws(MessageError)
}

extension MessageReader {
  /// The deepest nesting of values: enough for real messages, and safe for any thread's stack.
  static var maximumDepth: Int { 64 }

  static var tooDeep: String { "values nested at most \(maximumDepth) deep" }

  /// Reads a value.
  ///
  /// - Throws: `tooDeep` if it is nested in 64 others; what the value throws.
  public mutating func read<Value: Marshallable>(_ type: Value.Type = Value.self) throws(MessageError) -> Value {
    guard depth < Self.maximumDepth else { throw MessageError(.tooDeep, at: offset, expected: Self.tooDeep) }
    var ahead = self
    ahead.depth += 1
    let value = try Value(from: &ahead)
    offset = ahead.offset
    return value
  }

  /// Reads the number of elements as `Int32`, and the elements.
  ///
  /// - Throws: `truncated`, also if fewer bytes than elements are left; `invalidLength`; `tooDeep`; what the elements throw.
  public mutating func readArray<Element: Marshallable>(of type: Element.Type = Element.self) throws(MessageError) -> [Element]
  {
    var ahead = self
    let count = try ahead.readInt32()
    guard count >= 0 else {
      throw MessageError(.invalidLength, at: offset, expected: "a number of elements of 0 or more, not \(count)")
    }
    guard count <= ahead.remaining else {
      throw MessageError(.truncated, at: offset, expected: "\(count) elements; only \(ahead.remaining) bytes follow")
    }
    var elements: [Element] = []
    for _ in 0..<count { elements.append(try ahead.read()) }
    self = ahead
    return elements
  }

  /// Reads a byte that is 0 or 1.
  ///
  /// - Throws: `truncated`; `invalidValue` for any other byte.
  public mutating func readBool() throws(MessageError) -> Bool {
    var ahead = self
    let byte = try ahead.readUInt8()
    guard byte <= 1 else { throw MessageError(.invalidValue, at: offset, expected: "0 or 1, not \(byte)") }
    self = ahead
    return byte == 1
  }
}

extension MessageWriter {
  /// Writes a value.
  ///
  /// - Throws: `tooDeep` if it is nested in 64 others; what the value throws. Nothing has been written then.
  public mutating func write(_ value: some Marshallable) throws(MessageError) {
    try writeWhole { (writer) throws(MessageError) in
      guard writer.depth < MessageReader.maximumDepth else {
        throw MessageError(.tooDeep, at: writer.byteCount, expected: MessageReader.tooDeep)
      }
      writer.depth += 1
      try value.write(to: &writer)
      writer.depth -= 1
    }
  }

  /// Writes the number of elements as `Int32`, and the elements, which must have at least one byte each.
  ///
  /// - Throws: `tooLarge` for 2³¹ or more elements, or if the elements have fewer bytes than their number, because a reader would
  ///   refuse them; `tooDeep`; what the elements throw. Nothing has been written then.
  public mutating func writeArray(_ elements: some Collection<some Marshallable>) throws(MessageError) {
    try writeWhole { (writer) throws(MessageError) in
      try writer.writeLength(elements.count, of: "elements")
      let start = writer.byteCount
      for element in elements { try writer.write(element) }
      guard writer.byteCount - start >= elements.count else {
        throw MessageError(.tooLarge, at: start, expected: "elements that take at least one byte each")
      }
    }
  }

  /// Writes 1 for true, and 0 for false.
  public mutating func writeBool(_ value: Bool) { writeUInt8(value ? 1 : 0) }
}
