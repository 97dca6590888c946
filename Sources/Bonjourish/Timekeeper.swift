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

  static let system = Timekeeper(
    now: { .now },
    sleep: { deadline in
      // The error is that of cancellation, after which nobody waits.
      try? await Task.sleep(until: deadline, clock: .continuous)
    })
}

/// One wake-up at a time, for an actor whose machine names its next deadline.
struct Alarm {
  private var deadline: ContinuousClock.Instant?
  private var task: Task<Void, Never>?
  private let time: Timekeeper

  init(_ time: Timekeeper) {
    self.time = time
  }

  /// Calls `action` at a deadline instead of any that was set before; nil for never.
  mutating func set(_ deadline: ContinuousClock.Instant?, _ action: @escaping @Sendable () async -> Void) {
    guard deadline != self.deadline else { return }
    task?.cancel()
    self.deadline = deadline
    task = deadline.map { deadline in
      Task { [time] in
        await time.sleep(deadline)
        if !Task.isCancelled { await action() }
      }
    }
  }

  /// To be called by the action: the deadline is over, and may be set anew.
  mutating func fired() {
    deadline = nil
    task = nil
  }

  mutating func cancel() {
    task?.cancel()
    fired()
  }
}
