public import FourInARow

/// An event in a duel, for its player.
public enum DuelEvent: Hashable, Sendable {
  /// The game begins.
  case opponent(name: String, own: Disc)
  /// Either player dropped a disc. `board` is the board after the move; it tells whether the game is over.
  case moved(Disc, column: Int, board: Board)
  /// The duel is over; the last event.
  case closed(Ending)

  /// How a duel ended.
  public enum Ending: Hashable, Sendable {
    /// The game was played to its end.
    case finished
    /// This side left.
    case left
    /// The opponent left.
    case opponentLeft
    /// The host has another opponent.
    case turnedAway
    /// The connection broke, or ended without a goodbye.
    case lost
    /// The opponent broke the rules.
    case violated(Violation)
    /// The opponent says that this side broke the rules.
    case accused(String)
  }
}

/// The reason why a move of this side's player was refused.
public enum MoveRefusal: Error, Hashable, Sendable {
  case noGame
  case notYourTurn
  case illegal(MoveError)
}

extension MoveRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noGame: "there is no game yet"
    case .notYourTurn: "it is not your turn"
    case .illegal(let error): error.description
    }
  }
}
