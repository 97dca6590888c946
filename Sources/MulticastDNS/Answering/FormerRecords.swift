/// What was ours a moment ago: a datagram with it that is still on its way is no conflict.
struct FormerRecords {
  /// Milliseconds in which it may still turn up.
  private static let patience: Int64 = 2000

  private var ended: [RecordKey: Instant] = [:]
  private var order: [(key: RecordKey, end: Instant)] = []
  /// How many at the beginning of `order` are forgotten.
  private var done = 0

  mutating func note(_ key: RecordKey, at now: Instant) {
    while done < order.count, now - order[done].end > Self.patience {
      // It may have been ours once more since.
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
    ended[key].map { now - $0 <= Self.patience } ?? false
  }
}
