/// What is known of the answer to one question, and who wants it.
struct LookupAnswer {
  /// In the order in which they came: the last is the newest.
  private(set) var records: [ResourceRecord] = []
  /// Whether all that the engine knew beforehand has been told.
  private(set) var isCacheExhausted = false
  /// Whether all who answer at once have answered.
  private(set) var isSettled = false
  /// Whether the engine has given the question up: it says nothing more to it.
  private(set) var hasFailed = false
  /// Whether the question has been begun anew, and not been settled since.
  private(set) var isRenewed = false
  /// When the first of the records came.
  private(set) var answeredAt: ContinuousClock.Instant?
  var users: Set<ServiceInstance>

  /// More records than this for one question are somebody's mischief.
  private static let maximumRecords = 64

  init(users: Set<ServiceInstance>) {
    self.users = users
  }

  mutating func handle(_ event: LookupEvent, at now: ContinuousClock.Instant) {
    switch event {
    case .added(let record):
      records.removeAll { $0 == record }
      if records.count == Self.maximumRecords { records.removeFirst() }
      records.append(record)
      if answeredAt == nil { answeredAt = now }
    case .removed(let record):
      records.removeAll { $0 == record }
    case .cacheExhausted:
      isCacheExhausted = true
    case .settled:
      isCacheExhausted = true
      isSettled = true
      isRenewed = false
    case .failed:
      isCacheExhausted = true
      isSettled = true
      isRenewed = false
      hasFailed = true
    case .interrupted:
      // What is known stands until it is known better.
      return
    case .restarted:
      self = LookupAnswer(users: users)
      isRenewed = true
    }
  }
}
