/// What happens at a point in time, and at the end of a turn.
extension EventLoop {
  /// The time since the loop was made. On any thread.
  package var now: Duration { beginning.duration(to: .now) }

  /// Runs a closure on the loop at a point in time, or as soon after it as the loop gets there.
  package func schedule(at deadline: ContinuousClock.Instant, _ action: @escaping () -> Void) -> LoopTimer {
    preconditionIsCurrent("A timer")
    timersScheduled += 1
    let timer = LoopTimer(deadline: deadline, order: timersScheduled, owner: self, action: action)
    timers.insert(timer)
    return timer
  }

  /// Runs a closure on the loop after some time.
  package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
    schedule(at: .now + delay, action)
  }

  func cancel(_ timer: LoopTimer) {
    preconditionIsCurrent("A timer")
    timers.remove(timer)
  }

  /// Runs a closure once, after everything else of this turn.
  package func atEndOfTurn(_ action: @escaping () -> Void) {
    atEndOfTurn(Action(action))
  }

  /// Tells somebody of the end of this turn, after everything else: the place to write what the turn has gathered.
  package func atEndOfTurn(_ ender: any TurnEnder) {
    preconditionIsCurrent("The end of a turn")
    endOfTurn.append(ender)
  }

  /// A closure for an array, which would wrap each in another one that fits any type.
  private final class Action: TurnEnder {
    private let run: () -> Void

    init(_ run: @escaping () -> Void) {
      self.run = run
    }

    func turnEnds() { run() }
  }

  // MARK: - The thread

  func runTimers() {
    guard timers.first != nil else { return }
    let now = ContinuousClock.now
    while let action = timers.popDue(at: now) { action() }
  }

  /// Rounded up, so that a timer's turn does not come before its time; −1, for ever, without a deadline.
  func milliseconds(until deadline: ContinuousClock.Instant?) -> CInt {
    guard let deadline else { return -1 }
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else { return 0 }
    let (seconds, attoseconds) = left.components
    guard seconds < 86_400 else { return 86_400_000 }
    let millisecond: Int64 = 1_000_000_000_000_000
    return CInt(seconds * 1_000 + (attoseconds + millisecond - 1) / millisecond)
  }
}
