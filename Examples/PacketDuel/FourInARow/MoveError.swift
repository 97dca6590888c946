/// The reason why a disc cannot be dropped into a column.
public enum MoveError: Error, Hashable, Sendable {
  /// There is no such column.
  case noSuchColumn(Int)
  /// The column is full.
  case columnFull(Int)
  /// The game is over.
  case gameOver
}

extension MoveError: CustomStringConvertible {
  /// A sentence for people; columns are counted from 1.
  public var description: String {
    switch self {
    case .noSuchColumn(let column): "there is no column \(column + 1); choose one from 1 to \(Board.columns)"
    case .columnFull(let column): "column \(column + 1) is full; choose another"
    case .gameOver: "the game is over"
    }
  }
}
