public import FourInARow
public import FramedCoding

/// A peer's violation of the protocol or of the rules of the game.
public enum Violation: Error, Hashable, Sendable {
  /// A packet contained no message of a duel.
  case malformed(MessageError)
  /// A frame could not be read; contains the transport's error.
  case notAFrame(String)
  /// A message came that is not allowed at this time.
  case outOfOrder(expected: String)
  /// The peer moved out of turn.
  case outOfTurn
  /// The peer's move has the wrong number, so the two sides disagree about the game.
  case miscounted(Int32, expected: Int)
  /// The rules do not allow the peer's move.
  case illegal(MoveError)
}

extension Violation: CustomStringConvertible {
  public var description: String {
    switch self {
    case .malformed(let error): "the packet does not belong to a duel: \(error)"
    case .notAFrame(let text): "the data are not a packet: \(text)"
    case .outOfOrder(let expected): "a packet came too early or too late; expected \(expected)"
    case .outOfTurn: "a move came out of turn"
    case .miscounted(let number, let expected): "move \(number) came instead of move \(expected)"
    case .illegal(let error): "a move came that the rules do not allow: \(error)"
    }
  }
}
