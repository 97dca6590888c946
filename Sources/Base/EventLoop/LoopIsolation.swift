/// The executor of the actors of a loop. The executor of tasks is the loop itself.
///
/// An actor does not retain its executor. The owner of the actor must retain the loop, which retains this object.
///
/// Sendable: `loop` is set once, before the first use.
final class LoopIsolation: SerialExecutor, @unchecked Sendable {
  /// The loop that owns this object.
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
