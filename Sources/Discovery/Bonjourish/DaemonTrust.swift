/// How long avahi-daemon is waited for when it is gone, and when it is back: less, and more, if it has been lost again and again.
struct DaemonTrust {
  /// The time after which the built-in engine takes over from an absent daemon. A restart of the daemon takes less.
  static let restartTime: Duration = .seconds(3)
  /// So many losses within so long a time are one again and again.
  static let losses = 3
  static let period: Duration = .seconds(30)
  /// How long a daemon that was lost again and again must stay before it is used.
  static let probation: Duration = .seconds(10)

  private var lost: [ContinuousClock.Instant] = []

  /// Notes that the daemon is gone that was in use.
  ///
  /// - Returns: How long to wait for it before the engine takes over.
  mutating func lose(at now: ContinuousClock.Instant) -> Duration {
    lost = lost.suffix(Self.losses - 1) + [now]
    return isDoubtful(at: now) ? .zero : Self.restartTime
  }

  /// How long a daemon that is there again must stay before it takes over from the engine.
  func wait(at now: ContinuousClock.Instant) -> Duration { isDoubtful(at: now) ? Self.probation : .zero }

  private func isDoubtful(at now: ContinuousClock.Instant) -> Bool {
    lost.count == Self.losses && lost[0] + Self.period > now
  }
}
