import Discovery
import Race

extension ClientState {
  /// The state in words for a person.
  var words: String {
    switch self {
    case .notAvailable: "not playing"
    case .pendingAuthentication: "finding out who plays"
    case .authenticated: "it is known who plays"
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
  /// A sentence for a person, with everything escaped that the server said.
  var text: String {
    switch self {
    case .finished: "The match is over."
    case .stopped: "You went; with --continue you may come back."
    case .notAuthenticated(let reason): "It is not known who plays: \(reason)."
    case .refused(let refusal): "The server ends the connection: \(refusal.text.visible)."
    case .violated(let violation): "The server breaks the rules: \(violation.description.visible)."
    }
  }

  /// The reason in a word, for programs.
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
