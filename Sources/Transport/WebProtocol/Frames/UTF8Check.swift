/// A check whether bytes are UTF-8, in pieces of any size (RFC 3629, section 4).
///
/// It fails at the first byte that no valid text has at this place: neither too long forms, nor surrogates, nor numbers above U+10FFFF
/// are accepted.
package struct UTF8Check: Hashable, Sendable {
  /// The continuation bytes that are missing.
  private var missing = 0
  /// The range of the next continuation byte.
  private var (least, most): (UInt8, UInt8) = (0x80, 0xBF)

  package init() {}

  /// Whether the text may end here.
  package var isComplete: Bool { missing == 0 }

  /// Checks the next bytes; returns false at the first wrong one.
  package mutating func accept(_ bytes: Span<UInt8>) -> Bool {
    var index = 0
    while index < bytes.count {
      if missing == 0 {
        index = Self.endOfASCII(bytes, from: index)
        guard index < bytes.count else { break }
      }
      guard accept(bytes[index]) else { return false }
      index += 1
    }
    return true
  }

  /// The index after a run of ASCII. Blocks are checked without a branch for each byte.
  private static func endOfASCII(_ bytes: Span<UInt8>, from start: Int) -> Int {
    let block = 32
    var index = start
    while bytes.count - index >= block {
      let piece = bytes.extracting(index..<index + block)
      var all: UInt8 = 0
      for place in 0..<block { all |= piece[place] }
      guard all < 0x80 else { break }
      index += block
    }
    while index < bytes.count, bytes[index] < 0x80 { index += 1 }
    return index
  }

  private mutating func accept(_ byte: UInt8) -> Bool {
    guard missing == 0 else {
      guard (least...most).contains(byte) else { return false }
      missing -= 1
      (least, most) = (0x80, 0xBF)
      return true
    }
    switch byte {
    case 0x00...0x7F: break
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, least) = (2, 0xA0)
    case 0xED: (missing, most) = (2, 0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, least) = (3, 0x90)
    case 0xF1...0xF3: missing = 3
    case 0xF4: (missing, most) = (3, 0x8F)
    default: return false
    }
    return true
  }
}
