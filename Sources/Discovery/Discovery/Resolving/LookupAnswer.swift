/// The known part of the answer to one question, and the instances that need it.
struct LookupAnswer {
  /// What is known of the answer. Only a change of it concerns the instances that need the answer: a record that is seen on a second
  /// link is none.
  struct State: Equatable {
    /// Whether there are no records.
    var isEmpty = true
    /// The chosen server of the SRV records; nil when there is none.
    fileprivate(set) var server: Server?
    /// Who has sent the chosen server's records; nil when that is not known of one of them.
    fileprivate(set) var serverSenders: Set<Sender>?
    /// The different TXT records and who has sent them, in the order of arrival.
    fileprivate(set) var texts: [Text] = []
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

  /// Who has sent a record, and where.
  struct Sender: Hashable {
    let link: Link
    let address: IPAddress
  }

  struct Text: Hashable {
    let txt: TXTRecord
    /// Nil when it is not known.
    let sender: Sender?
  }

  /// A record, and what it says: all are looked through at each change, and there may be thousands of changes a second.
  struct Entry: Equatable {
    enum Content: Equatable {
      case server(Server, priority: UInt16, weight: UInt16, sender: Sender?)
      case text(Text)
      case address(IPAddress)
      /// An address that this machine does not connect to.
      case refused(IPAddress)
      case other
    }

    let id: ResourceRecord.ID
    let content: Content
  }

  private(set) var state = State()
  /// The records in the order of arrival, the newest last.
  private(set) var records: [Entry] = []
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
      if records.count == Self.maximumRecords { records.removeFirst() }
      records.append(Entry(id: record.id, content: record.content(filter)))
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
  }

  private mutating func remove(_ record: ResourceRecord) {
    guard !records.isEmpty else { return }
    let id = record.id
    if let place = records.firstIndex(where: { $0.id == id }) { records.remove(at: place) }
  }

  private mutating func settle() {
    state.isCacheExhausted = true
    state.isSettled = true
    state.isRenewed = false
  }

  /// Takes from the records what an endpoint needs.
  private mutating func refresh(_ draw: UInt32) {
    state.isEmpty = records.isEmpty
    (state.server, state.serverSenders, state.texts, state.addresses, state.refused) = (nil, nil, [], [], [])
    var servers = ServerChoice()
    var senders: [Server: [Sender?]] = [:]
    for record in records {
      switch record.content {
      case .server(let server, let priority, let weight, let sender):
        servers.add(server, priority: priority, weight: weight)
        senders[server, default: []].append(sender)
      case .text(let text):
        // Of one sender on one link each is different.
        if text.sender == nil { state.texts.removeAll { $0 == text } }
        state.texts.append(text)
      case .refused(let address):
        if !state.refused.contains(address) { state.refused.append(address) }
      case .address(let address):
        if !state.addresses.contains(address) { state.addresses.append(address) }
      case .other: continue
      }
    }
    state.server = servers.chosen(by: draw)
    guard let all = state.server.flatMap({ senders[$0] }), !all.contains(nil) else { return }
    state.serverSenders = Set(all.compactMap(\.self))
  }
}

extension ResourceRecord {
  fileprivate func content(_ filter: AddressFilter) -> LookupAnswer.Entry.Content {
    let sender = sender.map { LookupAnswer.Sender(link: link, address: $0) }
    return switch data {
    case .server(let host, let port, let priority, let weight):
      .server(Server(host: host, port: port), priority: priority, weight: weight, sender: sender)
    case .text(let txt): .text(LookupAnswer.Text(txt: txt, sender: sender))
    case .address(let address): filter.permits(address, heardOn: link.source) ? .address(address) : .refused(address)
    case .pointer, .host, .types, .other: .other
    }
  }
}

extension LookupAnswer.State {
  /// The newest TXT record that the server's host has sent; nil when there is none.
  ///
  /// While two hosts have one name, each must find out first that the other has it, and then one of them takes another name. Until
  /// then the server of one could be told with the text of the other.
  ///
  /// - Parameters:
  ///   - senders: Who has sent the server's records; nil when that is not known.
  ///   - addresses: The known addresses of the server's host. It may send from each of them.
  func text(from senders: Set<LookupAnswer.Sender>?, at addresses: [IPAddress]) -> TXTRecord? {
    guard let senders else { return texts.last?.txt }
    let isHost = senders.contains { addresses.contains($0.address) }
    return texts.last { text in
      guard let sender = text.sender else { return true }
      return senders.contains(sender) || (isHost && addresses.contains(sender.address))
    }?.txt
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
