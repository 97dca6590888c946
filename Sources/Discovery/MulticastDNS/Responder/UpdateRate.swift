/// Limits how often the records of a claim change: ten times in any minute (RFC 6762 §8.4).
///
/// Five changes may follow each other at once. Each is made up for by twelve seconds without a change.
struct UpdateRate {
  /// The number of changes that may follow each other at once.
  private static let burst: Int64 = 5
  /// The time that makes up for a change, in milliseconds.
  private static let interval: Int64 = 12_000

  /// The time when all changes so far have been made up for; nil before the first.
  private var settled: Instant?

  /// The earliest time of the next change.
  func nextChange(from now: Instant) -> Instant {
    settled.map { max(now, $0 - (Self.burst - 1) * Self.interval) } ?? now
  }

  mutating func noteChange(at now: Instant) { settled = max(settled ?? now, now) + Self.interval }
}
