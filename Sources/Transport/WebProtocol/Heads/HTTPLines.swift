/// The lines of the head of a message up to the empty one, in pieces of any size (RFC 9112, sections 2 and 5).
///
/// Strict, because what two programs read differently can be smuggled: lines end with CR and LF and nothing else does, and no line
/// begins with a space. It holds no more than its limits permit.
package struct HTTPLines: Sendable {
  /// The limits of a head.
  package struct Limits: Hashable, Sendable {
    /// The most bytes of all lines.
    package var byteCount = 8 * 1024
    /// The most bytes of the first line.
    package var firstLine = 2 * 1024
    /// The most lines after the first.
    package var fieldCount = 64

    package init() {}
  }

  private let limits: Limits
  private var bytes: [UInt8] = []
  /// The ends of the complete lines, without CR and LF.
  private var ends: [Int] = []
  /// The start of the line that is being read.
  private var start = 0

  package init(_ limits: Limits = Limits()) {
    self.limits = limits
  }

  /// Reads up to the end of the head.
  ///
  /// - Parameters:
  ///   - input: The received bytes.
  ///   - offset: The first byte that has not been read; moved behind what was read, at most behind the head.
  /// - Returns: Whether the head is complete.
  package mutating func read(_ input: Span<UInt8>, from offset: inout Int) throws(HTTPRefusal) -> Bool {
    while offset < input.count {
      let byte = input[offset]
      offset += 1
      if try accept(byte) { return true }
    }
    return false
  }

  private mutating func accept(_ byte: UInt8) throws(HTTPRefusal) -> Bool {
    let isAfterCR = bytes.count > start && bytes.last == .cr
    if byte == .lf {
      guard isAfterCR else { throw .bad("A line ends without CR.") }
      return try endLine()
    }
    guard !isAfterCR else { throw .bad("A CR is not followed by LF.") }
    if bytes.count == start, !ends.isEmpty, byte == .space || byte == .tab { throw .bad("A line is folded.") }
    if ends.isEmpty, bytes.count >= limits.firstLine {
      throw HTTPRefusal(status: .uriTooLong, reason: "The first line is too long.")
    }
    guard bytes.count < limits.byteCount else {
      throw HTTPRefusal(status: .fieldsTooLarge, reason: "The head is too large.")
    }
    bytes.append(byte)
    return false
  }

  /// Ends a line; returns whether it is the empty one at the end of the head.
  private mutating func endLine() throws(HTTPRefusal) -> Bool {
    bytes.removeLast()
    guard bytes.count > start else {
      guard !ends.isEmpty else { throw .bad("The first line is empty.") }
      return true
    }
    guard ends.count <= limits.fieldCount else {
      throw HTTPRefusal(status: .fieldsTooLarge, reason: "There are too many header fields.")
    }
    ends.append(bytes.count)
    start = bytes.count
    return false
  }

  /// The complete lines.
  package var lines: [[UInt8]] {
    var start = 0
    return ends.map { end in
      defer { start = end }
      return Array(bytes[start..<end])
    }
  }
}

extension UInt8 {
  static let tab: UInt8 = 0x09
  static let lf: UInt8 = 0x0A
  static let cr: UInt8 = 0x0D
  static let space: UInt8 = 0x20

  /// Whether it may be in a token, such as a method or the name of a field (RFC 9110, section 5.6.2).
  var isTokenByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
      UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
      UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Whether it is a visible character of ASCII.
  var isVisible: Bool { (0x21...0x7E).contains(self) }
}
