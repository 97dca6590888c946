import CBonjourishLinux

/// Timers, and the end of a tick.
extension EventLoop {
  /// Runs a closure on the loop at a point in time, or as soon after it as the loop is free.
  package func schedule(at deadline: LoopTime, _ action: @escaping () -> Void) -> LoopTimer {
    preconditionIsCurrent()
    let timer = LoopTimer(deadline: deadline, owner: self, action: action)
    timers.insert(timer)
    return timer
  }

  /// Runs a closure on the loop at an instant, or as soon after it as the loop is free.
  package func schedule(at deadline: ContinuousClock.Instant, _ action: @escaping () -> Void) -> LoopTimer {
    schedule(at: time(of: deadline), action)
  }

  /// The time of an instant.
  func time(of instant: ContinuousClock.Instant) -> LoopTime { beginning + beginningInstant.duration(to: instant) }

  /// Runs a closure on the loop after a delay.
  package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
    schedule(at: LoopTime.now + delay, action)
  }

  func cancel(_ timer: LoopTimer) {
    preconditionIsCurrent()
    timers.remove(timer)
  }

  /// Runs a closure once, after everything else in this tick.
  package func atEndOfTick(_ action: @escaping () -> Void) {
    atEndOfTick(Action(action))
  }

  /// Calls an observer once, after everything else in this tick: the time to write what the tick has collected.
  package func atEndOfTick(_ observer: any TickObserver) {
    preconditionIsCurrent()
    tickObservers.append(observer)
  }

  /// Calls an observer once, after all that act at the end of this tick: for work that nobody else should wait for.
  package func afterTick(_ observer: any TickObserver) {
    preconditionIsCurrent()
    lateObservers.append(observer)
  }

  /// Holds a closure in an object, because an array of closures would wrap each closure in another one.
  private final class Action: TickObserver {
    private let run: () -> Void

    init(_ run: @escaping () -> Void) {
      self.run = run
    }

    func tickEnded() { run() }
  }

  // MARK: - The thread

  /// Runs the timers that are due, if the timer descriptor has fired.
  func runTimers() {
    guard timerDescriptorTime == .never, timers.next != .never else { return }
    let now = LoopTime.now
    while let action = timers.popDue(at: now) { action() }
  }

  /// Sets the timer descriptor for the first timer, unless it already fires early enough.
  ///
  /// Cancelling a timer does not change the descriptor; it is set again after it has fired. So timers for rare events cost
  /// nothing per tick. A timeout of `epoll_wait` would: the kernel would set and clear a timer in every wait.
  func setTimerDescriptor() {
    let deadline = timers.next
    guard deadline < timerDescriptorTime else { return }
    timerDescriptorTime = deadline
    // Zero would disarm the descriptor; any time in the past fires at once.
    let (seconds, nanoseconds) = max(deadline.nanoseconds, 1).quotientAndRemainder(dividingBy: 1_000_000_000)
    var setting = itimerspec()
    setting.it_value = timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
    // Cannot fail with these arguments.
    timerfd_settime(timerDescriptor.number, CInt(TFD_TIMER_ABSTIME), &setting, nil)
  }
}
