/// Goodbyes that are sent again, in case they were lost.
///
/// RFC 6762 §10.1 requires one goodbye. But a host that misses it keeps a service for up to 75 minutes. So shared records (PTR
/// records of services) get three goodbyes, at the intervals of announcements (§8.3). If another host has the same record, it
/// announces it (§6.6).
struct GoodbyeRepeater {
  /// The intervals between goodbyes, in milliseconds.
  private static let intervals: [Int64] = [1000, 2000]

  private struct Batch {
    let records: [DNSRecord]
    var repeated = 0
    var due: Instant
  }

  private var batches: [Batch] = []
  /// The time of the next repetition.
  private(set) var next = Instant.never

  /// Adds the shared records of goodbyes that are sent for the first time.
  mutating func note(_ goodbyes: [DNSRecord], at now: Instant) {
    let records = goodbyes.filter { !$0.cacheFlush }
    guard !records.isEmpty else { return }
    batches.append(Batch(records: records, due: now + Self.intervals[0]))
    next = min(next, now + Self.intervals[0])
  }

  /// Returns the goodbyes to repeat now.
  mutating func popDue(at now: Instant) -> [DNSRecord] {
    var records: [DNSRecord] = []
    for index in batches.indices where batches[index].due <= now {
      records += batches[index].records
      batches[index].repeated += 1
      let isLast = batches[index].repeated == Self.intervals.count
      batches[index].due = isLast ? .never : now + Self.intervals[batches[index].repeated]
    }
    batches.removeAll { $0.due == .never }
    next = batches.reduce(.never) { min($0, $1.due) }
    return records
  }

  /// Notes that the goodbyes that were sent within a time were sent at its end.
  mutating func noteSending(_ time: ClosedRange<Instant>) {
    for index in batches.indices {
      let interval = Self.intervals[batches[index].repeated]
      if time.contains(batches[index].due - interval) { batches[index].due = time.upperBound + interval }
    }
    next = batches.reduce(.never) { min($0, $1.due) }
  }
}
