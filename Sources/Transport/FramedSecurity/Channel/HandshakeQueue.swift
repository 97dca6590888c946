import _BonjourishEventLoop

/// Lets the handshakes of a loop's connections go on, one step in each tick, after everything else.
///
/// A step takes as long as fifty frames. When a crowd knocks, whoever is in waits for one step at most. Handshakes that are under way go
/// on before others begin, so that a crowd that only begins cannot keep those waiting who go on; within both, it is the order in which
/// bytes came. An idle loop loses nothing by it: it begins the next tick at once.
///
/// Confined to the loop, except for the initialiser.
final class HandshakeQueue: TickObserver {
  /// Those whose turn is to come, in order, after `served` that had theirs.
  private struct Line {
    private var waiting: [(any HandshakeWorker)?] = []
    private var served = 0

    var isEmpty: Bool { served == waiting.count }

    mutating func append(_ worker: any HandshakeWorker) { waiting.append(worker) }

    mutating func next() -> (any HandshakeWorker)? {
      guard !isEmpty else { return nil }
      let worker = waiting[served].take()
      served += 1
      if isEmpty {
        waiting.removeAll(keepingCapacity: waiting.count <= 64)
        served = 0
      } else if served >= 64, served >= waiting.count / 2 {
        waiting.removeFirst(served)
        served = 0
      }
      return worker
    }
  }

  private let loop: EventLoop
  private var underWay = Line()
  private var beginning = Line()

  init(on loop: EventLoop) {
    self.loop = loop
  }

  private var isEmpty: Bool { underWay.isEmpty && beginning.isEmpty }

  /// Has a worker take a step when it is its turn.
  ///
  /// - Parameter isUnderWay: Whether it is not the first step of a handshake.
  func add(_ worker: any HandshakeWorker, isUnderWay: Bool) {
    loop.assertIsCurrent()
    if isEmpty { loop.afterTick(self) }
    if isUnderWay { underWay.append(worker) } else { beginning.append(worker) }
  }

  func tickEnded() {
    loop.assertIsCurrent()
    guard let worker = underWay.next() ?? beginning.next() else { return }
    // Before the step, which may add somebody.
    if !isEmpty { loop.afterTick(self) }
    worker.takeStep()
  }
}

/// A connection whose handshake is under way.
protocol HandshakeWorker: AnyObject {
  /// Goes on as far as the received bytes permit. Called on the loop, once for each ``HandshakeQueue/add(_:)``.
  func takeStep()
}
