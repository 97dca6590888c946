import Discovery
import Timing

/// The live records of a watch, with when each one ends.
struct EntryTable {
  struct Entry {
    var record: DirectoryRecord
    /// A hash of its text, which nobody outside can foresee: a renewal mostly has the same text.
    let fingerprint: Int
    /// When it was written, in nanoseconds of the server's clock.
    var time: Int64
    /// The listing in which it was seen last.
    var listing: UInt64
    fileprivate let slot: Int
    fileprivate let shard: Int
  }

  /// The largest number of entries, and of those in one shard: whoever fills one shard with false records leaves the others alone.
  let limits: Watch.Limits
  private(set) var entries: [String: Entry] = [:]
  private var slots: [String?] = []
  private var freeSlots: [Int] = []
  private var expiries = IndexedHeap<ContinuousClock.Instant>()
  private var shardCounts = [Int](repeating: 0, count: DirectoryKey.shardCount)

  init(_ limits: Watch.Limits) {
    self.limits = limits
  }

  var nextExpiry: ContinuousClock.Instant? { expiries.first }

  /// Adds or replaces an entry.
  ///
  /// - Returns: Whether there was room. An entry that is known always has room.
  mutating func set(
    _ key: String, _ record: DirectoryRecord, fingerprint: Int, writtenAt time: Int64, shard: Int, listing: UInt64,
    until expiry: ContinuousClock.Instant
  ) -> Bool {
    if let known = entries[key] {
      entries[key] = Entry(
        record: record, fingerprint: fingerprint, time: time, listing: listing, slot: known.slot, shard: shard)
      expiries.set(known.slot, to: expiry)
      return true
    }
    guard entries.count < limits.entries, shardCounts[shard] < limits.entriesInShard else { return false }
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append(key) } else { slots[slot] = key }
    shardCounts[shard] += 1
    entries[key] = Entry(
      record: record, fingerprint: fingerprint, time: time, listing: listing, slot: slot, shard: shard)
    expiries.set(slot, to: expiry)
    return true
  }

  /// Notes that an entry was written again with the same text.
  ///
  /// - Returns: Whether there is such an entry.
  mutating func renew(
    _ key: String, fingerprint: Int, writtenAt time: Int64, listing: UInt64, until expiry: ContinuousClock.Instant
  ) -> Bool {
    guard let index = entries.index(forKey: key), entries.values[index].fingerprint == fingerprint else { return false }
    entries.values[index].time = time
    entries.values[index].listing = listing
    expiries.set(entries.values[index].slot, to: expiry)
    return true
  }

  /// Removes and returns an entry; nil if there is none.
  mutating func remove(_ key: String) -> DirectoryRecord? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    expiries.remove(entry.slot)
    slots[entry.slot] = nil
    freeSlots.append(entry.slot)
    shardCounts[entry.shard] -= 1
    return entry.record
  }

  /// Removes and returns one entry that has ended by now; nil if there is none.
  mutating func removeExpired(at now: ContinuousClock.Instant) -> DirectoryRecord? {
    guard let slot = expiries.popFirst(through: now), let key = slots[slot] else { return nil }
    return remove(key)
  }

  /// Sets when the entries of a listing end, by when they were written.
  mutating func retime(listing: UInt64, _ expiry: (Int64) -> ContinuousClock.Instant) {
    for entry in entries.values where entry.listing == listing { expiries.set(entry.slot, to: expiry(entry.time)) }
  }

  /// The keys of the entries that an earlier listing has brought, and this one has not, sorted.
  func keys(before listing: UInt64) -> [String] {
    entries.filter { $0.value.listing < listing }.keys.sorted()
  }
}
