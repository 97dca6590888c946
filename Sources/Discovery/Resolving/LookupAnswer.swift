/// The known part of the answer to one question, and the instances that need it.
struct LookupAnswer {
  /// The records in the order of arrival, the newest last.
  private(set) var records: [ResourceRecord] = []
  /// Whether the answers that the engine knew already have been reported.
  private(set) var isCacheExhausted = false
  /// Whether all hosts that answer at once have answered.
  private(set) var isSettled = false
  /// Whether the engine has ended the question. No more events come.
  private(set) var hasFailed = false
  /// Whether the question was started again after an interruption, and has not settled since.
  private(set) var isRenewed = false
  /// When the first record came.
  private(set) var answeredAt: ContinuousClock.Instant?
  var users: Set<ServiceInstance>

  /// The maximum number of records. More for one question are an attack or a mistake.
  private static let maximumRecords = 64

  init(users: Set<ServiceInstance>) {
    self.users = users
  }

  mutating func handle(_ event: LookupEvent, at now: ContinuousClock.Instant) {
    switch event {
    case .added(let record):
      let id = record.id
      records.removeAll { $0.id == id }
      if records.count == Self.maximumRecords { records.removeFirst() }
      records.append(record)
      if answeredAt == nil { answeredAt = now }
    case .removed(let record):
      let id = record.id
      records.removeAll { $0.id == id }
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
      // The known records stay valid until the question is started again.
      return
    case .restarted:
      self = LookupAnswer(users: users)
      isRenewed = true
    }
  }
}

extension LookupEvent {
  /// Whether the event is about a CNAME record on the way to the answer. The engine follows it.
  func isAlias(besides question: RecordQuestion) -> Bool {
    switch self {
    case .added(let record), .removed(let record): record.type != question.type
    case .cacheExhausted, .settled, .interrupted, .restarted, .failed: false
    }
  }
}
