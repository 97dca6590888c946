import _BonjourishTerminal

/// A title and as many lines below it as fit.
struct ListCanvas {
  private(set) var canvas: Canvas
  private let glyphs: Glyphs
  private var row = 0

  init(_ size: TerminalSize, _ glyphs: Glyphs) {
    canvas = Canvas(size)
    self.glyphs = glyphs
  }

  /// The number of lines that still fit.
  var left: Int { max(0, canvas.size.rows - row) }

  /// Leaves a line empty.
  mutating func skip() {
    row += 1
  }

  mutating func title(_ text: String) {
    line(text, Style(color: .cyan, isBold: true))
  }

  mutating func line(_ text: String, _ style: Style) {
    canvas.write(
      text.truncated(to: max(0, canvas.size.columns - 2), ellipsis: glyphs.ellipsis), row: row, column: 1, style: style)
    row += 1
  }

  /// A line for each element. Elements that do not fit are counted, but the first is always shown.
  mutating func rows<Element>(
    _ elements: [Element], keeping isKept: (Element) -> Bool, _ text: (Element) -> (String, Style)
  ) {
    guard elements.count > left else {
      for element in elements {
        let (text, style) = text(element)
        line(text, style)
      }
      return
    }
    guard left > 1 else {
      // The only line is for the one that matters most.
      if left == 1, let element = elements.first(where: isKept) ?? elements.first {
        let (text, style) = text(element)
        line(text, style)
      }
      return
    }
    var shown = Array(elements.prefix(left - 1))
    if let kept = elements.first(where: isKept), !shown.contains(where: isKept), !shown.isEmpty {
      shown[shown.count - 1] = kept
    }
    for element in shown {
      let (text, style) = text(element)
      line(text, style)
    }
    line("  " + Phrases.more(elements.count - shown.count), .dim)
  }
}
