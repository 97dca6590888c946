/// How a game ended.
package enum Outcome: Hashable, Sendable {
  /// Four or more in a row, across, upright or slanting.
  case won(Disc)
  /// The board is full, and nobody has four.
  case draw
}
