/// A picture of lines of half blocks, black on white, as a terminal draws them.
package enum Picture {
  private static let scale = 4

  /// The picture as a portable graymap (PGM).
  package static func pgm(of lines: [String]) -> [UInt8] {
    let width = lines.map(\.count).max() ?? 0
    var pixels: [UInt8] = []
    for line in lines {
      let cells = Array(line) + [Character](repeating: " ", count: width - line.count)
      for isUpper in [true, false] {
        let row = cells.flatMap { cell -> [UInt8] in
          let isDark = cell == "█" || cell == (isUpper ? "▀" : "▄")
          return [UInt8](repeating: isDark ? 0 : 255, count: scale)
        }
        for _ in 0..<scale { pixels += row }
      }
    }
    return Array("P5 \(width * scale) \(lines.count * 2 * scale) 255\n".utf8) + pixels
  }
}
