import EventLoop

extension EventLoop {
  /// Runs a closure on the loop: now when the caller is there, otherwise as a job of its own, in the order of the calls.
  func perform(_ action: @escaping @Sendable () -> Void) {
    if isCurrent {
      action()
    } else {
      execute(action)
    }
  }
}
