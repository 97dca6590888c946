import CQRencode

/// A QR code (ISO/IEC 18004): a square of dark and light modules.
public struct QRCode: Hashable, Sendable {
  /// How much of the code may be unreadable.
  public enum Level: Sendable, CaseIterable {
    /// About 15 %.
    case medium
    /// About 7 %.
    case low
  }

  /// The number of modules of a side, without the quiet zone.
  public let side: Int
  private let modules: [Bool]

  /// Makes the smallest code of a text; nil if the text is too long, or has a NUL character.
  public init?(_ text: String, level: Level = .medium) {
    guard !text.utf8.contains(0) else { return nil }
    let correction = level == .medium ? QR_ECLEVEL_M : QR_ECLEVEL_L
    // Version 0 is the smallest that suffices. Capital letters and digits take less space, and are found by itself.
    guard let code = QRcode_encodeString(text, 0, correction, QR_MODE_8, 1) else { return nil }
    defer { QRcode_free(code) }
    side = Int(code.pointee.width)
    // The lowest bit is the colour; the others say what the module is for.
    modules = UnsafeBufferPointer(start: code.pointee.data, count: side * side).map { $0 & 1 == 1 }
  }

  /// Whether a module is dark; those outside are light.
  public func isDark(row: Int, column: Int) -> Bool {
    (0..<side).contains(row) && (0..<side).contains(column) && modules[row * side + column]
  }
}

/// As text.
extension QRCode {
  /// The code in half blocks, two modules in a character, with light modules around it. Draw it black on white.
  ///
  /// - Parameter margin: The number of light modules on each side. The standard asks for 4; cameras read codes with 2, too.
  public func halfBlocks(margin: Int = 4) -> [String] {
    stride(from: -margin, to: side + margin, by: 2).map { row in
      String(
        (-margin..<side + margin).map { column -> Character in
          switch (isDark(row: row, column: column), isDark(row: row + 1, column: column)) {
          case (true, true): "█"
          case (true, false): "▀"
          case (false, true): "▄"
          case (false, false): " "
          }
        })
    }
  }

  /// The code of a text that suits a space: with the full margin and the better correction if they fit.
  ///
  /// - Returns: The lines of ``halfBlocks(margin:)``; nil if none fits.
  public static func halfBlocks(_ text: String, columns: Int, rows: Int) -> [String]? {
    for (margin, level) in [(4, Level.medium), (4, .low), (2, .medium), (2, .low)] {
      guard let code = QRCode(text, level: level) else { continue }
      let width = code.side + 2 * margin
      if width <= columns, (width + 1) / 2 <= rows { return code.halfBlocks(margin: margin) }
    }
    return nil
  }

  /// The form of an address that makes a smaller code: of a scheme, a numeric host and a token, the case of letters does not count, and
  /// codes have a short form for capital ones.
  public static func short(_ address: String) -> String { address.uppercased() }
}
