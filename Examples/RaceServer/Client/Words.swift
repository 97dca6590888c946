import FramedTransport
import Race

extension ClientState {
  /// The state in words, for people.
  var words: String {
    switch self {
    case .notAvailable: "not playing"
    case .pendingAuthentication: "identifying the player"
    case .authenticated: "player identified"
    case .connecting: "connecting"
    case .connected: "connected"
    case .pendingMatchStatus: "asking for a match to continue"
    case .receivedMatchStatus: "the server has answered"
    case .pendingMatch: "waiting for players"
    case .pendingMatchStart: "waiting for the start"
    case .matchActive: "racing"
    }
  }
}

extension ClientEvent.Ending {
  /// A sentence for people; text from the server is escaped.
  var text: String {
    switch self {
    case .finished: "The match is over."
    case .stopped: "You left; with --continue you may come back."
    case .notAuthenticated(let reason): "The player could not be identified: \(reason)."
    case .refused(let refusal): "The server ended the connection: \(refusal.text.escapedForDisplay)."
    case .violated(let violation): "The server broke the protocol: \(violation.description.escapedForDisplay)."
    }
  }

  /// The reason as a word, for programs.
  var code: String {
    switch self {
    case .finished: "finished"
    case .stopped: "stopped"
    case .notAuthenticated: "notAuthenticated"
    case .refused(let refusal): refusal.reason.word
    case .violated: "violated"
    }
  }
}
