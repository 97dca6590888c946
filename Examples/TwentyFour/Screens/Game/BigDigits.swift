import _BonjourishTerminal

/// Digits that can be read from a distance.
enum BigDigits {
  static let height = 5
  static let width = 6
  static let gap = 4

  /// Three columns of dots, five rows, from the top; each dot is drawn two columns wide.
  private static let dots: [[UInt8]] = [
    [0b111, 0b101, 0b101, 0b101, 0b111], [0b010, 0b110, 0b010, 0b010, 0b111], [0b111, 0b001, 0b111, 0b100, 0b111],
    [0b111, 0b001, 0b111, 0b001, 0b111], [0b101, 0b101, 0b111, 0b001, 0b001], [0b111, 0b100, 0b111, 0b001, 0b111],
    [0b111, 0b100, 0b111, 0b101, 0b111], [0b111, 0b001, 0b010, 0b010, 0b010], [0b111, 0b101, 0b111, 0b101, 0b111],
    [0b111, 0b101, 0b111, 0b001, 0b111],
  ]

  /// The number of columns of the numbers.
  static func columns(_ count: Int) -> Int { count * width + max(0, count - 1) * gap }

  static func canvas(_ numbers: [Int], _ glyphs: Glyphs) -> Canvas {
    var canvas = Canvas(TerminalSize(columns: columns(numbers.count), rows: height))
    for (place, number) in numbers.enumerated() where dots.indices.contains(number) {
      for (row, bits) in dots[number].enumerated() {
        for dot in 0..<3 where bits & (0b100 >> dot) != 0 {
          let pair = String(repeating: glyphs.full, count: 2)
          canvas.write(pair, row: row, column: place * (width + gap) + dot * 2, style: .bold)
        }
      }
    }
    return canvas
  }
}
