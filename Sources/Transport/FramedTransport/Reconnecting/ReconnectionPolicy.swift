/// The waits between attempts to connect, and the number of attempts.
///
/// After the n-th failure in a row the wait is a random time between zero and `base` · 2ⁿ⁻¹, but at most `cap`. So clients that
/// lose a server at the same time do not all connect again at the same time. A lost connection counts as a failure. A connection
/// that lasts for the stable period resets the count of failures.
public struct ReconnectionPolicy: Hashable, Sendable {
  /// The longest wait after the first failure, more than zero.
  public var base: Duration

  /// The limit for all waits, at least `base`.
  public var cap: Duration

  /// The time that a connection must last to reset the count of failures.
  public var stablePeriod: Duration

  /// The number of failures in a row after which to give up, at least 1; `nil` for never.
  public var failureLimit: Int?

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - base: More than zero.
  ///   - cap: At least `base`.
  ///   - stablePeriod: Zero or more.
  ///   - failureLimit: At least 1.
  public init(
    base: Duration = .seconds(1), cap: Duration = .seconds(60), stablePeriod: Duration = .seconds(30), failureLimit: Int? = nil
  ) {
    self.base = base
    self.cap = cap
    self.stablePeriod = stablePeriod
    self.failureLimit = failureLimit
    check()
  }

  /// Fails if a value cannot be used.
  func check() {
    precondition(base > .zero && cap >= base, "base must be more than zero, and cap at least base")
    precondition(stablePeriod >= .zero, "stablePeriod must not be negative")
    precondition(failureLimit.map { $0 > 0 } ?? true, "failureLimit must be at least 1")
  }

  /// Waits of up to a second at first and up to a minute later, without a limit of failures.
  public static let standard = ReconnectionPolicy()

  /// The longest wait after the given number of failures in a row.
  package func longestWait(afterFailures count: Int) -> Duration {
    var wait = base
    // Compared with half of the cap, so that no multiplication overflows.
    for _ in 1..<max(count, 1) {
      guard wait < cap / 2 else { return cap }
      wait *= 2
    }
    return min(wait, cap)
  }
}
