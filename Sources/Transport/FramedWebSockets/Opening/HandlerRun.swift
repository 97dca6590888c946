import _BonjourishEventLoop
import _FramedWebProtocol

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
  func start(_ handler: @escaping WebHandler, _ request: WebRequest, _ place: HandlerPlace) {
    loop.assertIsCurrent()
    task = Task.detached { [self] in
      let outcome: WebHandlerOutcome
      do { outcome = .replied(try await handler(request)) } catch { outcome = .failed(error) }
      place.giveBack()
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
