/// When each of a number of slots is due, the earliest first: a binary heap that knows where each slot stands, so that a
/// slot is in it at most once and a deadline moves in O(log n).
struct DeadlineQueue {
  private struct Entry {
    var deadline: Instant
    var slot: Int32
  }

  private var heap: [Entry] = []
  /// Where each slot stands in the heap; -1 when it does not.
  private var positions: [Int32] = []

  /// When the first slot is due.
  var next: Instant { heap.first?.deadline ?? .never }

  var count: Int { heap.count }

  func deadline(of slot: Int) -> Instant? {
    guard slot < positions.count, positions[slot] >= 0 else { return nil }
    return heap[Int(positions[slot])].deadline
  }

  /// Sets or moves a slot's deadline; ``Instant/never`` takes it out.
  mutating func set(_ slot: Int, to deadline: Instant) {
    guard deadline != .never else { return remove(slot) }
    while positions.count <= slot { positions.append(-1) }
    let position = Int(positions[slot])
    if position < 0 {
      heap.append(Entry(deadline: deadline, slot: Int32(slot)))
      positions[slot] = Int32(heap.count - 1)
      rise(from: heap.count - 1)
    } else {
      let former = heap[position].deadline
      heap[position].deadline = deadline
      if deadline < former { rise(from: position) } else { sink(from: position) }
    }
  }

  mutating func remove(_ slot: Int) {
    guard slot < positions.count, positions[slot] >= 0 else { return }
    let position = Int(positions[slot])
    positions[slot] = -1
    let last = heap.removeLast()
    guard position < heap.count else { return }
    let former = heap[position].deadline
    place(last, at: position)
    if last.deadline < former { rise(from: position) } else { sink(from: position) }
  }

  /// Takes out a slot that is due; nil when none is.
  mutating func popDue(at now: Instant) -> Int? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    remove(Int(first.slot))
    return Int(first.slot)
  }

  private mutating func place(_ entry: Entry, at position: Int) {
    heap[position] = entry
    positions[Int(entry.slot)] = Int32(position)
  }

  private mutating func rise(from start: Int) {
    let entry = heap[start]
    var position = start
    while position > 0 {
      let parent = (position - 1) / 2
      guard Self.precedes(entry, heap[parent]) else { break }
      place(heap[parent], at: position)
      position = parent
    }
    place(entry, at: position)
  }

  private mutating func sink(from start: Int) {
    let entry = heap[start]
    var position = start
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

  /// Slots due at once go in the order of their numbers, so that the same events give the same effects.
  private static func precedes(_ one: Entry, _ other: Entry) -> Bool {
    one.deadline == other.deadline ? one.slot < other.slot : one.deadline < other.deadline
  }
}
