/// A line of the input. There will be no other cases: a line is text, or too long, or something else.
public enum InputLine: Sendable, Equatable {
  /// The line's text, without the line ending.
  case text(String)
  /// The line was longer than `limit` bytes, and is skipped.
  case tooLong(limit: Int)
  /// The line was not UTF-8, and is skipped.
  case notText
}

/// Splits bytes into lines. The bytes may arrive in any pieces.
struct LineSplitter {
  private let limit: Int
  private var line: [UInt8] = []
  private var isTooLong = false

  /// Makes a splitter for lines of up to `limit` bytes.
  init(limit: Int) {
    self.limit = limit
  }

  /// Takes more bytes and returns the lines that they complete.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [InputLine] {
    var lines: [InputLine] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        lines.append(endLine())
      } else if line.count < limit + 1 {  // room for a carriage return
        line.append(byte)
      } else {
        isTooLong = true
      }
    }
    return lines
  }

  /// Returns the last line, if it has no line ending.
  mutating func finish() -> InputLine? {
    line.isEmpty ? nil : endLine()
  }

  private mutating func endLine() -> InputLine {
    defer {
      line.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    if line.last == UInt8(ascii: "\r"), !isTooLong { line.removeLast() }
    if isTooLong || line.count > limit { return .tooLong(limit: limit) }
    return String(validating: line, as: UTF8.self).map { .text($0) } ?? .notText
  }
}
