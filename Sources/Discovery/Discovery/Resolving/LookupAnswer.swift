/// The known part of the answer to one question, and the instances that need it.
struct LookupAnswer {
  /// What is known of the answer. Only a change of it concerns the instances that need the answer: a record that is seen on a second
  /// link is none.
  struct State: Equatable {
    /// Whether there are no records.
    var isEmpty = true
    /// The chosen server of the SRV records; nil when there is none.
    fileprivate(set) var server: Server?
    /// The newest TXT record; nil when there is none.
    fileprivate(set) var text: TXTRecord?
    /// The different addresses that a host can be reached at, in the order of arrival.
    fileprivate(set) var addresses: [IPAddress] = []
    /// The different addresses that this machine does not connect to, in the order of arrival; see ``AddressFilter``.
    fileprivate(set) var refused: [IPAddress] = []
    /// When the first record came.
    fileprivate(set) var answeredAt: ContinuousClock.Instant?
    /// Whether the answers that the engine knew already have been reported.
    fileprivate(set) var isCacheExhausted = false
    /// Whether all hosts that answer at once have answered.
    fileprivate(set) var isSettled = false
    /// Whether the engine has ended the question. No more events come.
    fileprivate(set) var hasFailed = false
    /// Whether the question was started again after an interruption, and has not settled since.
    fileprivate(set) var isRenewed = false
  }

  private(set) var state = State()
  /// The records in the order of arrival, the newest last.
  private(set) var records: [ResourceRecord] = []
  /// The records with an address that this machine does not connect to.
  private var refused: Set<ResourceRecord.ID> = []
  var users: Set<ServiceInstance>

  /// The maximum number of records. More for one question are an attack or a mistake.
  private static let maximumRecords = 64

  init(users: Set<ServiceInstance>) {
    self.users = users
  }

  /// Handles an event.
  ///
  /// - Parameters:
  ///   - draw: A random number, which chooses between servers (RFC 2782).
  ///   - filter: Decides which addresses count. It is asked once for each record, when it is added.
  /// - Returns: Whether ``state`` has changed.
  mutating func handle(
    _ event: LookupEvent, at now: ContinuousClock.Instant, draw: UInt32, filter: AddressFilter
  ) -> Bool {
    let former = state
    switch event {
    case .added(let record):
      remove(record)
      if records.count == Self.maximumRecords { remove(records[0]) }
      records.append(record)
      if case .address(let address) = record.data, !filter.permits(address, heardOn: record.link.source) {
        refused.insert(record.id)
      }
      if state.answeredAt == nil { state.answeredAt = now }
      refresh(draw)
    case .removed(let record):
      remove(record)
      refresh(draw)
    case .cacheExhausted:
      state.isCacheExhausted = true
    case .settled:
      settle()
    case .failed:
      settle()
      state.hasFailed = true
    case .doubted, .described, .interrupted:
      // The known records stay valid until the question is started again.
      break
    case .restarted:
      restart()
      state.isRenewed = true
    }
    return state != former
  }

  /// Forgets what is known, and keeps the users.
  ///
  /// Not with `self = LookupAnswer(users: users)`: optimised code of Swift 6.3.1 frees the set before it retains it, which corrupts
  /// the heap.
  mutating func restart() {
    state = State()
    records = []
    refused = []
  }

  private mutating func remove(_ record: ResourceRecord) {
    guard !records.isEmpty else { return }
    let id = record.id
    records.removeAll { $0.id == id }
    refused.remove(id)
  }

  private mutating func settle() {
    state.isCacheExhausted = true
    state.isSettled = true
    state.isRenewed = false
  }

  /// Takes from the records what an endpoint needs.
  private mutating func refresh(_ draw: UInt32) {
    state.isEmpty = records.isEmpty
    (state.server, state.text, state.addresses, state.refused) = (nil, nil, [], [])
    var servers = ServerChoice()
    for record in records {
      switch record.data {
      case .server(let host, let port, let priority, let weight):
        servers.add(Server(host: host, port: port), priority: priority, weight: weight)
      case .text(let txt): state.text = txt
      case .address(let address) where refused.contains(record.id):
        if !state.refused.contains(address) { state.refused.append(address) }
      case .address(let address) where !state.addresses.contains(address): state.addresses.append(address)
      case .address, .pointer, .host, .types, .other: continue
      }
    }
    state.server = servers.chosen(by: draw)
  }
}

extension LookupEvent {
  /// Whether the event is about a CNAME record on the way to the answer. The engine follows it.
  func isAlias(besides question: RecordQuestion) -> Bool {
    switch self {
    case .added(let record), .removed(let record), .doubted(let record, _): record.type != question.type
    case .described, .cacheExhausted, .settled, .interrupted, .restarted, .failed: false
    }
  }
}
