/// How many columns and rows there are to draw on; either may be none.
package struct TerminalSize: Hashable, Sendable {
  /// More than any screen has: what a terminal says of itself must not make us reserve memory without end.
  package static let largest = TerminalSize(columns: 1_000, rows: 500)
  /// What every terminal is made for.
  package static let standard = TerminalSize(columns: 80, rows: 24)

  package let columns: Int
  package let rows: Int

  /// Takes a size; what is negative counts as none.
  package init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }

  /// The size, but not more than ``largest``.
  var bounded: TerminalSize {
    TerminalSize(columns: min(columns, Self.largest.columns), rows: min(rows, Self.largest.rows))
  }
}
