/// How a game ended.
public enum Outcome: Hashable, Sendable {
  /// Four or more in a row, horizontal, vertical or diagonal.
  case won(Disc)
  /// The board is full, and neither player has four.
  case draw
}
