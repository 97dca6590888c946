import _BonjourishEventLoop

/// What handlers are told, in order. Their loop is woken once for all that a tick of the module's loop brings.
///
/// Sendable: `waiting` is used on the module's loop only, which ``enqueue(_:)`` asserts.
final class HandlerQueue: @unchecked Sendable {
  private let loop: EventLoop
  private let home: EventLoop
  private var waiting: [@Sendable () -> Void] = []

  /// - Parameters:
  ///   - home: The loop of the handlers.
  ///   - loop: The module's loop.
  init(to home: EventLoop, from loop: EventLoop) {
    self.home = home
    self.loop = loop
  }

  func enqueue(_ action: @escaping @Sendable () -> Void) {
    loop.assertIsCurrent()
    waiting.append(action)
    guard waiting.count == 1 else { return }
    loop.atEndOfTick { [self] in
      let actions = waiting
      waiting = []
      home.execute {
        for action in actions { action() }
      }
    }
  }
}
