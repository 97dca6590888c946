/// Wakes an actor at the next deadline of its state machine. Belongs to the actor's state; used on the actor only.
///
/// A deadline that is put off costs nothing: the sleep that has begun goes on, and is followed by another for the rest.
///
/// ```swift
/// timer.set(machine.nextDeadline, on: self) { $0.timePasses() }
/// ```
package final class DeadlineTimer: Sendable {
  private struct Sleep {
    /// When it ends.
    let end: ContinuousClock.Instant
    let task: Task<Void, Never>
  }

  private struct State {
    var deadline: ContinuousClock.Instant?
    var sleep: Sleep?
    /// The number of the sleep, so that the end of a former one is ignored.
    var number: UInt64 = 0
  }

  private let clock: MonotonicClock
  /// Locked because the sleeping task passes the timer to the actor.
  private let state = Locked(State())

  package init(_ clock: MonotonicClock) {
    self.clock = clock
  }

  /// Replaces the deadline.
  ///
  /// - Parameters:
  ///   - deadline: When to run `action`; nil for never. Setting the same deadline again has no effect.
  ///   - owner: The actor that holds this timer. It is not retained.
  ///   - action: Runs on the actor, unless the timer is cancelled before that. It must be the same each time: a sleep that has begun
  ///     ends with the action that it began with.
  package func set<Owner: Actor>(
    _ deadline: ContinuousClock.Instant?, on owner: Owner, _ action: @escaping @Sendable (isolated Owner) -> Void
  ) {
    state.withLock { state in
      guard deadline != state.deadline else { return }
      state.deadline = deadline
      guard let deadline else { return end(&state) }
      if let sleep = state.sleep, sleep.end <= deadline { return }
      end(&state)
      begin(&state, until: deadline, on: owner, action)
    }
  }

  /// Removes the deadline.
  package func cancel() {
    state.withLock { state in
      state.deadline = nil
      end(&state)
    }
  }

  private func end(_ state: inout State) {
    state.sleep?.task.cancel()
    state.sleep = nil
    state.number += 1
  }

  private func begin<Owner: Actor>(
    _ state: inout State, until end: ContinuousClock.Instant, on owner: Owner,
    _ action: @escaping @Sendable (isolated Owner) -> Void
  ) {
    let task = Task { [weak owner, number = state.number] in
      await clock.sleep(end)
      guard !Task.isCancelled, let owner else { return }
      await self.ring(number, end, on: owner, action)
    }
    state.sleep = Sleep(end: end, task: task)
  }

  private func ring<Owner: Actor>(
    _ number: UInt64, _ end: ContinuousClock.Instant, on owner: isolated Owner,
    _ action: @escaping @Sendable (isolated Owner) -> Void
  ) {
    let isDue = state.withLock { state in
      // The timer may have been set again while this call waited for the actor.
      guard state.number == number, let deadline = state.deadline else { return false }
      state.sleep = nil
      guard deadline <= end else {
        state.number += 1
        begin(&state, until: deadline, on: owner, action)
        return false
      }
      state.deadline = nil
      return true
    }
    if isDue { action(owner) }
  }
}
