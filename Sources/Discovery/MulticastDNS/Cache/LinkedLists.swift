/// A list of slots: its ends and its length. ``LinkedLists`` stores the links between the slots.
struct LinkedList {
  fileprivate(set) var first: Int32 = -1
  fileprivate(set) var last: Int32 = -1
  fileprivate(set) var count: Int32 = 0

  var isEmpty: Bool { count == 0 }
}

/// Doubly linked lists of slots. Each slot is in at most one list. Appending and removing take constant time.
struct LinkedLists {
  private var previous: [Int32] = []
  private var next: [Int32] = []

  mutating func append(_ slot: Int, to list: inout LinkedList) {
    while next.count <= slot {
      previous.append(-1)
      next.append(-1)
    }
    previous[slot] = list.last
    next[slot] = -1
    if list.last >= 0 { next[Int(list.last)] = Int32(slot) } else { list.first = Int32(slot) }
    list.last = Int32(slot)
    list.count += 1
  }

  mutating func remove(_ slot: Int, from list: inout LinkedList) {
    let (before, after) = (previous[slot], next[slot])
    if before >= 0 { next[Int(before)] = after } else { list.first = after }
    if after >= 0 { previous[Int(after)] = before } else { list.last = before }
    list.count -= 1
  }

  /// The slots of a list in order, the first ones if there is a maximum.
  func slots(of list: LinkedList, maximum: Int = .max) -> [Int] {
    var slots: [Int] = []
    slots.reserveCapacity(min(maximum, Int(list.count)))
    var slot = list.first
    while slot >= 0, slots.count < maximum {
      slots.append(Int(slot))
      slot = next[Int(slot)]
    }
    return slots
  }
}
