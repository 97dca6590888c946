/// When each of a house's matches is due, the earliest first: a binary heap that knows where each match stands, so that one is in
/// it at most once, and moves in O(log n).
struct DeadlineQueue: Sendable {
  private struct Entry {
    var deadline: Duration
    let slot: Int
  }

  private var heap: [Entry] = []
  /// Where each slot stands in the heap; nil when it does not.
  private var positions: [Int?] = []

  /// When the first is due; nil when none will be.
  var next: Duration? { heap.first?.deadline }

  /// Sets or moves a slot's deadline; nil takes it out.
  mutating func set(_ slot: Int, to deadline: Duration?) {
    while positions.count <= slot { positions.append(nil) }
    switch (positions[slot], deadline) {
    case (let position?, let deadline?):
      heap[position].deadline = deadline
      settle(position)
    case (nil, let deadline?):
      positions[slot] = heap.count
      heap.append(Entry(deadline: deadline, slot: slot))
      settle(heap.count - 1)
    case (let position?, nil):
      positions[slot] = nil
      let last = heap.removeLast()
      guard position < heap.count else { return }
      place(last, at: position)
      settle(position)
    case (nil, nil):
      break
    }
  }

  /// Takes out a slot that is due; nil when none is.
  mutating func popDue(at now: Duration) -> Int? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    set(first.slot, to: nil)
    return first.slot
  }

  /// Moves what stands at a position to where it belongs.
  private mutating func settle(_ start: Int) {
    let entry = heap[start]
    var position = start
    while position > 0, Self.precedes(entry, heap[(position - 1) / 2]) {
      place(heap[(position - 1) / 2], at: position)
      position = (position - 1) / 2
    }
    while true {
      var child = 2 * position + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, Self.precedes(heap[child + 1], heap[child]) { child += 1 }
      guard Self.precedes(heap[child], entry) else { break }
      place(heap[child], at: position)
      position = child
    }
    place(entry, at: position)
  }

  private mutating func place(_ entry: Entry, at position: Int) {
    heap[position] = entry
    positions[entry.slot] = position
  }

  /// Those that are due at once go in the order of their slots, so that the same events give the same effects.
  private static func precedes(_ one: Entry, _ other: Entry) -> Bool {
    (one.deadline, one.slot) < (other.deadline, other.slot)
  }
}
