#if Avahi
/// Decides when all hosts that answer at once have answered what the daemon asks for. A value without I/O.
///
/// The daemon says so a second after its first query, which is when it sends the second one, and does not wait for the answers. Where
/// these bring news, answers were lost or came late, and the third and the fourth query may bring more (RFC 6762 §5.2). The times are
/// since an origin that the owner chooses.
struct Settling {
  /// The time in which answers to a query arrive.
  static let answerTime: Duration = .milliseconds(450)
  /// The time from the first query until the answers to the fourth one have arrived.
  static let longest: Duration = .milliseconds(7_500)
  /// A daemon that says sooner that it has all has asked before, for others.
  private static let shortestSeries: Duration = .milliseconds(500)

  private let start: Duration
  private var newsAt: Duration?
  /// When the daemon said that it has all.
  private var saidAt: Duration?
  /// The time at which ``advance(to:)`` is next needed; nil for none.
  private(set) var nextDeadline: Duration?

  /// - Parameter now: When the daemon is asked.
  init(at now: Duration) {
    start = now
  }

  /// Notes that a record was found.
  mutating func heardNews(at now: Duration) { newsAt = now }

  /// Notes that the daemon says that it has all for now.
  ///
  /// - Returns: Whether that is so.
  mutating func saidAll(at now: Duration) -> Bool {
    guard now - start >= Self.shortestSeries, saidAt == nil else { return saidAt == nil }
    saidAt = now
    nextDeadline = now + Self.answerTime
    return false
  }

  /// Handles a deadline that has passed.
  ///
  /// - Returns: Whether all have answered.
  mutating func advance(to now: Duration) -> Bool {
    guard let deadline = nextDeadline, deadline <= now, let saidAt else { return false }
    nextDeadline = nil
    guard deadline < start + Self.longest, let newsAt, newsAt >= saidAt - .milliseconds(50) else { return true }
    nextDeadline = start + Self.longest
    return false
  }
}
#endif
