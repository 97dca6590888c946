import Testing

@testable import _BonjourishTerminal

/// The looks of characters, and the inputs of a terminal.
struct StyleTests {
  @Test(arguments: [
    (Style.plain, "0", "0"), (.bold, "0;1", "0;1"), (.dim, "0;2", "0;2"), (.reversed, "0;7", "0;7"),
    (.blackOnWhite, "0;38;5;16;48;5;231", "0;7"), (.plain.colored(.red), "0;31", "0"), (.plain.colored(.green), "0;32", "0"),
    (.plain.colored(.yellow), "0;33", "0"), (.plain.colored(.blue), "0;34", "0"), (.plain.colored(.magenta), "0;35", "0"),
    (.bold.colored(.cyan), "0;1;36", "0;1"),
    (Style(color: .red, isBold: true, isDim: true, isReversed: true), "0;1;2;7;31", "0;1;2;7"),
  ]) func `each style has its sequence, with colours and without`(style: Style, colored: String, plain: String) {
    #expect(style.sequence(hasColor: true) == "\u{1B}[\(colored)m" && style.sequence(hasColor: false) == "\u{1B}[\(plain)m")
  }

  @Test func `a size is not negative, and bounded`() {
    let none = TerminalSize(columns: -1, rows: -2)
    #expect(none.columns == 0 && none.rows == 0)
    #expect(TerminalSize(columns: 1_001, rows: 499).bounded == TerminalSize(columns: 1_000, rows: 499))
    #expect(TerminalSize(columns: 999, rows: 501).bounded == TerminalSize(columns: 999, rows: 500))
  }

  @Test func `a row is restyled, and those outside are not`() {
    var canvas = Canvas(TerminalSize(columns: 2, rows: 2))
    canvas.write("ab", row: 0, column: 0, style: .bold)
    canvas.restyle(row: 0, .dim)
    canvas.restyle(row: 2, .dim)
    canvas.restyle(row: -1, .dim)
    #expect([canvas[0, 0], canvas[0, 1], canvas[1, 0], canvas[1, 1]].map(\.style) == [.dim, .dim, .plain, .plain])
  }

  @Test(arguments: [(2_000, 1), (2_001, 0)]) func `a link has 2,000 bytes at most`(count: Int, number: UInt16) {
    var canvas = Canvas(TerminalSize(columns: 2, rows: 1))
    canvas.write("a", row: 0, column: 0, link: String(repeating: "x", count: count))
    #expect(canvas[0, 0].link == number)
    canvas.write("a", row: 0, column: 0, link: "\u{21}\u{7E}")
    #expect(canvas[0, 0].link == number + 1)
  }

  @Test func `inputs come in their order, changes of size once, and no more than are kept`() async {
    let inputs = TerminalInputs()
    inputs.append(.resized)
    inputs.append(.key(.text("a")))
    inputs.append(.resized)
    var iterator = inputs.makeAsyncIterator()
    #expect(await iterator.next() == .resized)
    #expect(await iterator.next() == .key(.text("a")))
    for _ in 0..<1_030 { inputs.append(.key(.text("b"))) }
    inputs.append(.ended)
    var count = 0
    while await iterator.next() != nil { count += 1 }
    #expect(count == 1_024)
    #expect(await iterator.next() == nil)
  }
}
