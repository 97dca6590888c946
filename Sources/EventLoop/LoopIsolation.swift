/// The executor of the actors that live on a loop; the loop itself is that of tasks.
///
/// An actor does not hold its executor, so whoever makes one keeps the loop, and with it this.
///
/// Sendable: `loop` is set once, before anybody else has this.
final class LoopIsolation: SerialExecutor, @unchecked Sendable {
  /// The owner.
  unowned(unsafe) var loop: EventLoop!

  func enqueue(_ job: consuming ExecutorJob) {
    loop.enqueueIsolated(job)
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  func checkIsolated() {
    loop.checkIsolated()
  }

  func isIsolatingCurrentContext() -> Bool? {
    loop.isCurrent
  }
}
