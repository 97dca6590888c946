/// How many relayed connections may be asked for in a time: a number at once, and then some each second.
///
/// Whoever asks can take a new address each time, so the limit is for all together.
package struct DialLimiter {
  /// The number of dials at once: a full room that comes back after an interruption.
  package static let burst = 128
  /// The time after which one more is permitted.
  package static let interval: Duration = .milliseconds(20)

  /// When all permitted dials would be used up if each took ``interval``.
  private var used: ContinuousClock.Instant?

  package init() {}

  /// Counts a dial; returns false when it is one too many.
  package mutating func permit(at now: ContinuousClock.Instant) -> Bool {
    let used = max(used ?? now, now)
    guard used - now <= Self.interval * (Self.burst - 1) else { return false }
    self.used = used + Self.interval
    return true
  }
}
