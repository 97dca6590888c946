/// When it is told that a directory does not answer.
///
/// At once if nothing is known yet. What is known counts for a lease anyway, and a cluster needs up to 15 s to agree on new leaders when
/// it loses a server: that is told only after a third of a lease.
struct Interruption {
  private var pending: (end: ContinuousClock.Instant, failure: JetStreamFailure)?
  private(set) var isTold = false

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  var deadline: ContinuousClock.Instant? { pending?.end }

  /// Notes a failure that is told after a delay, nil for at once; returns it if it is to be told now.
  mutating func begin(_ failure: JetStreamFailure, after delay: Duration?, at now: ContinuousClock.Instant) -> JetStreamFailure?
  {
    guard !isTold, pending == nil else { return nil }
    pending = delay.map { (now + $0, failure) }
    isTold = pending == nil
    return isTold ? failure : nil
  }

  /// Returns the failure that is to be told now.
  mutating func advance(to now: ContinuousClock.Instant) -> JetStreamFailure? {
    guard let pending, pending.end <= now else { return nil }
    self.pending = nil
    isTold = true
    return pending.failure
  }

  /// Notes that the directory answers; returns whether the interruption was told.
  mutating func end() -> Bool {
    pending = nil
    defer { isTold = false }
    return isTold
  }
}
