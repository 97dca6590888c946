/// Decides when to send a ping, and when the peer has been silent for too long. A value without a clock.
struct RequestHeartbeat: Sendable {
  typealias Instant = ContinuousClock.Instant

  enum Verdict {
    case pingDue
    case peerSilent
  }

  /// A check that is later than this was delayed by this side: it got no processor, or the machine was suspended.
  private static let grace = Duration.seconds(1)

  private let heartbeat: Heartbeat
  private var pingDeadline: Instant
  private var silenceDeadline: Instant
  /// Whether this side takes frames, and the peer may still send some.
  private var isListening = true

  init(_ heartbeat: Heartbeat, at now: Instant) {
    self.heartbeat = heartbeat
    pingDeadline = now + heartbeat.interval
    silenceDeadline = now + heartbeat.timeout
  }

  /// The time of the next check.
  var nextDeadline: Instant { isListening ? min(pingDeadline, silenceDeadline) : pingDeadline }

  mutating func sent(at now: Instant) { pingDeadline = now + heartbeat.interval }

  mutating func heard(at now: Instant) { silenceDeadline = now + heartbeat.timeout }

  mutating func setListening(_ isListening: Bool, at now: Instant) {
    self.isListening = isListening
    heard(at: now)
  }

  /// After `pingDue`, `sent` must follow.
  mutating func check(at now: Instant) -> Verdict? {
    if nextDeadline + Self.grace < now { heard(at: now) }
    if isListening, now >= silenceDeadline { return .peerSilent }
    return now >= pingDeadline ? .pingDue : nil
  }
}

extension RequestMachine.Effect {
  /// Whether it sends the peer a frame.
  var isSent: Bool {
    switch self {
    case .send, .refuse: true
    case .finish, .deliver, .permit, .answer, .stopAnswering, .notify, .abort, .dropSilentPeer, .giveUpAnswering: false
    }
  }
}
