package import _BonjourishBase

/// The state machine of a bucket before it is used: it is looked at, and made if there is none.
///
/// A value without I/O: what happens to the connection, answers and time go in, requests and outcomes come out. Each request has a
/// number, so that answers to former ones are ignored.
package struct BucketPreparation {
  package enum Effect: Hashable, Sendable {
    /// Ask for the bucket's settings.
    case look(number: UInt64)
    /// Make the bucket, with a limit of its own for watches or without.
    case create(number: UInt64, limitsWatches: Bool)
    /// Give the bucket these settings.
    case update(number: UInt64, [UInt8])
    /// The bucket can be used. Its settings; nil if nobody has told them.
    case ready(JSONValue?)
    /// The bucket cannot be used. It is tried again.
    case failed(JetStreamFailure)
    /// More watches could not be allowed.
    case notRaised(JetStreamFailure)
  }

  /// What differs between buckets.
  package struct Policy: Hashable, Sendable {
    /// Whether a bucket that does not exist is made.
    package var createsBucket = true
    /// Whether a bucket that was there is looked at after each connection, and not only if nobody answers for it.
    package var looksAgain = true
    /// The time until another try after a failure.
    package var retryDelay: Duration = .seconds(5)
    /// The time until a bucket is looked at for which nobody answers.
    package var missingDelay: Duration = .seconds(1)

    package init() {}

    /// Of values that have owners, who have no time to lose.
    package static let ofValues = {
      var policy = Policy()
      (policy.looksAgain, policy.retryDelay, policy.missingDelay) = (false, .seconds(2), .zero)
      return policy
    }()
  }

  private enum Phase: Hashable {
    /// There is no connection.
    case away
    /// The settings are asked for. Goes to `creating`, `waiting` or `settled`.
    case looking
    case creating(limitsWatches: Bool)
    /// Goes to `looking`.
    case waiting
    /// The bucket was there.
    case settled
  }

  private enum Raising: Hashable {
    case looking(UInt64)
    case updating(UInt64)
  }

  /// The time to wait for what is told about the bucket. A user may lack the permission to ask; then it is assumed to exist.
  package static let timeout: Duration = .seconds(3)
  /// The time that another program needs to make the bucket, and how often it is waited for. After that, there is another stream with
  /// the bucket's subjects.
  package static let creationTime: Duration = .milliseconds(200)
  package static let mostConcurrentCreations = 5
  /// The shortest time between two attempts to allow more watches.
  package static let raisingInterval: Duration = .seconds(10)

  private let bucket: Bucket
  private let policy: Policy
  private var phase = Phase.away
  private var number: UInt64 = 0
  /// The number of the request that is under way.
  private var current: UInt64 = 0
  /// Whether the bucket was there once, or was assumed to be.
  private var wasReady = false
  /// How often in a row another program was making the bucket.
  private var concurrentCreations = 0
  private var raising: Raising?
  /// When more watches were asked for last.
  private var raisedAt: ContinuousClock.Instant?

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package private(set) var nextDeadline: ContinuousClock.Instant?

  package init(_ bucket: Bucket, _ policy: Policy = Policy()) {
    (self.bucket, self.policy) = (bucket, policy)
  }

  /// Begins, because the directory is connected, for the first time or again.
  package mutating func connected(at now: ContinuousClock.Instant) -> [Effect] {
    disconnected()
    guard wasReady, !policy.looksAgain else { return look(at: now) }
    return settle(nil)
  }

  /// Notes that the connection is lost: nothing is waited for.
  package mutating func disconnected() { (phase, nextDeadline, raising) = (.away, nil, nil) }

  /// Looks at the bucket again, because nobody answers for it.
  package mutating func missing(at now: ContinuousClock.Instant) -> [Effect] {
    // Without a deadline the bucket was there, or is assumed to be.
    guard phase != .away, nextDeadline == nil else { return [] }
    guard policy.missingDelay > .zero else { return look(at: now) }
    (phase, nextDeadline) = (.waiting, now + policy.missingDelay)
    return []
  }

  /// Gives the bucket a limit of its own for watches if it has none, as those of before have: newer servers put a small one in its place.
  /// Watches that were refused ask again by themselves.
  package mutating func raiseLimitOfWatches(at now: ContinuousClock.Instant) -> [Effect] {
    guard phase != .away, nextDeadline == nil, policy.createsBucket,
      raisedAt.map({ $0 + Self.raisingInterval <= now }) ?? true
    else { return [] }
    raisedAt = now
    number += 1
    raising = .looking(number)
    return [.look(number: number)]
  }

  /// Handles the answer to a request.
  package mutating func answered(_ number: UInt64, _ answer: JetStreamAnswer, at now: ContinuousClock.Instant) -> [Effect] {
    if raising == .looking(number) || raising == .updating(number) { return raised(answer) }
    guard number == current else { return [] }
    switch phase {
    case .away, .waiting, .settled: return []
    case .looking: return looked(answer, at: now)
    case .creating(let limitsWatches): return created(answer, limitsWatches: limitsWatches, at: now)
    }
  }

  /// Handles the deadline if it has passed.
  package mutating func advance(to now: ContinuousClock.Instant) -> [Effect] {
    guard let nextDeadline, nextDeadline <= now else { return [] }
    if phase == .waiting { return look(at: now) }
    // An answer may still come, and tell that there is no bucket.
    self.nextDeadline = nil
    return ready(nil)
  }

  private mutating func look(at now: ContinuousClock.Instant) -> [Effect] {
    number += 1
    (current, phase, nextDeadline) = (number, .looking, now + Self.timeout)
    return [.look(number: number)]
  }

  private mutating func looked(_ answer: JetStreamAnswer, at now: ContinuousClock.Instant) -> [Effect] {
    switch answer {
    case .refused(let failure) where failure.code == 404 && policy.createsBucket: return create(limitsWatches: true)
    case .refused(let failure) where failure.isNotPermitted: return settle(nil)
    case .refused(let failure): return fail(failure, at: now)
    case .done(let info) where info["config"]?["allow_direct"]?.bool != true:
      let text = "it does not allow direct reads; set allow_direct of its stream"
      return fail(JetStreamFailure(code: 400, kind: 0, text: text), at: now)
    case .done(let info): return settle(info["config"])
    case .stored: return settle(nil)
    }
  }

  /// - Parameter limitsWatches: Whether the bucket says how many may watch it. An account may allow fewer than that; then its limit counts.
  private mutating func create(limitsWatches: Bool) -> [Effect] {
    number += 1
    (current, phase) = (number, .creating(limitsWatches: limitsWatches))
    return [.create(number: number, limitsWatches: limitsWatches)]
  }

  private mutating func created(
    _ answer: JetStreamAnswer, limitsWatches: Bool, at now: ContinuousClock.Instant
  ) -> [Effect] {
    switch answer {
    case .refused(let failure) where failure.isLimitOfWatches && limitsWatches: return create(limitsWatches: false)
    case .refused(let failure) where failure.overlaps && concurrentCreations < Self.mostConcurrentCreations:
      concurrentCreations += 1
      (phase, nextDeadline) = (.waiting, now + Self.creationTime)
      return []
    case .refused(let failure) where !failure.isOtherStream: return fail(failure.makingBucket, at: now)
    case .refused, .done, .stored: return settle(nil)
    }
  }

  /// Notes that the bucket is there. It is told once, also if it was assumed before.
  private mutating func settle(_ config: JSONValue?) -> [Effect] {
    let isAssumed = phase != .away && nextDeadline == nil
    (phase, nextDeadline) = (.settled, nil)
    return isAssumed ? [] : ready(config)
  }

  private mutating func ready(_ config: JSONValue?) -> [Effect] {
    (wasReady, concurrentCreations) = (true, 0)
    return [.ready(config)]
  }

  private mutating func fail(_ failure: JetStreamFailure, at now: ContinuousClock.Instant) -> [Effect] {
    (phase, nextDeadline) = (.waiting, now + policy.retryDelay)
    return [.failed(failure)]
  }

  private mutating func raised(_ answer: JetStreamAnswer) -> [Effect] {
    let step = raising
    raising = nil
    switch (step, answer) {
    case (.looking?, .done(let info)):
      guard let settings = bucket.withLimitOfWatches(info["config"]) else { return [] }
      number += 1
      raising = .updating(number)
      return [.update(number: number, settings)]
    case (.updating?, .refused(let failure)): return [.notRaised(failure)]
    case (.looking?, .refused), (.looking?, .stored), (.updating?, .done), (.updating?, .stored), (nil, _): return []
    }
  }
}

extension JetStreamFailure {
  /// The failure to make a bucket, with what is to be done.
  fileprivate var makingBucket: JetStreamFailure {
    if isNotPermitted {
      let text = "there is none, and \(text); have its operator make it, or give this user the permission"
      return JetStreamFailure(code: code, kind: kind, text: text)
    }
    guard isShortOfStorage else { return self }
    let text = "it cannot be made: \(text); make it smaller, or raise max_memory or max_file of the account at the server"
    return JetStreamFailure(code: code, kind: kind, text: text)
  }
}
