/// A locked value. One task at a time can wait for it; every change wakes that task.
package final class Observed<Value: Sendable>: Sendable {
  private let value: Locked<Value>
  private let waiter = Waiter()

  package init(_ value: Value) {
    self.value = Locked(value)
  }

  /// Reads a part of the value.
  package func value<Part: Sendable>(_ part: (Value) -> Part) -> Part { value.withLock { part($0) } }

  /// Changes the value, and wakes the waiting task.
  package func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    defer { waiter.wake() }
    return value.withLock { body(&$0) }
  }

  /// Waits until a closure takes a result out of the value, and returns it; nil if the task is cancelled.
  ///
  /// - Parameter body: Returns nil while there is nothing to take. Called again after each change.
  package func take<Result: Sendable>(_ body: @Sendable (inout Value) -> Result?) async -> Result? {
    var result: Result?
    await waiter.wait {
      if result == nil { result = value.withLock { body(&$0) } }
      return result == nil
    }
    return result
  }
}
