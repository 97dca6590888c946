/// A binary heap of numbered slots that knows the position of each slot.
///
/// Each slot has at most one priority. The first slot is found in O(1); any slot's priority is set, changed or removed in O(log
/// n). Slots of equal priority are in the order of their numbers, so that the same changes always give the same order.
@usableFromInline
package struct IndexedHeap<Priority: Comparable> {
  @usableFromInline
  struct Entry {
    @usableFromInline var priority: Priority
    @usableFromInline let slot: Int32

    @inlinable
    init(priority: Priority, slot: Int32) {
      self.priority = priority
      self.slot = slot
    }

    @inlinable
    func precedes(_ other: Entry) -> Bool {
      priority == other.priority ? slot < other.slot : priority < other.priority
    }
  }

  @usableFromInline var entries: [Entry] = []
  /// The position of each slot in `entries`; −1 for a slot without a priority.
  @usableFromInline var positions: [Int32] = []

  @inlinable
  package init() {}

  /// The number of slots with a priority.
  @inlinable
  package var count: Int { entries.count }

  /// The least priority; nil if the heap is empty.
  @inlinable
  package var first: Priority? { entries.first?.priority }

  /// The priority of a slot; nil if it has none.
  ///
  /// - Parameter slot: 0 or more. Memory grows with the largest slot, so number slots densely.
  @inlinable
  package subscript(slot: Int) -> Priority? {
    guard slot < positions.count, positions[slot] >= 0 else { return nil }
    return entries[Int(positions[slot])].priority
  }

  /// Sets or replaces the priority of a slot.
  @inlinable
  package mutating func set(_ slot: Int, to priority: Priority) {
    while positions.count <= slot { positions.append(-1) }
    let entry = Entry(priority: priority, slot: Int32(slot))
    if positions[slot] < 0 {
      entries.append(entry)
      rise(entry, from: entries.count - 1)
    } else {
      settle(entry, at: Int(positions[slot]))
    }
  }

  /// Removes a slot. Has no effect if it has no priority.
  @inlinable
  package mutating func remove(_ slot: Int) {
    guard slot < positions.count, positions[slot] >= 0 else { return }
    let position = Int(positions[slot])
    positions[slot] = -1
    let last = entries.removeLast()
    if position < entries.count { settle(last, at: position) }
  }

  /// Removes and returns the first slot, unless its priority is greater than `limit`.
  @inlinable
  package mutating func popFirst(through limit: Priority) -> Int? {
    guard let first = entries.first, first.priority <= limit else { return nil }
    remove(Int(first.slot))
    return Int(first.slot)
  }

  /// Puts an entry at a position, and moves it to its place: it may come from another branch, so it may rise or sink.
  @inlinable
  mutating func settle(_ entry: Entry, at position: Int) {
    if entry.precedes(entries[position]) { rise(entry, from: position) } else { sink(entry, from: position) }
  }

  @inlinable
  mutating func rise(_ entry: Entry, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 2
      guard entry.precedes(entries[parent]) else { break }
      place(entries[parent], at: position)
      position = parent
    }
    place(entry, at: position)
  }

  @inlinable
  mutating func sink(_ entry: Entry, from start: Int) {
    var position = start
    while true {
      var child = 2 * position + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1].precedes(entries[child]) { child += 1 }
      guard entries[child].precedes(entry) else { break }
      place(entries[child], at: position)
      position = child
    }
    place(entry, at: position)
  }

  @inlinable
  mutating func place(_ entry: Entry, at position: Int) {
    entries[position] = entry
    positions[Int(entry.slot)] = Int32(position)
  }
}

extension IndexedHeap.Entry: Sendable where Priority: Sendable {}
extension IndexedHeap: Sendable where Priority: Sendable {}
