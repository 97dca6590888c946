import CLinux

/// What happens at a point in time, and at the end of a turn.
extension EventLoop {
  /// Runs a closure on the loop at a point in time, or as soon after it as the loop gets there.
  package func schedule(at deadline: LoopTime, _ action: @escaping () -> Void) -> LoopTimer {
    preconditionIsCurrent("A timer")
    timersScheduled += 1
    let timer = LoopTimer(deadline: deadline, order: timersScheduled, owner: self, action: action)
    timers.insert(timer)
    return timer
  }

  /// Runs a closure on the loop at an instant, or as soon after it as the loop gets there.
  package func schedule(at deadline: ContinuousClock.Instant, _ action: @escaping () -> Void) -> LoopTimer {
    schedule(at: beginning + beginningInstant.duration(to: deadline), action)
  }

  /// Runs a closure on the loop after some time.
  package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
    schedule(at: LoopTime.now + delay, action)
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

  /// Runs what is due, which is only asked when the alarm clock has rung: that comes with the events.
  func runTimers() {
    guard alarmTime == .never, timers.first != nil else { return }
    let now = LoopTime.now
    while let action = timers.popDue(at: now) { action() }
  }

  /// Sees to it that the loop wakes up in time for the first timer, if it would not without.
  ///
  /// A timer that is cancelled, or put off, leaves the clock as it is, and only the one that rings is set anew. So timers that are
  /// there for what seldom happens cost nothing with each turn, as a limit to the time of waiting would: the system had to set
  /// and clear a timer of its own for it.
  func setAlarmClock() {
    guard let deadline = timers.first?.deadline, deadline < alarmTime else { return }
    alarmTime = deadline
    // Zero would stop the clock, and what is over is as good as one.
    let (seconds, nanoseconds) = max(deadline.nanoseconds, 1).quotientAndRemainder(dividingBy: 1_000_000_000)
    var setting = itimerspec()
    setting.it_value = timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
    // Correct arguments have no error.
    timerfd_settime(alarmClock, CInt(TFD_TIMER_ABSTIME), &setting, nil)
  }
}
