package import FourInARow

/// What a player learns of a duel.
package enum DuelEvent: Hashable, Sendable {
  /// The game begins.
  case opponent(name: String, own: Disc)
  /// A disc was dropped, by either; how the board is now, and whether that ends the game, is in `board`.
  case moved(Disc, column: Int, board: Board)
  /// It is over; the last event.
  case closed(Ending)

  /// How a duel ended.
  package enum Ending: Hashable, Sendable {
    /// The game was played to its end.
    case finished
    /// This side left.
    case left
    /// The opponent left.
    case opponentLeft
    /// The host plays with somebody else.
    case turnedAway
    /// The connection broke, or ended without a goodbye.
    case lost
    /// The opponent did what it must not.
    case violated(Violation)
    /// The opponent says that this side did what it must not.
    case accused(String)
  }
}

/// Why this player's own move was not made.
package enum MoveRefusal: Error, Hashable, Sendable {
  case noGame
  case notYourTurn
  case illegal(MoveError)
}

extension MoveRefusal: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noGame: "there is no game yet"
    case .notYourTurn: "it is not your turn"
    case .illegal(let error): error.description
    }
  }
}
