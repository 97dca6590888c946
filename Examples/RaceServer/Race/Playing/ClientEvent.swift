package import Framing

/// What a client's person learns.
package enum ClientEvent: Hashable, Sendable {
  /// The client has got to this state.
  case state(ClientState)
  /// A match is waited for, and so many players are missing.
  case waiting(missing: Int)
  /// The match has started, or is continued.
  case match(MatchView, continued: Bool)
  /// A racer, this client's own included, has got so far.
  case moved(racer: Int, position: Int)
  /// A racer has arrived.
  case arrived(racer: Int, place: Int)
  /// The player of a racer has gone, come back, or left for good.
  case presence(racer: Int, Presence)
  /// The match is over; the racers, the first first.
  case over(ranking: [Int])
  /// It is over; the last event.
  case ended(Ending)

  /// Why a client has ended.
  package enum Ending: Hashable, Sendable {
    /// The match is over.
    case finished
    /// The client was asked to end. The place in a match is kept for a while.
    case stopped
    /// It is not known who plays.
    case notAuthenticated(RacePlayer.Invalid)
    /// The server wants no more of this client.
    case refused(Refusal)
    /// The server said what the protocol does not allow.
    case violated(Violation)
  }

  /// What a server can do wrong.
  package enum Violation: Error, Hashable, Sendable, CustomStringConvertible {
    case malformed(MessageError)
    /// What came is no frame; in the words of the transport.
    case notAFrame(String)
    /// A message that cannot come in this state.
    case outOfOrder(ClientState)
    /// A racer that there is none of.
    case noSuchRacer(UInt8)
    /// A number that cannot be.
    case impossible(String)

    package var description: String {
      switch self {
      case .malformed(let error): "what came is no message of the server: \(error)"
      case .notAFrame(let text): "what came is no message: \(text)"
      case .outOfOrder(let state): "a message came that cannot come in the state \(state.rawValue)"
      case .noSuchRacer(let number): "a message came about racer \(number), of which there is none"
      case .impossible(let text): "a number came that cannot be: \(text)"
      }
    }
  }
}
