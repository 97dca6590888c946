/// The time since a start, by any clock.
struct MatchClock: Sendable {
  /// The time since the start.
  let now: @Sendable () -> Duration
  /// Sleeps until this time after the start.
  let sleep: @Sendable (Duration) async throws -> Void

  /// Starts now.
  init(_ clock: some Clock<Duration>) {
    let origin = clock.now
    now = { origin.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
  }

  /// A task that calls a closure at a time, unless it is cancelled before.
  func at(_ deadline: Duration, _ action: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task {
      // If the clock woke slightly too early, the deadline would be missed forever.
      repeat {
        do { try await sleep(deadline) } catch { return }
      } while now() < deadline
      await action()
    }
  }
}

/// A single wake-up, for an actor whose machine has a next deadline.
struct DeadlineTask {
  private var deadline: Duration?
  private var task: Task<Void, Never>?

  /// Calls a closure at a deadline, which replaces the former one; `nil` for never. The former deadline may still fire if its
  /// task is already running.
  mutating func set(_ deadline: Duration?, on clock: MatchClock, _ action: @escaping @Sendable () async -> Void) {
    guard deadline != self.deadline else { return }
    task?.cancel()
    self.deadline = deadline
    task = deadline.map { clock.at($0, action) }
  }

  func cancel() {
    task?.cancel()
  }
}
