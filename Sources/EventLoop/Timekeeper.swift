/// What time it is, and how to wait: the system's clock, or a test's.
package struct Timekeeper: Sendable {
  package let now: @Sendable () -> ContinuousClock.Instant
  /// Returns at the time given, or earlier when the task is cancelled.
  package let sleep: @Sendable (ContinuousClock.Instant) async -> Void

  package init(
    now: @escaping @Sendable () -> ContinuousClock.Instant, sleep: @escaping @Sendable (ContinuousClock.Instant) async -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  package static let system = Timekeeper(
    now: { .now },
    sleep: { deadline in
      // The error is that of cancellation, after which nobody waits.
      try? await Task.sleep(until: deadline, clock: .continuous)
    })
}
