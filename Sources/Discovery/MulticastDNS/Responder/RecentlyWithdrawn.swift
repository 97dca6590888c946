/// The records that we withdrew a moment ago. A late datagram with one of them is not a conflict. If one is published again, it must
/// still wait until a second has passed since it was sent last (RFC 6762 §6).
struct RecentlyWithdrawn {
  /// The time in which such a datagram may still arrive, in milliseconds.
  private static let memory: Int64 = 2000

  private struct Entry {
    let end: Instant
    let lastSent: Instant?
  }

  private var entries: [RecordKey: Entry] = [:]
  private var order: [(key: RecordKey, end: Instant)] = []
  /// The number of obsolete entries at the start of `order`.
  private var done = 0

  /// - Parameter lastSent: When the record was last sent by multicast; nil if it was said goodbye to since.
  mutating func note(_ key: RecordKey, lastSent: Instant?, at now: Instant) {
    while done < order.count, now - order[done].end > Self.memory {
      // Keep the entry if the record was published and withdrawn again later.
      if entries[order[done].key]?.end == order[done].end { entries[order[done].key] = nil }
      done += 1
    }
    if done > 64, 2 * done > order.count {
      order.removeFirst(done)
      done = 0
    }
    entries[key] = Entry(end: now, lastSent: lastSent)
    order.append((key, now))
  }

  func contains(_ key: RecordKey, at now: Instant) -> Bool {
    entries[key].map { now - $0.end <= Self.memory } ?? false
  }

  /// When a record was last sent by multicast before it was withdrawn without a goodbye; nil if that is long ago.
  func lastSent(_ key: RecordKey) -> Instant? { entries[key]?.lastSent }
}
