/// The size of a drawing area in columns and rows; both may be 0.
public struct TerminalSize: Hashable, Sendable {
  /// Larger than any screen: bounds the memory that a terminal's reported size can require.
  static let largest = TerminalSize(columns: 1_000, rows: 500)
  /// The size assumed for a terminal that does not report one.
  static let standard = TerminalSize(columns: 80, rows: 24)

  /// The width in columns, at least 0.
  public let columns: Int
  /// The height in rows, at least 0.
  public let rows: Int

  /// Makes a size; a negative number counts as 0.
  public init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }

  /// The size, at most ``largest``.
  var bounded: TerminalSize {
    TerminalSize(columns: min(columns, Self.largest.columns), rows: min(rows, Self.largest.rows))
  }
}
