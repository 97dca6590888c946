import _BonjourishBase

/// A closure that runs once at a point in time, created by ``EventLoop/schedule(at:_:)-(LoopTime,_)`` and used on the loop only.
package final class LoopTimer {
  /// The earliest time at which the closure runs.
  package let deadline: LoopTime
  /// The timer's slot in the queue; nil when it has run or was cancelled. Of four bytes, because a server has a timer for each peer.
  fileprivate var slot: UInt32?
  fileprivate var action: (() -> Void)?
  private weak var owner: EventLoop?

  init(deadline: LoopTime, owner: EventLoop, action: @escaping () -> Void) {
    self.deadline = deadline
    self.action = action
    self.owner = owner
  }

  /// Releases the closure without running it. Has no effect if it has already run.
  package func cancel() {
    owner?.cancel(self)
  }
}

/// The timers of a loop. Timers with the same deadline run in the order in which they were scheduled.
struct TimerQueue {
  private struct Priority: Comparable {
    let deadline: LoopTime
    let order: UInt64

    static func < (one: Priority, other: Priority) -> Bool {
      one.deadline == other.deadline ? one.order < other.order : one.deadline < other.deadline
    }
  }

  private var heap = IndexedHeap<Priority>()
  private var timers: [LoopTimer?] = []
  private var freeSlots: [Int] = []
  private var scheduled: UInt64 = 0

  /// The deadline of the first timer; ``LoopTime/never`` if there is none.
  var next: LoopTime { heap.first?.deadline ?? .never }

  mutating func insert(_ timer: LoopTimer) {
    scheduled += 1
    let slot = freeSlots.popLast() ?? timers.count
    if slot == timers.count { timers.append(timer) } else { timers[slot] = timer }
    timer.slot = UInt32(slot)
    heap.set(slot, to: Priority(deadline: timer.deadline, order: scheduled))
  }

  /// Removes a timer and releases its closure.
  mutating func remove(_ timer: LoopTimer) {
    guard let slot = timer.slot else { return }
    heap.remove(Int(slot))
    vacate(Int(slot))
  }

  /// Removes the first timer if it is due, and returns its closure.
  mutating func popDue(at now: LoopTime) -> (() -> Void)? {
    guard let slot = heap.popFirst(through: Priority(deadline: now, order: .max)) else { return nil }
    let action = timers[slot]!.action
    vacate(slot)
    return action
  }

  mutating func removeAll() {
    for case let timer? in timers { remove(timer) }
  }

  private mutating func vacate(_ slot: Int) {
    timers[slot]!.slot = nil
    timers[slot]!.action = nil
    timers[slot] = nil
    freeSlots.append(slot)
  }
}
