/// Wakes one task that waits for an actor to have something for it. Part of that actor's state.
package struct Waiter {
  private var continuation: CheckedContinuation<Void, Never>?

  package init() {}

  /// Remembers who waits. A sequence has one consumer at a time; a second one is a mistake in the program.
  package mutating func set(_ continuation: CheckedContinuation<Void, Never>) {
    precondition(self.continuation == nil, "two tasks wait for the next element of one iterator")
    self.continuation = continuation
  }

  package mutating func wake() {
    continuation?.resume()
    continuation = nil
  }
}
