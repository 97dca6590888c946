/// One run of a closure at a monotonic point in time; made by ``EventLoop/schedule(at:_:)``, used on the loop only.
package final class LoopTimer {
  /// When the closure runs, at the earliest.
  package let deadline: LoopTime
  /// Timers of one deadline run in the order in which they were scheduled.
  let order: UInt64
  /// The place in the queue, nil when fired or cancelled.
  fileprivate(set) var place: Int?
  fileprivate(set) var action: (() -> Void)?
  private weak var queueOwner: EventLoop?

  init(deadline: LoopTime, order: UInt64, owner: EventLoop, action: @escaping () -> Void) {
    self.deadline = deadline
    self.order = order
    self.action = action
    queueOwner = owner
  }

  /// Forgets the closure; harmless when it has run already.
  package func cancel() {
    queueOwner?.cancel(self)
  }

  fileprivate func precedes(_ other: LoopTimer) -> Bool {
    (deadline, order) < (other.deadline, other.order)
  }
}

/// A binary heap of timers, from which a timer can also be removed before its time.
struct TimerQueue {
  private var heap: [LoopTimer] = []

  var first: LoopTimer? { heap.first }

  mutating func insert(_ timer: LoopTimer) {
    heap.append(timer)
    timer.place = heap.count - 1
    siftUp(from: heap.count - 1)
  }

  /// Removes a timer and releases its closure.
  mutating func remove(_ timer: LoopTimer) {
    guard let place = timer.place else { return }
    timer.place = nil
    timer.action = nil
    let last = heap.removeLast()
    guard place < heap.count else { return }
    heap[place] = last
    last.place = place
    siftUp(from: place)
    siftDown(from: last.place ?? place)
  }

  /// Takes the first timer out if its time has come, and returns what it is to run.
  mutating func popDue(at now: LoopTime) -> (() -> Void)? {
    guard let timer = heap.first, timer.deadline <= now else { return nil }
    let action = timer.action
    remove(timer)
    return action
  }

  mutating func removeAll() {
    while let timer = heap.last { remove(timer) }
  }

  private mutating func siftUp(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].precedes(heap[parent]) else { return }
      swap(child, parent)
      child = parent
    }
  }

  private mutating func siftDown(from start: Int) {
    var parent = start
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].precedes(heap[smallest]) {
        smallest = child
      }
      guard smallest != parent else { return }
      swap(parent, smallest)
      parent = smallest
    }
  }

  private mutating func swap(_ first: Int, _ second: Int) {
    heap.swapAt(first, second)
    heap[first].place = first
    heap[second].place = second
  }
}
