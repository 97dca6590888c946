/// One wake-up at a time, for an actor whose machine names its next deadline.
package struct Alarm {
  private var deadline: ContinuousClock.Instant?
  private var task: Task<Void, Never>?
  private let time: Timekeeper

  package init(_ time: Timekeeper) {
    self.time = time
  }

  /// Calls `action` at a deadline instead of any that was set before; nil for never.
  package mutating func set(_ deadline: ContinuousClock.Instant?, _ action: @escaping @Sendable () async -> Void) {
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

  /// To be called by the action, on the actor: the deadline is over, and may be set anew.
  ///
  /// - Returns: Whether the action is to go on; not when, on its way to the actor, the alarm was set anew or cancelled.
  package mutating func fired() -> Bool {
    guard !Task.isCancelled else { return false }
    deadline = nil
    task = nil
    return true
  }

  package mutating func cancel() {
    task?.cancel()
    deadline = nil
    task = nil
  }
}
