/// Until when the silence of others is known, and not only unheard.
///
/// Each own lease comes back through the watch, behind everything that was written before it. So what the watch has not brought by then
/// was not written when that lease was sent. A program that was paused, or whose watch lags behind, knows by it that it has not heard
/// the others yet.
struct WatchProgress {
  /// The most own leases that are remembered. A watch that lags further behind counts only from the newer ones.
  private static let limit = 64

  /// Everything that was written before this has been delivered; nil if nothing is known.
  private var time: ContinuousClock.Instant?
  /// When the own leases were sent that are confirmed but not delivered, by revision.
  private var confirmed: [UInt64: ContinuousClock.Instant] = [:]
  /// The highest revision of an own lease that was delivered.
  private var delivered: UInt64 = 0

  /// Whether everything has been delivered that was written before a time.
  func hasReached(_ limit: ContinuousClock.Instant) -> Bool { time.map { $0 >= limit } ?? false }

  /// Notes that the directory has an own lease. The watch may have delivered it already.
  mutating func confirm(_ revision: UInt64, sent: ContinuousClock.Instant) {
    confirmed[revision] = sent
    if confirmed.count > Self.limit, let oldest = confirmed.keys.min() { confirmed[oldest] = nil }
    settle()
  }

  /// Notes that the watch has delivered an own lease.
  mutating func noteDelivered(_ revision: UInt64) {
    delivered = max(delivered, revision)
    settle()
  }

  /// Notes that another listing begins. In a bucket that was made anew revisions begin anew, too.
  mutating func restart() { (confirmed, delivered) = ([:], 0) }

  private mutating func settle() {
    for (revision, sent) in confirmed where revision <= delivered {
      confirmed[revision] = nil
      time = max(time ?? sent, sent)
    }
  }
}
