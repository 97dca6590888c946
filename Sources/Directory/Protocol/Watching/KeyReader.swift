/// The state machine of following one record by reading its key again and again, which needs no consumer of JetStream.
///
/// A value without I/O: answers and time go in, requests and what they mean come out. Any server that has the bucket answers, without
/// looking at the other keys, and as many may ask as like.
package struct KeyReader: RecordFollower {
  package typealias Effect = Watch.Effect

  private enum Phase: Hashable {
    /// Not connected. Goes to `asking` with ``start(at:)``.
    case offline
    /// An answer is awaited.
    case asking
    /// Reads again at the deadline.
    case waiting
  }

  /// The time from one reading to the next.
  package static let interval: Duration = .seconds(5)
  /// The time from one reading to the next while there is no record, and after a failure: somebody waits.
  package static let shortInterval: Duration = .seconds(1)
  private static let timeout: Duration = .seconds(3)

  private let key: DirectoryKey
  private let lease: RecordLease
  private let allowsLoopback: Bool
  private var phase = Phase.offline
  private var number: UInt64 = 0
  private var deadline: ContinuousClock.Instant?
  /// The live record, its revision, and when it ends unless it is written again.
  private var known: (record: DirectoryRecord, revision: UInt64, end: ContinuousClock.Instant)?
  private var hasRead = false
  private var interruption = Interruption()
  package private(set) var counters = Watch.Counters()

  /// - Parameters:
  ///   - lease: For how long a record counts.
  ///   - allowsLoopback: Whether addresses of the loopback interface count.
  package init(_ key: DirectoryKey, lease: RecordLease, allowsLoopback: Bool) {
    self.key = key
    self.lease = lease
    self.allowsLoopback = allowsLoopback
  }

  package var records: [DirectoryRecord] { known.map { [$0.record] } ?? [] }

  package func record(_ key: DirectoryKey) -> DirectoryRecord? { key == self.key ? known?.record : nil }

  package var isSettled: Bool { hasRead && !interruption.isTold }

  package var nextDeadline: ContinuousClock.Instant? { [deadline, known?.end, interruption.deadline].compactMap(\.self).min() }

  package mutating func start(at now: ContinuousClock.Instant) -> [Effect] { ask(at: now) }

  package mutating func disconnect(_ failure: JetStreamFailure, at now: ContinuousClock.Instant) -> [Effect] {
    (phase, deadline) = (.offline, nil)
    return interrupt(failure, at: now)
  }

  /// Handles the answer to a reading.
  package mutating func answered(_ number: UInt64, _ answer: DirectAnswer, at now: ContinuousClock.Instant) -> [Effect] {
    guard number == self.number, phase == .asking else { return [] }
    counters.messages += 1
    if case .refused(let failure) = answer { return wait(failure, at: now) }
    let wasSettled = isSettled
    var effects: [Effect] = []
    switch answer {
    // As with a listing: a removal leaves a mark, so a record without one has ended, or the directory has lost it. Then its publisher
    // writes it again when it renews it.
    case .none:
      let limit = now + lease.renewal + Self.interval
      if let end = known?.end { known?.end = min(end, limit) }
    case .refused: break
    case .message(let message, let revision): effects = read(message, revision, at: now)
    }
    hasRead = true
    phase = .waiting
    deadline = now + (known == nil ? Self.shortInterval : Self.interval)
    if interruption.end() { effects = [.restored] }
    return wasSettled ? effects : effects + [.settled]
  }

  package mutating func advance(to now: ContinuousClock.Instant) -> [Effect] {
    var effects: [Effect] = []
    if let known, known.end <= now { effects += vanish() }
    if let failure = interruption.advance(to: now) { effects.append(.interrupted(failure)) }
    guard let deadline, deadline <= now else { return effects }
    switch phase {
    case .offline: return effects
    case .asking: return effects + wait(Claim.noAnswer, at: now)
    case .waiting: return effects + ask(at: now)
    }
  }

  private mutating func ask(at now: ContinuousClock.Instant) -> [Effect] {
    number += 1
    phase = .asking
    deadline = now + Self.timeout
    return [.read(number: number)]
  }

  private mutating func wait(_ failure: JetStreamFailure, at now: ContinuousClock.Instant) -> [Effect] {
    phase = .waiting
    deadline = now + Self.shortInterval
    return interrupt(failure, at: now)
  }

  private mutating func interrupt(_ failure: JetStreamFailure, at now: ContinuousClock.Instant) -> [Effect] {
    interruption.begin(failure, after: hasRead ? lease.renewal : nil, at: now).map { [.interrupted($0)] } ?? []
  }

  private mutating func read(
    _ message: DirectoryMessage, _ revision: UInt64, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard !message.isDeletion else { return vanish() }
    // One that was not written again counts no longer than before.
    // An older one is of a server that lags behind.
    if let known, revision <= known.revision { return [] }
    let record: DirectoryRecord
    do throws(DirectoryRecord.Flaw) {
      guard !message.isOversized else { throw .tooLarge }
      record = try DirectoryRecord(reading: message.data, at: key.text, in: key.region, allowsLoopback: allowsLoopback)
    } catch {
      counters.flaws[error, default: 0] += 1
      return vanish()
    }
    let before = known?.record
    known = (record, revision, now + lease.duration)
    guard let before else { return [.appeared(record)] }
    guard before != record else {
      counters.renewals += 1
      return []
    }
    return [.changed(from: before, to: record)]
  }

  private mutating func vanish() -> [Effect] {
    defer { known = nil }
    return known.map { [.vanished($0.record)] } ?? []
  }
}
