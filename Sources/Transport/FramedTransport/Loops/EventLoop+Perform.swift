import _BonjourishEventLoop

extension EventLoop {
  /// Runs a closure on the loop: at once if the caller is on the loop, otherwise as a job, in the order of the calls.
  func perform(_ action: @escaping @Sendable () -> Void) {
    if isCurrent {
      action()
    } else {
      execute(action)
    }
  }
}
