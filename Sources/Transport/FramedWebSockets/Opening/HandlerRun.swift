import Synchronization
import _BonjourishEventLoop
import _FramedWebProtocol

/// The places for handlers that run at the same time.
final class HandlerSlots: Sendable {
  private let free: Atomic<Int>

  init(_ count: Int) {
    free = Atomic(count)
  }

  /// Takes a place; returns false if there is none.
  func take() -> Bool {
    if free.subtract(1, ordering: .relaxed).newValue >= 0 { return true }
    giveBack()
    return false
  }

  func giveBack() { free.add(1, ordering: .relaxed) }
}

/// One handler that runs for one connection, which may end before.
///
/// Sendable: the variables are used on the loop only.
final class HandlerRun: @unchecked Sendable {
  private let loop: EventLoop
  private var deliver: ((WebHandlerOutcome) -> Void)?
  private var task: Task<Void, Never>?

  /// - Parameters:
  ///   - loop: The connection's loop.
  ///   - deliver: Called on the loop, unless the run is stopped before.
  init(on loop: EventLoop, _ deliver: @escaping (WebHandlerOutcome) -> Void) {
    self.loop = loop
    self.deliver = deliver
  }

  /// Starts the handler, away from the loop. It has a place, which is given back when it has returned.
  func start(_ handler: @escaping WebHandler, _ request: WebRequest, _ slots: HandlerSlots) {
    loop.assertIsCurrent()
    task = Task.detached { [self] in
      let outcome: WebHandlerOutcome
      do { outcome = .replied(try await handler(request)) } catch { outcome = .failed(error) }
      slots.giveBack()
      loop.execute { self.deliver.take()?(outcome) }
    }
  }

  /// Cancels the handler. Its answer is dropped.
  func stop() {
    loop.assertIsCurrent()
    deliver = nil
    task?.cancel()
  }
}
