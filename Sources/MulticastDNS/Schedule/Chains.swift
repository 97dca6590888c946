/// A run of slots in an order, the first and the last known.
struct Chain {
  fileprivate(set) var first: Int32 = -1
  fileprivate(set) var last: Int32 = -1
  fileprivate(set) var count: Int32 = 0

  var isEmpty: Bool { count == 0 }
}

/// Slots in chains, each slot in at most one: going in at the end and out from anywhere take one step.
struct Chains {
  private var previous: [Int32] = []
  private var next: [Int32] = []

  mutating func append(_ slot: Int, to chain: inout Chain) {
    while next.count <= slot {
      previous.append(-1)
      next.append(-1)
    }
    previous[slot] = chain.last
    next[slot] = -1
    if chain.last >= 0 { next[Int(chain.last)] = Int32(slot) } else { chain.first = Int32(slot) }
    chain.last = Int32(slot)
    chain.count += 1
  }

  mutating func remove(_ slot: Int, from chain: inout Chain) {
    let (before, after) = (previous[slot], next[slot])
    if before >= 0 { next[Int(before)] = after } else { chain.first = after }
    if after >= 0 { previous[Int(after)] = before } else { chain.last = before }
    chain.count -= 1
  }

  /// The slots of a chain in order.
  func slots(of chain: Chain) -> [Int] {
    var slots: [Int] = []
    slots.reserveCapacity(Int(chain.count))
    var slot = chain.first
    while slot >= 0 {
      slots.append(Int(slot))
      slot = next[Int(slot)]
    }
    return slots
  }
}
