/// The records that we withdrew a moment ago. A late datagram with one of them is not a conflict.
struct RecentlyWithdrawn {
  /// The time in which such a datagram may still arrive, in milliseconds.
  private static let memory: Int64 = 2000

  private var ended: [RecordKey: Instant] = [:]
  private var order: [(key: RecordKey, end: Instant)] = []
  /// The number of obsolete entries at the start of `order`.
  private var done = 0

  mutating func note(_ key: RecordKey, at now: Instant) {
    while done < order.count, now - order[done].end > Self.memory {
      // Keep the entry if the record was published and withdrawn again later.
      if ended[order[done].key] == order[done].end { ended[order[done].key] = nil }
      done += 1
    }
    if done > 64, 2 * done > order.count {
      order.removeFirst(done)
      done = 0
    }
    ended[key] = now
    order.append((key, now))
  }

  func contains(_ key: RecordKey, at now: Instant) -> Bool {
    ended[key].map { now - $0 <= Self.memory } ?? false
  }
}
