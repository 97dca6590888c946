/// What becomes of the known elements when an engine is lost and is back: the part that browsing and looking up share.
///
/// Elements are kept for a time, and those that are not seen again are then dropped.
package struct Continuity: Sendable {
  /// The time for which elements are kept after an engine is lost, and after one is back.
  ///
  /// An engine may settle before it has heard of all hosts: hosts do not answer twice within a second (RFC 6762 §6), and
  /// answers can be lost. In 5 s it asks three times (§5.2).
  package static let grace: Duration = .seconds(5)

  private enum Phase: Sendable {
    case up
    /// The engine is unreachable. Elements are dropped at the deadline; nil when they have been dropped.
    case down(dropAt: ContinuousClock.Instant?)
    /// The engine is back. Goes to `up` when it has settled and every element is seen again, or at the deadline, which drops the
    /// others.
    case returning(dropAt: ContinuousClock.Instant, isSettled: Bool)
  }

  private var phase = Phase.up

  package init() {}

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package var nextDeadline: ContinuousClock.Instant? {
    switch phase {
    case .up: nil
    case .down(let deadline): deadline
    case .returning(let deadline, _): deadline
    }
  }

  /// Whether the engine is back, and may not have seen every element again.
  var isReturning: Bool {
    if case .returning = phase { true } else { false }
  }

  /// Whether the engine is back and has settled, before every element was seen again.
  package var isSettlingDelayed: Bool {
    if case .returning(_, isSettled: true) = phase { true } else { false }
  }

  /// Notes an interruption, and returns whether it is a new one. All elements are then stale.
  package mutating func interrupt(at now: ContinuousClock.Instant) -> Bool {
    if case .down = phase { return false }
    phase = .down(dropAt: now + Self.grace)
    return true
  }

  /// Notes that the engine is back, and returns whether it was away.
  package mutating func restore(at now: ContinuousClock.Instant) -> Bool {
    guard case .down = phase else { return false }
    phase = .returning(dropAt: now + Self.grace, isSettled: false)
    return true
  }

  /// Notes that the engine has settled, and returns whether to report it.
  ///
  /// - Parameter isComplete: Whether no element is stale.
  package mutating func settle(isComplete: Bool) -> Bool {
    switch phase {
    case .up:
      return true
    case .down:
      return false
    case .returning(let deadline, _):
      phase = isComplete ? .up : .returning(dropAt: deadline, isSettled: true)
      return isComplete
    }
  }

  /// Handles a deadline that has passed. The stale elements are then dropped.
  ///
  /// - Returns: Whether to report afterwards that the engine has settled; nil when no deadline has passed.
  package mutating func advance(to now: ContinuousClock.Instant) -> Bool? {
    guard let nextDeadline, nextDeadline <= now else { return nil }
    switch phase {
    case .up:
      return nil
    case .down:
      phase = .down(dropAt: nil)
      return false
    case .returning(_, let isSettled):
      phase = .up
      return isSettled
    }
  }
}
