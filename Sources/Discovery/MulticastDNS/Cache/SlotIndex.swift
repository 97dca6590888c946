/// The hash table of values in slots. It holds no keys: whoever has the values compares them.
///
/// Hashes must be seeded, like those of `Hasher`, so that no peer can choose values with the same hash.
struct SlotIndex {
  private struct Entry {
    var hash: UInt32
    /// The next slot with the same place in `firsts`; -1 for none.
    var next: Int32
  }

  /// The first slot of each list of slots; -1 for none. Its length is a power of two.
  private var firsts: [Int32] = [-1]
  /// The entries by slot.
  private var entries: [Entry] = []
  private var count = 0

  /// The slot with a hash for which `isWanted` returns true.
  func first(hash: Int, where isWanted: (Int) -> Bool) -> Int? {
    let hash = UInt32(truncatingIfNeeded: hash)
    var slot = firsts[place(of: hash)]
    while slot >= 0 {
      let entry = entries[Int(slot)]
      if entry.hash == hash, isWanted(Int(slot)) { return Int(slot) }
      slot = entry.next
    }
    return nil
  }

  /// Adds a slot that is not in the table.
  mutating func insert(_ slot: Int, hash: Int) {
    if count == firsts.count { grow() }
    while entries.count <= slot { entries.append(Entry(hash: 0, next: -1)) }
    let hash = UInt32(truncatingIfNeeded: hash)
    let place = place(of: hash)
    entries[slot] = Entry(hash: hash, next: firsts[place])
    firsts[place] = Int32(slot)
    count += 1
  }

  /// Removes a slot that is in the table.
  mutating func remove(_ slot: Int) {
    let (place, next) = (place(of: entries[slot].hash), entries[slot].next)
    count -= 1
    var before = Int(firsts[place])
    if before == slot {
      firsts[place] = next
      return
    }
    while entries[before].next != slot { before = Int(entries[before].next) }
    entries[before].next = next
  }

  private func place(of hash: UInt32) -> Int { Int(hash) & (firsts.count - 1) }

  private mutating func grow() {
    let lists = firsts
    firsts = Array(repeating: -1, count: 2 * lists.count)
    for var slot in lists {
      while slot >= 0 {
        let entry = entries[Int(slot)]
        let place = place(of: entry.hash)
        entries[Int(slot)].next = firsts[place]
        firsts[place] = slot
        slot = entry.next
      }
    }
  }
}
