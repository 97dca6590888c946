import TwentyFourWeb
import _BonjourishTerminal

/// How phones come into the room: the code to scan, and the address that it has.
struct PhonesView {
  let address: String
  /// The number of the address among all, from 1, and how many there are.
  let place: (number: Int, count: Int)
  let glyphs: Glyphs

  func canvas(_ size: TerminalSize) -> Canvas {
    var canvas = Canvas(size)
    let width = max(1, size.columns - 2)
    let lines = address.wrapped(to: width)
    let more = place.count > 1 ? [Phrases.otherAddress(place.number, of: place.count)] : []
    let space = size.rows - lines.count
    // In a locale without these characters there is no code.
    let code = glyphs.full.isASCII ? nil : QRCode.halfBlocks(QRCode.short(address), columns: size.columns, rows: space)
    var row = 0
    func write(_ text: String, _ style: Style) {
      guard row < size.rows else { return }
      canvas.write(text, row: row, column: max(0, (size.columns - text.columns) / 2), style: style)
      row += 1
    }
    guard let code else {
      for line in Phrases.codeDoesNotFit.wrapped(to: width) { write(line, .plain) }
      for line in lines { write(line, .bold) }
      for line in more.flatMap({ $0.wrapped(to: width) }) { write(line, .dim) }
      return canvas
    }
    let rest = [Phrases.scan] + more
    for line in code { write(line, .blackOnWhite) }
    for line in lines { write(line, .bold) }
    for line in rest.flatMap({ $0.wrapped(to: width) }) { write(line, .dim) }
    return canvas
  }
}
