/// How long to wait before connecting again, and how often.
///
/// After the n-th failure in a row the wait is any time between zero and `base` · 2ⁿ⁻¹, but at most `cap`: the back-off grows, and
/// chance spreads it, so that clients that a server has lost all at once do not come back all at once. A connection that is lost
/// counts as a failure; one that has stood for the stable period makes everything before it forgotten.
public struct ReconnectionPolicy: Hashable, Sendable {
  /// The longest wait after the first failure.
  public let base: Duration

  /// The longest wait ever.
  public let cap: Duration

  /// How long a connection has to stand for the failures before it to be forgotten.
  public let stablePeriod: Duration

  /// After how many failures in a row to give up; `nil` for never.
  public let failureLimit: Int?

  /// A policy.
  ///
  /// - Parameters:
  ///   - base: More than zero.
  ///   - cap: At least `base`.
  ///   - stablePeriod: Not negative.
  ///   - failureLimit: At least 1.
  public init(
    base: Duration = .seconds(1), cap: Duration = .seconds(60), stablePeriod: Duration = .seconds(30), failureLimit: Int? = nil
  ) {
    precondition(base > .zero && cap >= base, "The wait cannot grow from \(base) to \(cap)")
    precondition(stablePeriod >= .zero, "A connection cannot be stable after \(stablePeriod)")
    precondition(failureLimit.map { $0 > 0 } ?? true, "Who gives up after \(failureLimit ?? 0) failures never connects")
    self.base = base
    self.cap = cap
    self.stablePeriod = stablePeriod
    self.failureLimit = failureLimit
  }

  /// Up to a second at first, up to a minute in the end, and on for ever.
  public static let standard = ReconnectionPolicy()

  /// The longest wait after so many failures in a row.
  package func longestWait(afterFailures count: Int) -> Duration {
    var wait = base
    // Half of the cap is compared, so that nothing can overflow.
    for _ in 1..<max(count, 1) {
      guard wait < cap / 2 else { return cap }
      wait *= 2
    }
    return min(wait, cap)
  }
}
