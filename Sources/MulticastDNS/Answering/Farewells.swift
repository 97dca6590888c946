/// Goodbyes that are said again, in case that they were not heard.
///
/// RFC 6762 §10.1 asks for one. But who misses it believes in a service for up to 75 minutes, so shared records, the pointers to
/// services, are said goodbye to three times, at the intervals of announcements (§8.3). Should another host have the same record by
/// then, it says so (§6.6).
struct Farewells {
  /// Milliseconds from each time to the next.
  private static let intervals: [Int64] = [1000, 2000]

  private struct Batch {
    let records: [DNSRecord]
    var repeated = 0
    var due: Instant
  }

  private var batches: [Batch] = []
  /// When something is to be said again.
  private(set) var next = Instant.never

  /// Takes in what is being said for the first time.
  mutating func note(_ goodbyes: [DNSRecord], at now: Instant) {
    let records = goodbyes.filter { !$0.cacheFlush }
    guard !records.isEmpty else { return }
    batches.append(Batch(records: records, due: now + Self.intervals[0]))
    next = min(next, now + Self.intervals[0])
  }

  /// What is to be said again now.
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
}
