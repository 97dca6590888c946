/// Chooses moves: wins if possible, else blocks the opponent's win if possible, and looks a few moves ahead.
///
/// An alpha-beta search of bounded depth. At its end, a board is valued by the discs' closeness to the middle, where most rows of
/// four pass.
public struct Bot: Sendable {
  /// The number of moves that the bot looks ahead, including its own.
  public let depth: Int

  /// The value of a won game, larger than that of any board that goes on.
  private static let win = 1_000

  /// Columns from the middle outward: the best moves are mostly in the middle, and finding them early prunes more.
  private static let order = (0..<Board.columns).sorted { abs($0 - Board.columns / 2) < abs($1 - Board.columns / 2) }

  /// Makes a bot that looks `depth` moves ahead, at least 1; each additional move takes up to seven times as long.
  public init(depth: Int = 6) {
    precondition(depth > 0, "depth must be at least 1")
    self.depth = depth
  }

  /// The best column for the player on turn; among equals, a random one.
  ///
  /// - Parameters:
  ///   - board: The board; its game must not be over.
  ///   - generator: Decides between equals.
  public func column(for board: Board, using generator: inout some RandomNumberGenerator) -> Int {
    var best: (value: Int, columns: [Int]) = (.min, [])
    for column in Self.order {
      guard let next = board.dropping(in: column) else { continue }
      // The bound is one below the best value, so that equal values are found too.
      let bound = best.columns.isEmpty ? -2 * Self.win : best.value - 1
      let value = -value(of: next, depth: depth - 1, alpha: -2 * Self.win, beta: -bound)
      if value > best.value { best = (value, []) }
      if value == best.value { best.columns.append(column) }
    }
    guard let column = best.columns.randomElement(using: &generator) else {
      preconditionFailure("the game on board must not be over")
    }
    return column
  }

  /// The value of a board for the player whose turn it is: exact between `alpha` and `beta`, otherwise a bound.
  private func value(of board: Board, depth: Int, alpha: Int, beta: Int) -> Int {
    switch board.outcome {
    // The other player has just won. An earlier loss is worse, so that the bot puts off what it cannot prevent.
    case .won: return -Self.win - depth
    case .draw: return 0
    case nil: break
    }
    guard depth > 0 else { return board.centrality }
    var (best, alpha) = (-2 * Self.win, alpha)
    for column in Self.order {
      guard let next = board.dropping(in: column) else { continue }
      best = max(best, -value(of: next, depth: depth - 1, alpha: -beta, beta: -alpha))
      alpha = max(alpha, best)
      if alpha >= beta { break }
    }
    return best
  }
}

extension Board {
  /// The board after one more disc; `nil` if the move is not allowed.
  fileprivate func dropping(in column: Int) -> Board? {
    var next = self
    do throws(MoveError) {
      try next.drop(in: column)
      return next
    } catch {
      return nil
    }
  }
}
