/// Runs an action at the next deadline of a state machine. Belongs to the machine's owner; used on the loop only.
///
/// A deadline that is put off costs nothing: the timer that is set goes on, and is followed by another for the rest.
///
/// ```swift
/// private lazy var deadline = LoopDeadline(on: loop) { [weak self] in self?.timePasses() }
/// deadline.set(machine.nextDeadline)
/// ```
package final class LoopDeadline {
  private let loop: EventLoop
  private let action: () -> Void
  @exclusivity(unchecked) private var timer: LoopTimer?
  @exclusivity(unchecked) private var deadline = LoopTime.never

  /// When the timer fires; ``LoopTime/never`` while there is none.
  package var timerTime: LoopTime { timer?.deadline ?? .never }

  /// - Parameters:
  ///   - loop: The loop of the owner.
  ///   - action: Runs once for each deadline that has come. The loop retains it while a deadline is set.
  package init(on loop: EventLoop, _ action: @escaping () -> Void) {
    self.loop = loop
    self.action = action
  }

  /// Replaces the deadline; ``LoopTime/never`` for none, which leaves the timer.
  package func set(_ deadline: LoopTime) {
    self.deadline = deadline
    guard deadline < timerTime else { return }
    timer?.cancel()
    timer = loop.schedule(at: deadline) { self.fire() }
  }

  /// Replaces the deadline; nil for none.
  package func set(_ deadline: ContinuousClock.Instant?) {
    if let deadline { set(loop.time(of: deadline)) } else { cancel() }
  }

  /// Removes the deadline, and the timer.
  package func cancel() {
    timer?.cancel()
    timer = nil
  }

  private func fire() {
    let due = timerTime
    timer = nil
    guard deadline <= due else { return set(deadline) }
    action()
  }
}
