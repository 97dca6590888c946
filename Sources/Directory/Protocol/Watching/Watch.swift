import _BonjourishDiscovery

/// The state machine of one watch: lists the records of a pattern of keys, follows their changes, and drops those whose lease has
/// ended.
///
/// A value without I/O: messages and time go in, requests and changes come out. A new ``Listing`` is compared with what is known. The
/// server sends nothing when a record expires, so the watch counts the time itself.
package struct Watch: RecordFollower {
  package enum Effect: Hashable, Sendable {
    /// Subscribe to a new subject, forget the former one, and ask for a consumer that delivers there.
    case list(number: UInt64)
    /// Read the key.
    case read(number: UInt64)
    /// Write an empty message there, so that delivery goes on.
    case goOn(String)
    case appeared(DirectoryRecord)
    case changed(from: DirectoryRecord, to: DirectoryRecord)
    case vanished(DirectoryRecord)
    /// All records that there were at the beginning have been reported.
    case settled
    /// The bucket allows no more watches. It is asked again.
    case full
    /// The directory does not answer.
    case interrupted(JetStreamFailure)
    /// The directory answers again. All records are to be told anew; changes follow, and then `settled`.
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

  private let bucket: Bucket
  private let region: Region
  private let allowsLoopback: Bool
  private var listing: Listing
  private var table: LiveRecords
  private var clock: ServerClock?
  private var counted = Counters()
  /// Whether what comes is what there was at the beginning.
  private var isDrawing = false
  private var hasListed = false
  private var interruption = Interruption()

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
    listing = Listing(bucket)
    table = LiveRecords(limits, rank: rank)
  }

  package var isSettled: Bool { listing.isSettled }

  package var counters: Counters {
    var counters = counted
    counters.messages = listing.messageCount
    counters.listings = Int(max(listing.number, 1)) - 1
    return counters
  }

  package var records: some Collection<DirectoryRecord> { table.entries.values.lazy.map(\.record) }

  package func record(_ key: DirectoryKey) -> DirectoryRecord? { table.entries[key.text]?.record }

  package var nextDeadline: ContinuousClock.Instant? {
    [listing.nextDeadline, table.nextExpiry, interruption.deadline].compactMap(\.self).min()
  }

  package mutating func start(at now: ContinuousClock.Instant) -> [Effect] { run(listing.start(at: now), at: now) }

  package mutating func disconnect(_ failure: JetStreamFailure, at now: ContinuousClock.Instant) -> [Effect] {
    run(listing.disconnect(failure), at: now)
  }

  /// Handles the answer to the request for a consumer.
  package mutating func answered(
    _ number: UInt64, _ answer: JetStreamAnswer, at now: ContinuousClock.Instant
  ) -> [Effect] {
    var isFull = false
    if number == listing.number, case .refused(let failure) = answer { isFull = failure.isLimitOfWatches }
    return (isFull ? [.full] : []) + run(listing.answered(number, answer, at: now), at: now)
  }

  /// Handles a message of the subscription of a listing.
  package mutating func received(
    _ message: DirectoryMessage, _ number: UInt64, at now: ContinuousClock.Instant
  ) -> [Effect] {
    run(listing.received(message, number, at: now), at: now)
  }

  package mutating func advance(to now: ContinuousClock.Instant) -> [Effect] {
    var effects: [Effect] = []
    while let record = table.removeExpired(at: now) { effects.append(.vanished(record)) }
    if let failure = interruption.advance(to: now) { effects.append(.interrupted(failure)) }
    return effects + run(listing.advance(to: now), at: now)
  }
}

extension Watch {
  private mutating func run(_ effects: [Listing.Effect], at now: ContinuousClock.Instant) -> [Effect] {
    effects.flatMap { effect -> [Effect] in
      switch effect {
      case .began(let time):
        if let time {
          let (clock, lease) = (ServerClock(server: time, here: now), bucket.lease)
          self.clock = clock
          table.retime(listing: listing.number) { now + clock.remainder(of: lease, ofTime: $0, at: now) }
        }
        return []
      case .value(let message, let delivery): return entry(message, delivery, at: now)
      case .settled:
        hasListed = true
        endDrawing()
        // What this listing has not brought stays until its lease ends. A removal leaves a mark, which the server keeps for as long;
        // so a record without one is missing because a server has lost it, and its publisher writes it again.
        return [.settled]
      case .list(let number):
        endDrawing()
        isDrawing = true
        return [.list(number: number)]
      case .goOn(let subject): return [.goOn(subject)]
      case .interrupted(let failure):
        let delay = hasListed ? bucket.lease.renewal : nil
        return interruption.begin(failure, after: delay, at: now).map { [.interrupted($0)] } ?? []
      case .restored: return interruption.end() ? [.restored] : []
      }
    }
  }

  private mutating func endDrawing() {
    isDrawing = false
    table.endDraws()
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
      table.renew(key, fingerprint: fingerprint, writtenAt: delivery.time, listing: listing.number, until: end)
    {
      counted.renewals += 1
      return []
    }
    let record: DirectoryRecord
    do throws(DirectoryRecord.Flaw) {
      guard !message.isOversized else { throw .tooLarge }
      record = try DirectoryRecord(reading: message.data, at: key, in: region, allowsLoopback: allowsLoopback)
    } catch {
      counted.flaws[error, default: 0] += 1
      return vanish(key)
    }
    let before = table.entries[key]?.record
    let outcome = table.set(
      key, record, fingerprint: fingerprint, writtenAt: delivery.time, shard: DirectoryKey.shard(ofKey: key),
      listing: listing.number,
      isDrawn: isDrawing, until: end)
    switch outcome {
    case .kept: break
    case .crowdedOut:
      counted.crowdedOut += 1
      return []
    case .replaced(let loser):
      counted.crowdedOut += 1
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
