/// The system bus and what was learnt of avahi-daemon through it.
package struct BusFacts: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    case reachable
    /// Its socket is not there.
    case missing(path: String)
    /// Its socket is there, and nobody listens.
    case notRunning(path: String)
    case denied(reason: String)
    /// It does not answer.
    case hung
    /// It accepts no more programs of this user.
    case limitReached(reason: String)
    /// Anything else.
    case failed(reason: String)
  }

  package enum Daemon: Hashable, Sendable {
    /// It could not be asked.
    case unknown
    case absent
    /// It is on the bus, and does not answer.
    case hung
    case denied(reason: String)
    case answers(Answers)
  }

  /// What the daemon says of itself.
  package struct Answers: Hashable, Sendable {
    /// Such as "avahi 0.8".
    package var version: String
    /// The host's name, such as "ada.local".
    package var hostName: String
    /// The daemon's state (`AvahiServerState`): 1 while the host's name is being published, 2 when it runs, 3 after a name
    /// conflict, 4 after a failure.
    package var state: Int
    /// Why it accepts no further operation; nil if it does.
    package var refusal: String?

    package init(version: String, hostName: String, state: Int, refusal: String? = nil) {
      self.version = version
      self.hostName = hostName
      self.state = state
      self.refusal = refusal
    }
  }

  package var state = State.reachable
  package var daemon = Daemon.unknown
  /// The daemon's process; nil if unknown.
  package var process: Int?
  /// Whether that process is stopped, as by SIGSTOP or a debugger.
  package var isStopped = false
  package var configuration = DaemonConfiguration()
  package var hasFirewalld = false

  package init() {}

  var answers: Answers? {
    if case .answers(let answers) = daemon { answers } else { nil }
  }
}
