import TestSupport
import Testing

@testable import _BonjourishTerminal

struct CanvasTests {
  @Test func `text is written at its place, as far as there is room`() {
    var canvas = Canvas(TerminalSize(columns: 6, rows: 2))
    #expect(canvas.write("Ada", row: 0, column: 1) == 4)
    canvas.write("李雷李雷", row: 1, column: 1)
    #expect(canvas.lines == [" Ada", " 李雷"])
    canvas.write("x", row: 1, column: 2)
    #expect(canvas.lines == [" Ada", "  x雷"])
    canvas.write("李", row: 1, column: 2)
    #expect(canvas.lines == [" Ada", "  李"])
    canvas.write("outside", row: 2, column: 0)
    canvas.write("outside", row: -1, column: 0)
    canvas.write("abc", row: 0, column: -2)
    #expect(canvas.lines == ["cAda", "  李"])
  }

  @Test func `control characters are drawn as replacement characters`() {
    var canvas = Canvas(TerminalSize(columns: 8, rows: 1))
    canvas.write("a\u{1B}[2J\u{202E}b", row: 0, column: 0)
    #expect(canvas.lines == ["a\u{FFFD}[2J\u{FFFD}b"])
  }

  @Test func `a canvas is drawn on another with its cursor`() {
    var part = Canvas(TerminalSize(columns: 4, rows: 1))
    part.write("李b", row: 0, column: 0)
    part.cursor = Canvas.Position(row: 0, column: 3)
    var canvas = Canvas(TerminalSize(columns: 4, rows: 2))
    canvas.draw(part, row: 1, column: 1)
    #expect(canvas.lines == ["", " 李b"])
    #expect(canvas.cursor == Canvas.Position(row: 1, column: 4))
    canvas.draw(part, row: 0, column: 3)
    #expect(canvas.lines == ["", " 李b"])
  }

  @Test func `links are kept with their cells, and none that could end the command that sets it`() {
    var part = Canvas(TerminalSize(columns: 10, rows: 1))
    part.write("a", row: 0, column: 0, link: "http://10.0.0.1/")
    part.write("李", row: 0, column: 1, link: "http://10.0.0.2/")
    for link in ["", "http://a b", "x\u{1B}\\", "x\u{7}", "http://é", String(repeating: "x", count: 2_001)] {
      part.write("c", row: 0, column: 4, link: link)
    }
    #expect(part.links == ["http://10.0.0.1/", "http://10.0.0.2/"] && part[0, 4].link == 0)
    var canvas = Canvas(TerminalSize(columns: 10, rows: 1))
    canvas.write("x", row: 0, column: 9, link: "http://10.0.0.2/")
    canvas.draw(part, row: 0, column: 0)
    #expect(canvas.links == ["http://10.0.0.2/", "http://10.0.0.1/"])
    #expect((0..<5).map { canvas[0, $0].link } == [2, 1, 1, 0, 0])
  }

  @Test func `a part of a row is reversed, and keeps its colours`() {
    var canvas = Canvas(TerminalSize(columns: 4, rows: 1))
    canvas.write("abcd", row: 0, column: 0, style: .bold.colored(.green))
    canvas.reverse(row: 0, columns: 2..<9)
    canvas.reverse(row: 3, columns: 0..<4)
    #expect((0..<4).map { canvas[0, $0].style.isReversed } == [false, false, true, true])
    #expect(canvas[0, 3].style == Style(color: .green, isBold: true, isReversed: true))
  }

  @Test func `the size of a canvas is bounded`() {
    #expect(Canvas(TerminalSize(columns: .max, rows: .max)).size == .largest)
    #expect(Canvas(TerminalSize(columns: -1, rows: 5)).lines == ["", "", "", "", ""])
  }
}

struct PainterTests {
  @Test func `a link is begun and ended around its text, unless the terminal does not know links`() {
    func canvas(_ link: String) -> Canvas {
      var canvas = Canvas(TerminalSize(columns: 10, rows: 1))
      canvas.write("ab", row: 0, column: 0, link: link)
      canvas.write("c", row: 0, column: 2)
      return canvas
    }
    var painter = Painter(Appearance())
    let (one, two) = ("http://10.0.0.1/", "http://10.0.0.2/")
    let text = painter.paint(canvas(one))
    #expect(text == "\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}]8;;\(one)\u{1B}\\ab\u{1B}]8;;\u{1B}\\c")
    #expect(painter.paint(canvas(one)) == "")
    // Another link of the same number is painted anew, and ended.
    #expect(painter.paint(canvas(two)) == "\u{1B}[?25l\u{1B}[1;1H\u{1B}]8;;\(two)\u{1B}\\ab\u{1B}]8;;\u{1B}\\")
    painter = Painter(Appearance(knowsCommands: false))
    #expect(painter.paint(canvas(one)) == "\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1Habc")
  }

  private func canvas(_ lines: String..., cursor: Canvas.Position? = nil, style: Style = .plain) -> Canvas {
    var canvas = Canvas(TerminalSize(columns: 10, rows: 2))
    for (row, line) in lines.enumerated() { canvas.write(line, row: row, column: 0, style: style) }
    canvas.cursor = cursor
    return canvas
  }

  @Test func `the first picture is painted as a whole, the next by what has changed`() {
    var painter = Painter(Appearance())
    #expect(painter.paint(canvas("abc", "def")) == "\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1Habc\u{1B}[2;1Hdef")
    #expect(painter.paint(canvas("abc", "def")) == "")
    #expect(painter.paint(canvas("aXc", "deY")) == "\u{1B}[?25l\u{1B}[1;2HX\u{1B}[2;3HY")
    #expect(painter.paint(canvas("a", "deY")) == "\u{1B}[?25l\u{1B}[1;2H  ")
    painter.forget()
    #expect(painter.paint(canvas("a")).hasPrefix("\u{1B}[?25l\u{1B}[0m\u{1B}[2J"))
  }

  @Test func `the cursor is hidden while drawing, and shown at its place`() {
    var painter = Painter(Appearance())
    _ = painter.paint(canvas("abc"))
    let position = Canvas.Position(row: 0, column: 3)
    #expect(painter.paint(canvas("abc", cursor: position)) == "\u{1B}[?25l\u{1B}[1;4H\u{1B}[?25h")
    #expect(painter.paint(canvas("abd", cursor: position)) == "\u{1B}[?25l\u{1B}[1;3Hd\u{1B}[1;4H\u{1B}[?25h")
    #expect(painter.paint(canvas("abd")) == "\u{1B}[?25l")
  }

  @Test func `styles are set and reset`() {
    let loud = Style(color: .green, isBold: true)
    var painter = Painter(Appearance())
    #expect(painter.paint(canvas("a", style: loud)).hasSuffix("\u{1B}[1;1H\u{1B}[0;1;32ma\u{1B}[0m"))
    painter = Painter(Appearance(hasColor: false))
    #expect(painter.paint(canvas("a", style: loud)).hasSuffix("\u{1B}[1;1H\u{1B}[0;1ma\u{1B}[0m"))
  }

  @Test func `after a character of uncertain width the cursor is positioned again`() {
    var painter = Painter(Appearance())
    #expect(painter.paint(canvas("👩\u{200D}🚀b")).hasSuffix("\u{1B}[1;1H  \u{1B}[1;1H👩\u{200D}🚀\u{1B}[1;3Hb"))
  }

  @Test func `an ASCII terminal gets ASCII in the same columns`() {
    var painter = Painter(Appearance(isUnicode: false))
    #expect(painter.paint(canvas("Zoë 李x")).hasSuffix("\u{1B}[1;1HZo?\u{1B}[1;5H??x"))
  }

  /// A terminal that understands what the painter writes.
  @Test func `any sequence of pictures leaves the terminal showing the last one`() {
    var generator = SeededText(seed: 7)
    for _ in 0..<300 {
      var painter = Painter(Appearance())
      var terminal = ToyTerminal(columns: 10, rows: 3)
      for _ in 0..<5 {
        var picture = Canvas(TerminalSize(columns: 10, rows: 3))
        for _ in 0..<4 {
          picture.write(
            generator.text(), row: generator.random.number(in: -1..<4), column: generator.random.number(in: -3..<12))
        }
        terminal.write(painter.paint(picture))
        #expect(terminal.lines == picture.lines)
      }
    }
  }
}

/// Understands cursor positions and erasing; everything else is text.
private struct ToyTerminal {
  private var canvas: Canvas
  private var row = 0
  private var column = 0

  init(columns: Int, rows: Int) {
    canvas = Canvas(TerminalSize(columns: columns, rows: rows))
  }

  var lines: [String] { canvas.lines }

  mutating func write(_ output: String) {
    var rest = output[...]
    while let character = rest.popFirst() {
      guard character == "\u{1B}" else {
        column = canvas.write(String(character), row: row, column: column)
        continue
      }
      rest.removeFirst()
      let parameters = rest.prefix { !$0.isLetter }
      rest = rest.dropFirst(parameters.count)
      switch rest.removeFirst() {
      case "J": canvas = Canvas(canvas.size)
      case "H":
        let numbers = parameters.split(separator: ";").compactMap { Int($0) }
        (row, column) = (numbers[0] - 1, numbers[1] - 1)
      default: break
      }
    }
  }
}

struct AppearanceTests {
  @Test(arguments: [
    ("xterm-256color", true), ("tmux-256color", true), ("screen", true), ("foot", true), ("alacritty", true), ("vt100", false),
    ("linux", false), ("dumb", false), ("", false),
  ])
  func `links and the clipboard are for terminals that know them`(type: String, knows: Bool) {
    #expect(Appearance { $0 == "TERM" ? type : nil }.knowsCommands == knows)
  }

  @Test(
    arguments: [
      ([:], true, false), (["LANG": "en_US.UTF-8"], true, true), (["LANG": "de_DE.utf8@euro"], true, true),
      (["LANG": "C.UTF-8", "LC_ALL": "C"], true, false), (["LANG": "C.UTF-8", "LC_CTYPE": "de_DE.ISO-8859-1"], true, false),
      (["LC_ALL": "", "LC_CTYPE": "C.UTF-8"], true, true), (["NO_COLOR": "1"], false, false), (["NO_COLOR": ""], true, false),
    ] as [([String: String], Bool, Bool)])
  func `the environment decides about colours and Unicode`(environment: [String: String], hasColor: Bool, isUnicode: Bool) {
    let appearance = Appearance { environment[$0] }
    #expect(appearance == Appearance(hasColor: hasColor, isUnicode: isUnicode, knowsCommands: false))
  }

  @Test func `a dumb terminal is not drawn on`() {
    #expect(Appearance.canBeDrawnOn(type: "xterm-256color"))
    for type in [nil, "", "dumb", "unknown"] { #expect(!Appearance.canBeDrawnOn(type: type)) }
  }
}
