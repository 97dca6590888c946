/// Chooses columns: wins where it can, prevents the other from winning where it can, and looks a few moves ahead.
///
/// A search by alpha and beta of bounded depth. What lies beyond is judged by how near the middle the discs are, through which
/// most rows go.
package struct Bot: Sendable {
  /// How many moves it looks ahead, its own included.
  package let depth: Int

  /// What a won game is worth. More than any judgement of one that goes on.
  private static let win = 1_000

  /// From the middle outward: what is good stands there mostly, and the better the first are, the more can be left out.
  private static let order = (0..<Board.columns).sorted { abs($0 - Board.columns / 2) < abs($1 - Board.columns / 2) }

  /// A bot that looks so many moves ahead, at least one; each takes up to seven times as long as the one before.
  package init(depth: Int = 6) {
    precondition(depth > 0, "A bot has to look at its own move at least")
    self.depth = depth
  }

  /// The column for whose turn it is; chance decides between those that are as good.
  ///
  /// - Parameters:
  ///   - board: One whose game goes on.
  ///   - generator: Where chance comes from.
  package func column(for board: Board, using generator: inout some RandomNumberGenerator) -> Int {
    var best: (value: Int, columns: [Int]) = (.min, [])
    for column in Self.order {
      guard let next = board.dropping(in: column) else { continue }
      // The bound is one lower than what is known, so that what is as good is seen to be.
      let bound = best.columns.isEmpty ? -2 * Self.win : best.value - 1
      let value = -value(of: next, depth: depth - 1, alpha: -2 * Self.win, beta: -bound)
      if value > best.value { best = (value, []) }
      if value == best.value { best.columns.append(column) }
    }
    guard let column = best.columns.randomElement(using: &generator) else {
      preconditionFailure("A game that is over has no next move")
    }
    return column
  }

  /// What a board is worth to whose turn it is: exactly if that is between `alpha` and `beta`, otherwise at least or at most.
  private func value(of board: Board, depth: Int, alpha: Int, beta: Int) -> Int {
    switch board.outcome {
    // The other has just won. The sooner it happens, the worse it is, so that what cannot be prevented is put off.
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
  /// The board after one more disc; `nil` when none can be dropped there.
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
