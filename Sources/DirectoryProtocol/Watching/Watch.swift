import Discovery

/// The state machine of one watch: lists the records of a pattern of keys, follows their changes, and drops those whose lease has
/// ended.
///
/// A value without I/O: messages and time go in, requests and changes come out. It asks JetStream for a consumer that sends the last
/// value of each key and then each change. When messages are missing, or the server has been silent for three heartbeats, it asks
/// for another one, and compares. The server sends nothing when a record expires, so the watch counts the time itself.
package struct Watch {
  package enum Effect: Hashable, Sendable {
    /// Subscribe to a new subject, forget the former one, and ask for a consumer that delivers there.
    case list(number: UInt64)
    /// Write an empty message there, so that delivery goes on.
    case goOn(String)
    case appeared(DirectoryRecord)
    case changed(from: DirectoryRecord, to: DirectoryRecord)
    case vanished(DirectoryRecord)
    /// All records that there were at the beginning have been reported.
    case settled
    /// The directory does not answer.
    case interrupted(JetStreamFailure)
    /// The directory answers again. Changes follow, and then `settled`.
    case restored
  }

  /// The bounds of what is kept.
  package struct Limits: Sendable {
    package var entries = 65_536
    package var entriesInShard = 4_096

    package init() {}
  }

  /// What came of the messages, for metrics.
  package struct Counters: Hashable, Sendable {
    package var messages = 0
    /// Records that were written again as they were.
    package var renewals = 0
    /// Records that were ignored because they break the rules.
    package var flaws: [DirectoryRecord.Flaw: Int] = [:]
    /// Records that were ignored because there was no room.
    package var crowdedOut = 0
    /// Listings after the first.
    package var listings = 0
  }

  private enum Phase: Hashable {
    /// Not connected. Goes to `asking` with ``start(at:)``.
    case offline
    /// A consumer was asked for.
    case asking
    /// The records that there were at the beginning are coming.
    case listing
    case following
    /// No answer, or a refusal. Goes to `asking` at the deadline.
    case waiting
  }

  /// The time after which a silent server sends a heartbeat.
  package static let heartbeat: Duration = .seconds(5)
  private static let silence: Duration = .seconds(16)
  /// A cluster that has just lost a server may give the consumer to that one; the next goes to another.
  private static let patience: Duration = .seconds(3)
  private static let retry: Duration = .seconds(1)
  private static let pause: Duration = .seconds(1)

  private let bucket: Bucket
  private let region: Region
  private let allowsLoopback: Bool
  private var phase = Phase.offline
  private var number: UInt64 = 0
  private var deadline: ContinuousClock.Instant?
  private var table: EntryTable
  private var lastSequence: UInt64 = 0
  /// Whether the last message of those that there were at the beginning has come.
  private var isListed = false
  private var askedAt: ContinuousClock.Instant?
  private var clock: ServerClock?
  private var isInterrupted = false
  /// What is told as an interruption unless the directory answers before.
  private var doubt: (end: ContinuousClock.Instant, failure: JetStreamFailure)?
  private var hasListed = false
  /// Whether the last listing is complete, so that what it did not bring is gone.
  package private(set) var isSettled = false
  package private(set) var counters = Counters()

  /// - Parameters:
  ///   - bucket: The bucket that messages must come from.
  ///   - region: The region that keys must be in.
  ///   - allowsLoopback: Whether addresses of the loopback interface count.
  ///   - rank: A number for each key, by which those are chosen that a listing brings to a full shard. The default differs between
  ///     processes, so that nobody can choose names that have the first ranks.
  package init(
    _ bucket: Bucket, region: Region, allowsLoopback: Bool, limits: Limits = Limits(),
    rank: @escaping @Sendable (String) -> Int = { $0.hashValue }
  ) {
    self.bucket = bucket
    self.region = region
    self.allowsLoopback = allowsLoopback
    table = EntryTable(limits, rank: rank)
  }

  /// The live records, in no order.
  package var records: some Collection<DirectoryRecord> { table.entries.values.lazy.map(\.record) }

  /// A live record; nil if there is none.
  package func record(_ key: DirectoryKey) -> DirectoryRecord? { table.entries[key.text]?.record }

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package var nextDeadline: ContinuousClock.Instant? {
    [deadline, table.nextExpiry, doubt?.end].compactMap(\.self).min()
  }

  /// Starts when the directory is connected, for the first time or again.
  package mutating func start(at now: ContinuousClock.Instant) -> [Effect] { ask(at: now) }

  /// Notes that the connection is lost.
  package mutating func disconnect(_ failure: JetStreamFailure, at now: ContinuousClock.Instant) -> [Effect] {
    phase = .offline
    deadline = nil
    return interruption(failure, at: now)
  }

  /// Handles the answer to the request for a consumer.
  package mutating func answered(
    _ number: UInt64, _ answer: JetStreamAnswer, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard number == self.number, phase == .asking else { return [] }
    guard case .done(let response) = answer else {
      let failure = if case .refused(let failure) = answer { failure } else { Claim.noAnswer }
      return wait(failure, at: now)
    }
    // Messages may have come before the answer.
    phase = .listing
    deadline = now + Self.silence
    if let created = response["created"]?.string.flatMap(ServerTime.read) {
      let (clock, lease) = (ServerClock(server: created, here: now), bucket.lease)
      self.clock = clock
      table.retime(listing: number) { now + clock.remainder(of: lease, ofTime: $0, at: now) }
    }
    let isEmpty = response["num_pending"]?.integer == 0 && lastSequence == 0
    return restoration() + (isEmpty || isListed ? settle() : [])
  }

  /// Handles a message of the subscription of a listing.
  package mutating func received(
    _ message: DirectoryMessage, _ number: UInt64, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard number == self.number else { return [] }
    switch phase {
    case .offline, .waiting: return []
    case .asking, .listing, .following: break
    }
    counters.messages += 1
    if phase != .asking { deadline = now + Self.silence }
    if let status = message.status { return control(message, status, at: now) }
    guard let delivery = Delivery(message.reply), delivery.stream == bucket.stream else { return [] }
    guard delivery.consumerSequence == lastSequence + 1 else { return askAgain(at: now) }
    lastSequence = delivery.consumerSequence
    if delivery.pending == 0 { isListed = true }
    let effects = entry(message, delivery, at: now)
    return effects + (isListed && !isSettled && phase != .asking ? settle() : [])
  }

  /// Handles the deadlines that have passed.
  package mutating func advance(to now: ContinuousClock.Instant) -> [Effect] {
    var effects: [Effect] = []
    while let record = table.removeExpired(at: now) { effects.append(.vanished(record)) }
    if let doubt, doubt.end <= now {
      self.doubt = nil
      isInterrupted = true
      effects.append(.interrupted(doubt.failure))
    }
    guard let deadline, deadline <= now else { return effects }
    self.deadline = nil
    switch phase {
    case .offline: return effects
    case .asking: return effects + wait(Claim.noAnswer, at: now)
    case .waiting, .listing, .following: return effects + ask(at: now)
    }
  }
}

extension Watch {
  private mutating func ask(at now: ContinuousClock.Instant) -> [Effect] {
    number += 1
    if number > 1 { counters.listings += 1 }
    phase = .asking
    (isSettled, isListed) = (false, false)
    table.endDraws()
    lastSequence = 0
    askedAt = now
    deadline = now + Self.patience
    return [.list(number: number)]
  }

  /// Lists again, because messages are missing: at most once a second, so that nobody can keep this side busy with it.
  private mutating func askAgain(at now: ContinuousClock.Instant) -> [Effect] {
    if let askedAt, now < askedAt + Self.pause {
      phase = .waiting
      deadline = askedAt + Self.pause
      return []
    }
    return ask(at: now)
  }

  private mutating func wait(_ failure: JetStreamFailure, at now: ContinuousClock.Instant) -> [Effect] {
    phase = .waiting
    deadline = now + Self.retry
    return interruption(failure, at: now)
  }

  /// Tells at once that nothing is known yet. What was listed counts for a lease anyway, and a cluster needs up to 15 s to agree on
  /// new leaders when it loses a server: that is told only after a third of a lease.
  private mutating func interruption(_ failure: JetStreamFailure, at now: ContinuousClock.Instant) -> [Effect] {
    guard !isInterrupted, doubt == nil else { return [] }
    if hasListed {
      doubt = (now + bucket.lease.renewal, failure)
      return []
    }
    isInterrupted = true
    return [.interrupted(failure)]
  }

  private mutating func restoration() -> [Effect] {
    doubt = nil
    guard isInterrupted else { return [] }
    isInterrupted = false
    return [.restored]
  }

  private mutating func settle() -> [Effect] {
    (isSettled, hasListed) = (true, true)
    phase = .following
    table.endDraws()
    // What this listing has not brought is gone.
    let gone = table.keys(before: number).compactMap { table.remove($0) }
    return gone.map { .vanished($0) } + [.settled]
  }

  /// Handles a heartbeat, a request to go on, or the end of the consumer.
  private mutating func control(_ message: DirectoryMessage, _ status: Int, at now: ContinuousClock.Instant) -> [Effect] {
    guard status == 100 else { return phase == .asking ? [] : askAgain(at: now) }
    if !message.reply.isEmpty { return [.goOn(message.reply)] }
    if let subject = message.headers[DirectoryMessage.stalled] { return [.goOn(subject)] }
    if let last = message.headers[DirectoryMessage.lastConsumer].flatMap({ UInt64($0) }), last != lastSequence {
      return phase == .asking ? [] : askAgain(at: now)
    }
    return []
  }

  private mutating func entry(
    _ message: DirectoryMessage, _ delivery: Delivery, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard let key = bucket.key(message.subject) else { return [] }
    let end = now + (remainder(ofTime: delivery.time, at: now))
    guard !message.isDeletion, end > now else { return vanish(key) }
    let fingerprint = message.data.hashValue
    // Most messages are renewals. What was read once under this key need not be read again.
    if !message.isOversized,
      table.renew(key, fingerprint: fingerprint, writtenAt: delivery.time, listing: number, until: end)
    {
      counters.renewals += 1
      return []
    }
    let record: DirectoryRecord
    do throws(DirectoryRecord.Flaw) {
      guard !message.isOversized else { throw .tooLarge }
      record = try DirectoryRecord(reading: message.data, at: key, in: region, allowsLoopback: allowsLoopback)
    } catch {
      counters.flaws[error, default: 0] += 1
      return vanish(key)
    }
    let before = table.entries[key]?.record
    let outcome = table.set(
      key, record, fingerprint: fingerprint, writtenAt: delivery.time, shard: record.key(in: region).shard, listing: number,
      isDrawn: !isSettled, until: end)
    switch outcome {
    case .kept: break
    case .crowdedOut:
      counters.crowdedOut += 1
      return []
    case .replaced(let loser):
      counters.crowdedOut += 1
      return [.vanished(loser), .appeared(record)]
    }
    guard let before else { return [.appeared(record)] }
    return before == record ? [] : [.changed(from: before, to: record)]
  }

  private func remainder(ofTime time: Int64, at now: ContinuousClock.Instant) -> Duration {
    clock?.remainder(of: bucket.lease, ofTime: time, at: now) ?? bucket.lease.duration
  }

  private mutating func vanish(_ key: String) -> [Effect] { table.remove(key).map { [.vanished($0)] } ?? [] }
}
