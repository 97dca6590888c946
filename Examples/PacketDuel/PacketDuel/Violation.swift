package import FourInARow
package import Framing

/// What a peer has done that the protocol or the rules of the game do not allow.
package enum Violation: Error, Hashable, Sendable {
  /// What came is no message of a duel.
  case malformed(MessageError)
  /// What came is no frame; in the words of the transport.
  case notAFrame(String)
  /// A message came that nobody may say now.
  case outOfOrder(expected: String)
  /// The peer moved when it was not its turn.
  case outOfTurn
  /// The peer's move has the wrong number, so that the two do not speak of the same game.
  case miscounted(Int32, expected: Int)
  /// The rules do not allow the peer's move.
  case illegal(MoveError)
}

extension Violation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .malformed(let error): "what came is no packet of a duel: \(error)"
    case .notAFrame(let text): "what came is no packet: \(text)"
    case .outOfOrder(let expected): "a packet came too early or too late; expected \(expected)"
    case .outOfTurn: "a move came out of turn"
    case .miscounted(let number, let expected): "move \(number) came instead of move \(expected)"
    case .illegal(let error): "a move came that the rules do not allow: \(error)"
    }
  }
}
