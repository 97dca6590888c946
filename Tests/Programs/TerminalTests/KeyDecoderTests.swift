import TestSupport
import Testing
import _BonjourishBase

@testable import _BonjourishTerminal

struct KeyDecoderTests {
  private func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.take(text.utf8)
  }

  @Test(
    arguments: [
      ("a", [.text("a")]), ("é李", [.text("é"), .text("李")]), ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]),
      ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]), ("\u{1}", [.control("a")]), ("\u{3}", [.control("c")]),
      ("\u{1F}", [.control("_")]), ("\0", [.control("@")]), ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
      ("\u{1B}OA\u{1B}OH\u{1B}OF\u{1B}OM", [.up, .home, .end, .enter]), ("\u{1B}[H\u{1B}[1~\u{1B}[7~", [.home, .home, .home]),
      ("\u{1B}[F\u{1B}[4~\u{1B}[8~", [.end, .end, .end]), ("\u{1B}[3~\u{1B}[5~\u{1B}[6~", [.delete, .pageUp, .pageDown]),
      ("\u{1B}[1;5C\u{1B}[1;3D", [.wordRight, .wordLeft]), ("\u{1B}[1;2C", [.right]), ("\u{1B}[Z", [.backtab]),
      ("\u{1B}b\u{1B}f", [.alt("b"), .alt("f")]), ("\u{1B}\u{7F}", [.control("w")]),
      ("\u{1B}[99~x", [.text("x")]), ("\u{1B}[<1;2;3Xx", [.text("x")]), ("\u{1B}\u{1B}[A", [.escape, .up]),
      ("\u{1B}[200~1+1\r\u{1B}[A\u{1B}[201~x", [.paste("1+1\r\u{1B}[A"), .text("x")]),
      ("\u{1B}[2\u{1B}[A", [.up]), ("\u{1B}é", [.escape, .text("é")]),
    ] as [(String, [Key])])
  func `bytes are keys`(text: String, expected: [Key]) {
    #expect(keys(text) == expected)
  }

  @Test(
    arguments: [
      ("<0;1;1M", Mouse(.press, at: .init(row: 0, column: 0))),
      ("<0;300;100m", Mouse(.release, at: .init(row: 99, column: 299))),
      ("<1;2;3M", Mouse(.press, button: 1, at: .init(row: 2, column: 1))),
      ("<2;2;3M", Mouse(.press, button: 2, at: .init(row: 2, column: 1))),
      ("<64;5;6M", Mouse(.wheelUp, at: .init(row: 5, column: 4))),
      ("<65;5;6M", Mouse(.wheelDown, at: .init(row: 5, column: 4))),
      // With Control and Alt held.
      ("<24;5;6M", Mouse(.press, at: .init(row: 5, column: 4))), ("<80;5;6M", Mouse(.wheelUp, at: .init(row: 5, column: 4))),
      // Movements, further buttons, and what no terminal sends.
      ("<32;5;6M", nil), ("<35;5;6M", nil), ("<3;5;6M", nil), ("<128;5;6M", nil), ("<66;5;6M", nil), ("<64;5;6m", nil),
      ("<0;0;1M", nil),
      ("<0;1;0M", nil), ("<0;1M", nil), ("<0;1;1;1M", nil), ("<;;M", nil), ("<0;1;99999999999999999999M", nil),
      ("<0;10001;1M", nil),
      ("<M", nil), ("<-1;1;1M", nil),
    ] as [(String, Mouse?)])
  func `reports of the mouse are read`(report: String, mouse: Mouse?) {
    #expect(keys("\u{1B}[\(report)x") == (mouse.map { [.mouse($0)] } ?? []) + [.text("x")])
  }

  @Test func `a report of the mouse without parameters is no keys`() {
    // A click at column 79, row 1, and one at column 81.
    #expect(keys("\u{1B}[M o!x\u{1B}[M q!") == [.text("x")])
    var decoder = KeyDecoder()
    #expect(decoder.take([0x1B, 0x5B, 0x4D, 0x20]) == [] && !decoder.isUndecided && decoder.timeOut() == [])
    #expect(decoder.take([0xFF, 0x71, 0x71]) == [.text("q")])
  }

  @Test func `malformed UTF-8 is a replacement character, and what follows is read`() {
    var decoder = KeyDecoder()
    let bytes: [UInt8] = [0xFF, 0x61, 0xC3, 0x61, 0xE0, 0x80, 0x80, 0xED, 0xA0, 0x80, 0x62]
    #expect(
      decoder.take(bytes) == [
        .text("\u{FFFD}"), .text("a"), .text("\u{FFFD}"), .text("a"), .text("\u{FFFD}"), .text("\u{FFFD}"), .text("b"),
      ])
  }

  @Test func `Escape is a key when nothing follows`() {
    var decoder = KeyDecoder()
    #expect(decoder.take("\u{1B}".utf8) == [] && decoder.isUndecided)
    #expect(decoder.timeOut() == [.escape] && !decoder.isUndecided)
    #expect(decoder.timeOut() == [])
    #expect(decoder.take("\u{1B}[".utf8) == [] && decoder.timeOut() == [.alt("[")])
    #expect(decoder.take("\u{1B}O".utf8) == [] && decoder.timeOut() == [.alt("O")])
    #expect(decoder.take("\u{1B}[1;".utf8) == [] && decoder.timeOut() == [])
    #expect(decoder.take("A".utf8) == [.text("A")])
  }

  @Test func `a paste is bounded, and ends where it ends`() {
    let long = String(repeating: "x", count: 3 * KeyDecoder.longestPaste)
    #expect(
      keys("\u{1B}[200~\(long)\u{1B}[201~y") == [.paste(String(long.prefix(KeyDecoder.longestPaste))), .text("y")])
    #expect(keys("\u{1B}[200~a\u{1B}[20\u{1B}[201~") == [.paste("a\u{1B}[20")])
  }

  @Test func `a sequence without end does not grow, and is no key`() {
    #expect(keys("\u{1B}[" + String(repeating: "1;", count: 100_000) + "~x") == [.text("x")])
  }

  @Test func `any bytes give the same keys in any pieces`() {
    var generator = SeededGenerator(seed: 42)
    let likely: [UInt8] = Array("\u{1B}\u{1B}[[O~;0123456789ABCDHFabé李\r\u{1}\u{7F}\u{1B}[200~\u{1B}[201~".utf8)
    for _ in 0..<2_000 {
      let bytes = (0..<generator.number(in: 0..<40)).map { _ in
        generator.once(in: 4)
          ? UInt8.random(in: .min ... .max, using: &generator) : likely[generator.number(in: 0..<likely.count)]
      }
      var whole = KeyDecoder()
      let expected = whole.take(bytes)
      let cut = generator.number(in: 0..<bytes.count + 1)
      var pieces = KeyDecoder()
      let first = pieces.take(bytes[..<cut])
      #expect(first + pieces.take(bytes[cut...]) == expected)
      #expect(pieces.timeOut() == whole.timeOut())
    }
  }
}
