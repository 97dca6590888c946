import _BonjourishBase
package import _BonjourishDiscovery

/// The state machine of one claimed key: creates it, writes it again before its lease ends, and removes it.
///
/// A value without I/O: answers and time go in, requests and outcomes come out. A key is created only if it does not exist, and
/// changed only if it is as this claim left it (the revision that the server gave it). So there is one holder at a time, and a
/// holder that was paused for longer than its lease finds out before it can overwrite its successor: the revision is the fencing
/// token.
package struct Claim {
  package enum Effect: Hashable, Sendable {
    /// Write the value if the key's last revision is the expected one; 0 for a key without a value.
    case put(number: UInt64, [UInt8], expected: UInt64)
    /// Read the key.
    case read(number: UInt64)
    /// Ask the program at this address of the relay whether it is there. It has written the key.
    case ask(number: UInt64, RelayNumber)
    /// Remove the key if its last revision is the expected one. No answer is needed.
    case delete(expected: UInt64)
    /// The name is ours, with this revision.
    case held(revision: UInt64)
    /// Somebody else has the name.
    case taken
    /// The directory does not answer, or refuses for now. The claim goes on.
    case interrupted(JetStreamFailure)
    /// After an interruption the directory answers again. The claim has ended; make a new one.
    case reachable
    /// The directory refuses for ever. The claim has ended.
    case failed(JetStreamFailure)
    /// The claim has ended, and no answer is awaited.
    case ended
  }

  private enum Phase: Hashable {
    case putting(expected: UInt64, isDirty: Bool)
    case reading
    /// The program of the ``former`` run is asked. Goes to `reading` without an answer.
    case asking
    case held
    /// Waits to try again. Goes to `reading`.
    case waiting
    /// Is to be removed when the write that is under way is answered.
    case leaving
    case ended
  }

  /// The time to wait for an answer.
  package static let timeout: Duration = .seconds(5)
  private static let backoff = Backoff(from: .seconds(1), to: .seconds(8))
  /// The number of reads in a row after which trying is slowed down. Others create and delete the key meanwhile.
  private static let maximumTurns = 4
  /// The time between two questions to a program that is gone: it may be connecting again.
  private static let pause: Duration = .milliseconds(250)

  /// A record of this publisher that another program has written: a former run that has died, or a second one that lives, since
  /// programs may have one identity.
  private struct FormerRun {
    let revision: UInt64
    /// When it is dead unless it has written the record again.
    let end: ContinuousClock.Instant
    /// How often the server has said that it is gone.
    var absences = 0
    /// Whether it has not answered: it hangs, or its machine has lost its power.
    var isSilent = false
  }

  private let succession: Succession
  private let lease: RecordLease
  private var value: [UInt8]
  private var random: SeededGenerator
  private var phase: Phase
  /// The number of the request that is under way.
  private var number: UInt64 = 0
  /// The revision that the key has if it is ours.
  package private(set) var revision: UInt64?
  private var deadline: ContinuousClock.Instant?
  private var isInterrupted = false
  private var failures = 0
  private var turns = 0
  private var former: FormerRun?
  /// Whether the server has answered a write. A user who may not write gets no answer, or one that names the subject.
  private var isAnswered = false

  /// Makes a claim that has not begun.
  ///
  /// - Parameters:
  ///   - value: The record.
  ///   - succession: The owner in the record, and whose record is to be replaced.
  ///   - lease: For how long the record counts.
  ///   - seed: The seed of the jitter.
  package init(_ value: [UInt8], _ succession: Succession, lease: RecordLease, seed: UInt64) {
    self.value = value
    self.succession = succession
    self.lease = lease
    random = SeededGenerator(seed: seed)
    phase = .waiting
  }

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package var nextDeadline: ContinuousClock.Instant? { deadline }

  /// Whether an answer of another program is awaited.
  package var isAsking: Bool { phase == .asking }

  /// Starts to claim the key.
  package mutating func start(at now: ContinuousClock.Instant) -> [Effect] { put(expected: 0, at: now) }

  /// Replaces the value, now if the key is held.
  package mutating func update(_ value: [UInt8], at now: ContinuousClock.Instant) -> [Effect] {
    guard value != self.value else { return [] }
    self.value = value
    switch phase {
    case .putting(let expected, _):
      phase = .putting(expected: expected, isDirty: true)
      return []
    case .held: return renew(at: now)
    case .reading, .asking, .waiting, .leaving, .ended: return []
    }
  }

  /// Gives the key up: removes it if it is held.
  package mutating func leave() -> [Effect] {
    switch phase {
    case .putting:
      // The answer tells which revision is to be removed.
      phase = .leaving
      return []
    case .held, .reading, .asking, .waiting:
      phase = .ended
      deadline = nil
      return (revision.map { [.delete(expected: $0)] } ?? []) + [.ended]
    case .leaving, .ended: return []
    }
  }

  /// Tries again at once: the bucket is there for which nobody answered. A request of before may never be answered.
  package mutating func bucketReturned(at now: ContinuousClock.Instant) -> [Effect] {
    guard isInterrupted, phase == .reading || phase == .waiting else { return [] }
    (failures, turns) = (0, 0)
    return read(at: now)
  }

  /// Handles the answer to a write.
  package mutating func answered(
    _ number: UInt64, _ answer: JetStreamAnswer, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard number == self.number else { return [] }
    isAnswered = true
    switch (phase, answer) {
    case (.putting(_, let isDirty), .stored(let revision)):
      self.revision = revision
      if isInterrupted { return end(with: .reachable) }
      (failures, turns) = (0, 0)
      phase = .held
      deadline = now + lease.nextRenewal(using: &random)
      return [.held(revision: revision)] + (isDirty ? renew(at: now) : [])
    case (.putting, .refused(let failure)) where failure.isWrongSequence: return read(at: now)
    case (.putting, .refused(let failure)): return refused(failure, at: now)
    case (.putting, .done):
      return refused(JetStreamFailure(code: 0, kind: 0, text: "the answer to a write makes no sense"), at: now)
    case (.leaving, .stored(let revision)):
      phase = .ended
      deadline = nil
      return [.delete(expected: revision), .ended]
    case (.leaving, .refused), (.leaving, .done): return end(with: .ended)
    case (.reading, _), (.asking, _), (.held, _), (.waiting, _), (.ended, _): return []
    }
  }

  /// Handles the answer to a read.
  package mutating func found(_ number: UInt64, _ reading: Reading, at now: ContinuousClock.Instant) -> [Effect] {
    guard number == self.number, phase == .reading else { return [] }
    if case .refused(let failure) = reading { return refused(failure, at: now) }
    if isInterrupted { return end(with: .reachable) }
    switch reading {
    case .none: return put(expected: 0, at: now)
    case .deleted(let revision): return put(expected: revision, at: now)
    case .record(let owner?, _, let revision) where owner == succession.publisher:
      // A write of ours whose answer was lost.
      self.revision = revision
      return put(expected: revision, at: now)
    case .record(let owner?, _, let revision) where owner == succession.predecessor && self.revision == nil:
      // Of a publisher that is dead. Not after the name was held: then a predecessor has come back, and taken it again.
      return put(expected: revision, at: now)
    case .record(let owner?, let program, let revision) where succession.isRun(owner) && self.revision == nil:
      return doubt(program, revision, at: now)
    case .record where !isAnswered:
      // Nothing says that it could be written if it were free: whoever may not write is not renamed.
      return put(expected: 0, at: now)
    case .record:
      revision = nil
      return end(with: .taken)
    case .refused: return []
    }
  }

  /// Handles the answer to a question.
  package mutating func heard(_ number: UInt64, _ presence: Presence, at now: ContinuousClock.Instant) -> [Effect] {
    guard number == self.number, phase == .asking, let revision = former?.revision else { return [] }
    switch presence {
    case .here: return end(with: .taken)
    case .gone:
      former?.absences += 1
      // Its revision is the fence: if it has written meanwhile, this is refused.
      return former?.absences ?? 0 >= RelayLink.refusals ? put(expected: revision, at: now) : wait(Self.pause, at: now)
    }
  }

  /// Handles a deadline that has passed.
  package mutating func advance(to now: ContinuousClock.Instant) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    self.deadline = nil
    switch phase {
    case .held: return renew(at: now)
    case .waiting: return read(at: now)
    case .leaving: return end(with: .ended)
    case .putting:
      failures += 1
      // Whether the write was carried out, only the key tells.
      return (failures > 1 ? interruption(Self.noAnswer) : []) + read(at: now)
    case .reading: return refused(Self.noAnswer, at: now)
    case .asking:
      former?.isSilent = true
      return read(at: now)
    case .ended: return []
    }
  }

  /// What an unanswered request counts as.
  package static let noAnswer = JetStreamFailure(
    code: 0, kind: 0, text: "the directory did not answer; check that the user may use its subjects")

  private mutating func renew(at now: ContinuousClock.Instant) -> [Effect] {
    guard let revision else { return read(at: now) }
    return put(expected: revision, at: now)
  }

  private mutating func put(expected: UInt64, at now: ContinuousClock.Instant) -> [Effect] {
    number += 1
    phase = .putting(expected: expected, isDirty: false)
    deadline = now + Self.timeout
    return [.put(number: number, value, expected: expected)]
  }

  private mutating func read(at now: ContinuousClock.Instant) -> [Effect] {
    turns += 1
    guard turns <= Self.maximumTurns else { return wait(at: now) }
    number += 1
    phase = .reading
    deadline = now + Self.timeout
    return [.read(number: number)]
  }

  /// Finds out whether a former run lives: asks its program, or else waits for longer than it takes to write the record again.
  private mutating func doubt(_ program: RelayNumber?, _ revision: UInt64, at now: ContinuousClock.Instant) -> [Effect] {
    let former = former ?? FormerRun(revision: revision, end: now + lease.renewal + Self.timeout)
    self.former = former
    // It was written again.
    guard former.revision == revision else { return end(with: .taken) }
    guard now < former.end else { return put(expected: revision, at: now) }
    guard let program, !former.isSilent else { return wait(Self.timeout, at: now) }
    number += 1
    phase = .asking
    deadline = now + Self.timeout
    return [.ask(number: number, program)]
  }

  private mutating func refused(_ failure: JetStreamFailure, at now: ContinuousClock.Instant) -> [Effect] {
    if failure.isFinal { return end(with: .failed(failure)) }
    failures += 1
    return interruption(failure) + wait(at: now)
  }

  private mutating func wait(at now: ContinuousClock.Instant) -> [Effect] {
    wait(Self.backoff.delay(after: failures, using: &random), at: now)
  }

  private mutating func wait(_ time: Duration, at now: ContinuousClock.Instant) -> [Effect] {
    phase = .waiting
    turns = 0
    deadline = now + time
    return []
  }

  private mutating func interruption(_ failure: JetStreamFailure) -> [Effect] {
    guard !isInterrupted else { return [] }
    isInterrupted = true
    return [.interrupted(failure)]
  }

  private mutating func end(with effect: Effect) -> [Effect] {
    phase = .ended
    deadline = nil
    return [effect]
  }
}
