/// The clients of the simple socket: what they may do, how long, and how many of them there may be.
///
/// A client sends one line, gets one answer, and is closed. Whoever says nothing is closed. When all places are taken, the user with the most clients loses one: the oldest that has said nothing, or
/// else the oldest. So no user keeps another out, and none who waits in silence keeps out one who asks.
package struct SimpleServer {
  /// The bounds.
  package struct Limits: Hashable, Sendable {
    /// The most clients.
    package var clients = 512
    /// The most bytes of a line, with its ending. avahi-daemon counts 63 of a command and 1,013 of an argument.
    package var line = 1_088
    /// How long a client may take to send its line.
    package var silence = Duration.seconds(5)
    /// How long a look-up may take. Those who look up have a limit of their own, which is less.
    package var lookup = Duration.seconds(10)
    /// How long a client may take to read its answer.
    package var reading = Duration.seconds(5)

    package init() {}

    /// The limits of a process that may open so many files. What is not the clients' needs some, too.
    package init(openFiles: Int) { clients = max(1, min(clients, openFiles - 128)) }
  }

  /// A client, for as long as it is connected; later clients have greater numbers.
  package typealias ID = UInt64

  /// What to do.
  package enum Effect: Hashable, Sendable {
    /// Begin a look-up, and hand its answer to ``answer(_:to:at:)``.
    case lookUp(ID, SimpleRequest)
    /// End a look-up that has no answer yet.
    case cancel(ID)
    /// Write a text, as far as there is room, and the rest when there is some; then tell ``wrote(_:_:at:)``.
    case write(ID, [UInt8])
    /// Close the connection.
    case close(ID)
  }

  private enum State: Hashable {
    case silent
    case asking
    /// The answer is being written.
    case ending
  }

  private struct Client {
    let number: ID
    let user: UInt32
    var state = State.silent
    var line: [UInt8] = []
    var unwritten = 0
    var deadline: ContinuousClock.Instant

    /// Whether it has to leave before another client of its user.
    func leaves(before other: Client) -> Bool {
      (state == .silent) == (other.state == .silent) ? number < other.number : state == .silent
    }
  }

  private let limits: Limits
  private var clients: [ID: Client] = [:]
  /// The number of clients of each user.
  private var counts: [UInt32: Int] = [:]
  private var lastID: ID = 0
  /// How many clients had to leave before their time.
  package private(set) var evictions = 0

  package init(_ limits: Limits = Limits()) {
    precondition(limits.clients > 0, "clients must be at least 1")
    self.limits = limits
  }

  /// The number of clients.
  package var count: Int { clients.count }

  /// When ``timePasses(at:)`` has something to do; nil for never.
  package var nextDeadline: ContinuousClock.Instant? { clients.values.lazy.map(\.deadline).min() }

  /// Whether more bytes of a client are wanted.
  package func isReading(_ id: ID) -> Bool { clients[id]?.state == .silent }

  /// Whether a look-up of a client goes on.
  package func isWaiting(_ id: ID) -> Bool { clients[id]?.state == .asking }

  // MARK: - Events

  /// A client has connected.
  ///
  /// - Parameters:
  ///   - user: The user of the client.
  ///   - now: The time.
  /// - Returns: The client's number, and what to do first.
  package mutating func connect(user: UInt32, at now: ContinuousClock.Instant) -> (ID, [Effect]) {
    let effects = clients.count < limits.clients ? [] : evict()
    lastID += 1
    clients[lastID] = Client(number: lastID, user: user, deadline: now + limits.silence)
    counts[user, default: 0] += 1
    return (lastID, effects)
  }

  /// A client has sent bytes. Those after the first line do not count.
  package mutating func receive(_ bytes: some Collection<UInt8>, from id: ID, at now: ContinuousClock.Instant) -> [Effect] {
    guard var client = clients[id], client.state == .silent else { return [] }
    let end = bytes.firstIndex(of: 0x0A)
    client.line += bytes[..<(end ?? bytes.endIndex)].prefix(limits.line - client.line.count + 1)
    clients[id] = client
    if client.line.count >= limits.line {
      return finish(id, with: SimpleAnswer.failure(.invalidOperation, "The line is too long").line, at: now)
    }
    return end == nil ? [] : take(SimpleLine(client.line), of: id, at: now)
  }

  /// A client has closed its side for writing. One that has not sent a line asks nothing any more.
  package mutating func receiveEnd(from id: ID, at now: ContinuousClock.Instant) -> [Effect] {
    clients[id]?.state == .silent ? disconnect(id) : []
  }

  /// A client has gone, or cannot be written to.
  package mutating func disconnect(_ id: ID) -> [Effect] {
    guard let client = clients.removeValue(forKey: id) else { return [] }
    counts[client.user]! -= 1
    if counts[client.user] == 0 { counts[client.user] = nil }
    return (client.state == .asking ? [.cancel(id)] : []) + [.close(id)]
  }

  /// A look-up has an answer.
  package mutating func answer(_ answer: SimpleAnswer, to id: ID, at now: ContinuousClock.Instant) -> [Effect] {
    isWaiting(id) ? finish(id, with: answer.line, at: now) : []
  }

  /// So many bytes have been written to a client.
  package mutating func wrote(_ count: Int, to id: ID, at now: ContinuousClock.Instant) -> [Effect] {
    guard var client = clients[id] else { return [] }
    client.unwritten -= count
    precondition(client.unwritten >= 0, "more was written than there was")
    clients[id] = client
    return client.unwritten == 0 && client.state == .ending ? disconnect(id) : []
  }

  /// Time has passed: clients whose time is over are closed, and look-ups that took too long are answered.
  package mutating func timePasses(at now: ContinuousClock.Instant) -> [Effect] {
    let due = clients.filter { $0.value.deadline <= now }.keys.sorted()
    return due.flatMap { id in
      clients[id]?.state == .asking ? [.cancel(id)] + finish(id, with: SimpleAnswer.timeout.line, at: now) : disconnect(id)
    }
  }

  /// Closes all clients.
  package mutating func end() -> [Effect] { clients.keys.sorted().flatMap { disconnect($0) } }

  // MARK: - Steps

  private mutating func take(_ line: SimpleLine, of id: ID, at now: ContinuousClock.Instant) -> [Effect] {
    switch line {
    case .help: return finish(id, with: SimpleHelp.text, at: now)
    case .wrong(let answer): return finish(id, with: answer.line, at: now)
    case .request(let request):
      enter(.asking, id, until: now + limits.lookup)
      return [.lookUp(id, request)]
    }
  }

  private mutating func enter(
    _ state: State, _ id: ID, until deadline: ContinuousClock.Instant
  ) {
    clients[id]?.state = state
    clients[id]?.line = []
    clients[id]?.deadline = deadline
  }

  private mutating func finish(_ id: ID, with text: String, at now: ContinuousClock.Instant) -> [Effect] {
    enter(.ending, id, until: now + limits.reading)
    let bytes = Array(text.utf8)
    clients[id]?.unwritten = bytes.count
    return [.write(id, bytes)]
  }

  /// Closes a client of the user who has the most; nothing if there is none.
  package mutating func evict() -> [Effect] {
    let most = counts.values.max() ?? 0
    var worst: (id: ID, client: Client)?
    for (id, client) in clients where counts[client.user] == most {
      if let other = worst, !client.leaves(before: other.client) { continue }
      worst = (id, client)
    }
    guard let worst else { return [] }
    evictions += 1
    return disconnect(worst.id)
  }
}
