import _BonjourishBase
package import _BonjourishDiscovery

/// The state machine of the attempts to connect to a directory: when the next begins, when operations are told that it takes long, and
/// whether a server that refuses is believed.
///
/// A value without I/O: outcomes and time go in, what is to be done comes out.
package struct ConnectionAttempts {
  package enum Effect: Hashable, Sendable {
    /// Connect.
    case connect
    /// Tell operations that the directory has not answered yet.
    case late
  }

  /// The time after which operations are told that the directory has not answered yet. Otherwise nothing would be taken for an answer.
  package static let timeout: Duration = .milliseconds(500)
  /// The same when there is no local network to go on with, so that a refusal on a busy machine is told and not that it takes long.
  package static let loneTimeout: Duration = .seconds(2)
  /// How often in a row a server must refuse to be believed: one that starts may not know its users yet. That takes less than a second.
  package static let sureRefusals = 3
  package static let refusalRetry: Duration = .milliseconds(100)
  private static let backoff = Backoff(from: .milliseconds(250), to: .seconds(8))

  private let timeout: Duration
  /// Whether operations know of the directory: it was connected, or they were told why it is not.
  private var isTold = false
  private var lateAt: ContinuousClock.Instant?
  private var retryAt: ContinuousClock.Instant?
  private var refusalsInARow = 0
  private var failures = 0
  private var random: SeededGenerator

  /// - Parameters:
  ///   - isAlone: Whether the local network is not used, too.
  ///   - seed: The seed of the times between attempts. It should differ between processes.
  package init(isAlone: Bool, seed: UInt64) {
    timeout = isAlone ? Self.loneTimeout : Self.timeout
    random = SeededGenerator(seed: seed)
  }

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package var nextDeadline: ContinuousClock.Instant? { [lateAt, retryAt].compactMap(\.self).min() }

  /// Begins an attempt.
  package mutating func begin(at now: ContinuousClock.Instant) -> [Effect] {
    retryAt = nil
    // Each attempt has a time of its own: that of a former one must not end a connection that is made meanwhile.
    if !isTold { lateAt = now + timeout }
    return [.connect]
  }

  /// Notes that the directory is connected.
  package mutating func connected() { (isTold, lateAt, retryAt, refusalsInARow, failures) = (true, nil, nil, 0, 0) }

  /// Notes that an attempt has failed.
  ///
  /// - Returns: Whether that is believed and to be told; then call ``retry(at:)``. Otherwise another attempt begins soon.
  package mutating func failed(_ code: DiscoveryError.Code, at now: ContinuousClock.Instant) -> Bool {
    lateAt = nil
    refusalsInARow = code == .unavailable ? 0 : refusalsInARow + 1
    if (1..<Self.sureRefusals).contains(refusalsInARow), code != .invalidDirectory {
      retry(after: Self.refusalRetry, at: now)
      return false
    }
    isTold = true
    return true
  }

  /// Notes that operations were told why there is no connection.
  package mutating func told() { (isTold, lateAt) = (true, nil) }

  /// The time until another attempt, also of the library's own.
  ///
  /// - Parameter failures: How often in a row it has failed before.
  package static func delay(after failures: Int, using random: inout some RandomNumberGenerator) -> Duration {
    backoff.delay(after: failures, using: &random)
  }

  /// Begins the next attempt after a time that grows with each failure.
  package mutating func retry(at now: ContinuousClock.Instant) {
    retry(after: Self.delay(after: failures, using: &random), at: now)
    failures += 1
  }

  /// Begins the next attempt after a time.
  package mutating func retry(after delay: Duration, at now: ContinuousClock.Instant) { retryAt = now + delay }

  /// Handles the deadlines that have passed.
  package mutating func advance(to now: ContinuousClock.Instant) -> [Effect] {
    var effects: [Effect] = []
    if let lateAt, lateAt <= now {
      told()
      effects = [.late]
    }
    if let retryAt, retryAt <= now { effects += begin(at: now) }
    return effects
  }
}
