public import FramedCoding

/// An event of a client, for its player.
public enum ClientEvent: Hashable, Sendable {
  /// The client's state has changed.
  case state(ClientState)
  /// The client waits for a match; this number of players is missing.
  case waiting(missing: Int)
  /// The match has started, or is continued.
  case match(MatchView, continued: Bool)
  /// A racer, maybe this client's own, has moved.
  case moved(racer: Int, position: Int)
  /// A racer has arrived.
  case arrived(racer: Int, place: Int)
  /// The player of a racer is away, is back, or has left for good.
  case presence(racer: Int, Presence)
  /// The match is over; the racers by rank.
  case over(ranking: [Int])
  /// The client has ended; the last event.
  case ended(Ending)

  /// The reason why a client has ended.
  public enum Ending: Hashable, Sendable {
    /// The match is over.
    case finished
    /// The client was asked to end; its place in a match is kept for a while.
    case stopped
    /// The player could not be identified.
    case notAuthenticated(RacePlayer.Invalid)
    /// The server has ended the connection with a reason.
    case refused(Refusal)
    /// The server broke the protocol.
    case violated(Violation)
  }

  /// A server's violation of the protocol.
  public enum Violation: Error, Hashable, Sendable, CustomStringConvertible {
    case malformed(MessageError)
    /// A frame could not be read; contains the transport's error.
    case notAFrame(String)
    /// A message that is not allowed in this state.
    case outOfOrder(ClientState)
    /// The number of a racer that does not exist.
    case noSuchRacer(UInt8)
    /// A number outside its range.
    case impossible(String)

    public var description: String {
      switch self {
      case .malformed(let error): "the frame is not a message of the server: \(error)"
      case .notAFrame(let text): "the data are not a message: \(text)"
      case .outOfOrder(let state): "a message came that is not allowed in the state \(state.rawValue)"
      case .noSuchRacer(let number): "a message came about racer \(number), which does not exist"
      case .impossible(let text): "an impossible number came: \(text)"
      }
    }
  }
}
