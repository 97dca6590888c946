import _BonjourishEventLoop

/// Bounds the attempts to connect to each target, for addresses that came from strangers.
///
/// Whoever is on the link can announce hundreds of services at somebody else's address. Without a bound, a program that connects to
/// what it finds would flood that host with connection attempts. A target is an address with a port, and also an address alone,
/// because the services can be announced at many ports. For each there are some attempts at once and a rate after them. An
/// attempt beyond that waits for its turn, or fails if its turn comes too late.
struct AttemptBudget: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// Some attempts at once, and a rate after them.
  struct Rate: Hashable, Sendable {
    let burst: Int
    /// The time between attempts.
    let interval: Duration
  }

  /// For an address with a port: 8 at once, then four a second. It is enough for an app with several connections to one service.
  static let perTarget = Rate(burst: 8, interval: .milliseconds(250))
  /// For an address with any port: 32 at once, then 16 a second.
  static let perHost = Rate(burst: 32, interval: .microseconds(62_500))
  /// The number of targets that are remembered. There are more only if a stranger makes them up.
  static let maximumTargets = 4_096

  /// The budget of this process.
  static let shared = Locked(AttemptBudget())

  /// When all attempts at a target would have been made if each had waited for the rate.
  private var spentUntil: [SocketAddress: Instant] = [:]

  /// Reserves an attempt.
  ///
  /// - Returns: When to begin it; nil if that would be later than `deadline`, or too many targets are remembered. Then nothing is
  ///   reserved.
  mutating func reserve(_ target: SocketAddress, at now: Instant, before deadline: Instant) -> Instant? {
    // A target of the own machine's folders, which strangers cannot announce.
    guard target.family != .unix else { return now }
    let host = target.with(port: 0)
    if spentUntil.count >= Self.maximumTargets - 1 { spentUntil = spentUntil.filter { $0.value > now } }
    guard spentUntil.count < Self.maximumTargets - 1 else { return nil }
    let start = max(now, turn(of: target, Self.perTarget, at: now), turn(of: host, Self.perHost, at: now))
    guard start <= deadline else { return nil }
    spend(target, Self.perTarget, at: now)
    spend(host, Self.perHost, at: now)
    return start
  }

  /// The earliest time of another attempt.
  private func turn(of target: SocketAddress, _ rate: Rate, at now: Instant) -> Instant {
    spentUntil[target].map { $0 - rate.interval * (rate.burst - 1) } ?? now
  }

  private mutating func spend(_ target: SocketAddress, _ rate: Rate, at now: Instant) {
    spentUntil[target] = max(now, spentUntil[target] ?? now) + rate.interval
  }
}
