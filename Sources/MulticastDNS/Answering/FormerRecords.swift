/// What was ours a moment ago: a datagram with it that is still on its way is no conflict.
struct FormerRecords {
  /// Milliseconds in which it may still turn up.
  private static let patience: Int64 = 2000

  private var ended: [RecordKey: Instant] = [:]
  private var order: [(key: RecordKey, end: Instant)] = []

  mutating func note(_ key: RecordKey, at now: Instant) {
    let gone = order.prefix { now - $0.end > Self.patience }
    for (key, end) in gone where ended[key] == end { ended[key] = nil }
    order.removeFirst(gone.count)
    ended[key] = now
    order.append((key, now))
  }

  func contains(_ key: RecordKey, at now: Instant) -> Bool {
    ended[key].map { now - $0 <= Self.patience } ?? false
  }
}
