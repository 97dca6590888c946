package import _BonjourishEventLoop

/// One answer for a task, from what runs on a loop.
///
/// Sendable: `result` is locked, and everything else is used on the loop only.
package final class LoopAnswer<Value: Sendable>: @unchecked Sendable {
  private let loop: EventLoop
  /// Locked rather than passed through the continuation: if that is resumed before the caller waits, the thread sanitizer does
  /// not see the synchronisation.
  private let result = Locked<Result<Value, TransportError>?>(nil)
  private var timer: LoopTimer?
  private var caller: CheckedContinuation<Void, Never>?
  private var abandon: (() -> Void)?

  /// - Parameter abandon: Called on the loop if the answer is an error, unless ``onFailure(_:)`` names something else meanwhile.
  package init(on loop: EventLoop, orElse abandon: (() -> Void)? = nil) {
    self.loop = loop
    self.abandon = abandon
  }

  /// Whether there is an answer.
  package var isGiven: Bool { result.withLock { $0 != nil } }

  /// Waits for the answer. Called once.
  ///
  /// - Parameters:
  ///   - limit: The longest time to wait.
  ///   - timedOut: The error at the limit.
  ///   - attempt: What is tried, as a sentence about it begins.
  ///   - begin: Begins, on the loop. Not called if the task was cancelled before.
  /// - Throws: The error of the answer; `timedOut`; `cancelled`.
  package func wait(
    within limit: Duration, orThrow timedOut: TransportError, _ attempt: String, begin: @escaping @Sendable () -> Void
  ) async throws(TransportError) -> Value {
    await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        loop.perform { [self] in
          guard result.withLock({ $0 == nil }) else { return caller.resume() }
          self.caller = caller
          timer = loop.schedule(after: limit) { self.give(.failure(timedOut)) }
          begin()
        }
      }
    } onCancel: {
      loop.perform { self.give(.failure(.cancelled(attempt))) }
    }
    guard let result = result.withLock({ $0 }) else { preconditionFailure("a task goes on with an answer") }
    return try result.get()
  }

  /// Names what ends the attempt if the answer is an error. If it is one already, that is called at once.
  package func onFailure(_ abandon: (() -> Void)?) {
    loop.assertIsCurrent()
    switch result.withLock({ $0 }) {
    case nil: self.abandon = abandon
    case .failure: abandon?()
    case .success: break
    }
  }

  /// Answers. Only the first answer counts.
  package func give(_ answer: Result<Value, TransportError>) {
    loop.assertIsCurrent()
    let isFirst = result.withLock { result in
      if result != nil { return false }
      result = answer
      return true
    }
    guard isFirst else { return }
    timer?.cancel()
    timer = nil
    let abandon = abandon.take()
    if case .failure = answer { abandon?() }
    caller.take()?.resume()
  }
}
