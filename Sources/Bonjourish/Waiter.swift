/// Wakes one task that waits for an actor to have something for it. Part of that actor's state.
struct Waiter {
  private var continuation: CheckedContinuation<Void, Never>?

  /// Remembers who waits. A sequence has one consumer at a time; a second one is a mistake in the program.
  mutating func set(_ continuation: CheckedContinuation<Void, Never>) {
    precondition(self.continuation == nil, "two tasks wait for the next element of one iterator")
    self.continuation = continuation
  }

  mutating func wake() {
    continuation?.resume()
    continuation = nil
  }
}
