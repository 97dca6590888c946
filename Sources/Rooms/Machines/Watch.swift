/// Notices when the other side of a connection has gone silent.
///
/// Who has heard nothing for a while asks with a ping, and gives up when no answer comes either.
struct Watch: Hashable, Sendable {
  /// How long a host may take to answer hello.
  static let helloLimit = Duration.seconds(5)
  /// After how much silence a ping is sent, and again.
  static let pingInterval = Duration.seconds(5)
  /// After how much silence the other side is taken for dead.
  static let silenceLimit = Duration.seconds(15)

  private var lastHeard: Duration
  private var lastPing: Duration?

  init(from now: Duration) {
    lastHeard = now
  }

  enum Finding: Hashable {
    case alive
    /// A ping is due; it counts as sent.
    case quiet
    case dead
  }

  mutating func heard(at now: Duration) {
    lastHeard = now
    lastPing = nil
  }

  mutating func check(at now: Duration) -> Finding {
    if now >= lastHeard + Watch.silenceLimit { return .dead }
    if now < nextPing { return .alive }
    lastPing = now
    return .quiet
  }

  /// When to check again.
  var nextDeadline: Duration { min(nextPing, lastHeard + Watch.silenceLimit) }

  private var nextPing: Duration { (lastPing ?? lastHeard) + Watch.pingInterval }
}
