/// Wakes an actor at the next deadline of its state machine. Belongs to the actor's state; used on the actor only.
///
/// ```swift
/// timer.set(machine.nextDeadline, on: self) { $0.timePasses() }
/// ```
package final class DeadlineTimer: Sendable {
  private struct Pending {
    var deadline: ContinuousClock.Instant
    var task: Task<Void, Never>
  }

  private let clock: MonotonicClock
  /// Locked because the sleeping task passes the timer to the actor.
  private let state = Locked<(pending: Pending?, number: UInt64)>((nil, 0))

  package init(_ clock: MonotonicClock) {
    self.clock = clock
  }

  /// Replaces the deadline.
  ///
  /// - Parameters:
  ///   - deadline: When to run `action`; nil for never. Setting the same deadline again has no effect.
  ///   - owner: The actor that holds this timer. It is not retained.
  ///   - action: Runs on the actor, unless the timer is set again or cancelled before that.
  package func set<Owner: Actor>(
    _ deadline: ContinuousClock.Instant?, on owner: Owner, _ action: @escaping @Sendable (isolated Owner) -> Void
  ) {
    state.withLock { state in
      guard deadline != state.pending?.deadline else { return }
      state.pending?.task.cancel()
      state.number += 1
      state.pending = deadline.map { deadline in
        Pending(
          deadline: deadline,
          task: Task { [weak owner, number = state.number] in
            await clock.sleep(deadline)
            guard !Task.isCancelled, let owner else { return }
            await self.ring(number, on: owner, action)
          })
      }
    }
  }

  /// Removes the deadline.
  package func cancel() {
    state.withLock { state in
      state.pending?.task.cancel()
      state.pending = nil
      state.number += 1
    }
  }

  private func ring<Owner: Actor>(_ number: UInt64, on owner: isolated Owner, _ action: (isolated Owner) -> Void) {
    // The timer may have been set again while this call waited for the actor.
    let isCurrent = state.withLock { state in
      guard state.number == number else { return false }
      state.pending = nil
      return true
    }
    if isCurrent { action(owner) }
  }
}
