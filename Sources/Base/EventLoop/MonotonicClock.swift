/// A clock and a way to sleep: those of the system, or those of a test.
package struct MonotonicClock: Sendable {
  package let now: @Sendable () -> ContinuousClock.Instant
  /// Returns at the given instant, or earlier if the task is cancelled.
  package let sleep: @Sendable (ContinuousClock.Instant) async -> Void

  package init(
    now: @escaping @Sendable () -> ContinuousClock.Instant, sleep: @escaping @Sendable (ContinuousClock.Instant) async -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  package static let system = MonotonicClock(
    now: { .now },
    sleep: { deadline in
      // The only error is cancellation, which ends the sleep.
      try? await Task.sleep(until: deadline, clock: .continuous)
    })
}
