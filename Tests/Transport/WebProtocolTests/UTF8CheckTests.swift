import Testing
import _BonjourishBase
import _FramedWebProtocol

/// The check of texts against the standard library's.
@Suite struct UTF8CheckTests {
  private func isText(_ bytes: [UInt8], pieces size: Int = .max) -> Bool {
    var check = UTF8Check()
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      guard check.accept(piece.span) else { return false }
    }
    return check.isComplete
  }

  @Test func `characters of every size are text, and none is that has one byte less`() {
    for value: UInt32 in Array(0..<0x1000) + stride(from: 0x1000, through: 0x10FFFF, by: 37) + [0xD7FF, 0xE000, 0x10FFFF] {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let bytes = Array(String(scalar).utf8)
      guard isText(bytes), bytes.count == 1 || !isText(Array(bytes.dropLast())) else {
        Issue.record("U+\(String(value, radix: 16))")
        return
      }
    }
  }

  @Test func `every sequence of three bytes is judged as the standard library does`() {
    let interesting: [UInt8] =
      [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF]
      + [0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFF]
    for first in UInt8.min...UInt8.max {
      for second in interesting {
        for third in interesting {
          let bytes = [first, second, third]
          guard isText(bytes) == (String(validating: bytes, as: UTF8.self) != nil), isText(bytes, pieces: 1) == isText(bytes)
          else {
            Issue.record("\(bytes)")
            return
          }
        }
      }
    }
  }

  @Test func `long texts are judged in pieces of any size, wherever the wrong byte is`() {
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<300 {
      var bytes: [UInt8] = []
      while bytes.count < 200 { bytes += Array((generator.number(in: 0..<8) == 0 ? "é😀" : "plain text, ").utf8) }
      #expect(isText(bytes) && isText(bytes, pieces: generator.number(in: 1..<70)))
      bytes[generator.number(in: 0..<bytes.count)] = 0xFF
      #expect(!isText(bytes) && !isText(bytes, pieces: generator.number(in: 1..<70)))
    }
  }

  @Test(arguments: [0, 31, 32, 63, 64, 70]) func `a continuation byte among zeros is no text, wherever it is`(place: Int) {
    var bytes = [UInt8](repeating: 0, count: 100)
    #expect(isText(bytes))
    bytes[place] = 0x80
    #expect(!isText(bytes))
  }
}
