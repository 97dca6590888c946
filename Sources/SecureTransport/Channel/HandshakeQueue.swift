import EventLoop

/// Lets the handshakes of a loop's connections go on, one step in each tick, after everything else.
///
/// A step takes as long as fifty frames. When a crowd knocks, whoever is in waits for one step at most, and the crowd waits in the order
/// in which its bytes came. An idle loop loses nothing by it: it begins the next tick at once.
///
/// Confined to the loop, except for the initialiser.
final class HandshakeQueue: TickObserver {
  private let loop: EventLoop
  /// Those whose turn is to come, after `served` that had theirs.
  private var waiting: [(any HandshakeWorker)?] = []
  private var served = 0

  init(on loop: EventLoop) {
    self.loop = loop
  }

  /// Has a worker take a step when it is its turn.
  func add(_ worker: any HandshakeWorker) {
    loop.assertIsCurrent()
    if waiting.isEmpty { loop.afterTick(self) }
    waiting.append(worker)
  }

  func tickEnded() {
    loop.assertIsCurrent()
    let worker = waiting[served].take()
    served += 1
    worker?.takeStep()
    if served == waiting.count {
      waiting.removeAll(keepingCapacity: waiting.count <= 64)
      served = 0
      return
    }
    loop.afterTick(self)
    guard served >= 64, served >= waiting.count / 2 else { return }
    waiting.removeFirst(served)
    served = 0
  }
}

/// A connection whose handshake is under way.
protocol HandshakeWorker: AnyObject {
  /// Goes on as far as the received bytes permit. Called on the loop, once for each ``HandshakeQueue/add(_:)``.
  func takeStep()
}
