import _BonjourishBase
import _BonjourishDiscovery

/// The live records of a watch, with when each one ends.
struct LiveRecords {
  struct Entry {
    var record: DirectoryRecord
    /// A hash of its text, which nobody outside can foresee: a renewal mostly has the same text.
    let fingerprint: Int
    /// When it was written, in nanoseconds of the server's clock.
    var time: Int64
    /// The listing in which it was seen last.
    var listing: UInt64
    /// The listing in which it was seen first.
    fileprivate let since: UInt64
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

  /// The entries that a listing has brought to shards that are full, by their ranks, the last rank first.
  private var draws: [Int: IndexedHeap<Int>] = [:]
  /// A number for a key, which nobody outside can foresee.
  private let rank: @Sendable (String) -> Int

  init(_ limits: Watch.Limits, rank: @escaping @Sendable (String) -> Int) {
    self.limits = limits
    self.rank = rank
  }

  /// What became of a record.
  enum Outcome {
    case kept
    /// There was no room.
    case crowdedOut
    /// It has taken the place of another.
    case replaced(DirectoryRecord)
  }

  var nextExpiry: ContinuousClock.Instant? { expiries.first }

  /// Adds or replaces an entry. An entry that is known always has room.
  ///
  /// While a listing goes on, all that it brings to a full shard have the same chance: the first ones are those that were not
  /// renewed for the longest time, mostly false ones. What was known before the listing stays.
  ///
  /// - Parameter isDrawn: Whether the listing goes on.
  mutating func set(
    _ key: String, _ record: DirectoryRecord, fingerprint: Int, writtenAt time: Int64, shard: Int, listing: UInt64,
    isDrawn: Bool, until expiry: ContinuousClock.Instant
  ) -> Outcome {
    if let known = entries[key] {
      entries[key] = Entry(
        record: record, fingerprint: fingerprint, time: time, listing: listing, since: known.since, slot: known.slot,
        shard: shard)
      expiries.set(known.slot, to: expiry)
      return .kept
    }
    var loser: DirectoryRecord?
    if entries.count >= limits.entries || shardCounts[shard] >= limits.entriesInShard {
      guard isDrawn, let drawn = removeLast(of: shard, after: rank(key), in: listing) else { return .crowdedOut }
      loser = drawn
    }
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append(key) } else { slots[slot] = key }
    shardCounts[shard] += 1
    entries[key] = Entry(
      record: record, fingerprint: fingerprint, time: time, listing: listing, since: listing, slot: slot, shard: shard)
    expiries.set(slot, to: expiry)
    draws[shard]?.set(slot, to: ~rank(key))
    return loser.map { .replaced($0) } ?? .kept
  }

  /// Removes and returns the last entry of a shard that a listing has brought, if its rank is after another.
  private mutating func removeLast(of shard: Int, after rank: Int, in listing: UInt64) -> DirectoryRecord? {
    if draws[shard] == nil {
      var draw = IndexedHeap<Int>()
      for (key, entry) in entries where entry.shard == shard && entry.since == listing {
        draw.set(entry.slot, to: ~self.rank(key))
      }
      draws[shard] = draw
    }
    // The complement turns the order round.
    guard let last = draws[shard]?.first, last < ~rank, let slot = draws[shard]?.popFirst(through: last),
      let key = slots[slot]
    else { return nil }
    return remove(key)
  }

  /// Ends the draws of a listing.
  mutating func endDraws() { draws = [:] }

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
    draws[entry.shard]?.remove(entry.slot)
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
}
