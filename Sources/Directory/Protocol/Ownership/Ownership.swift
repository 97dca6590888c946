/// The state machine of values that exactly one program at a time owns.
///
/// A value without I/O: answers, messages and time go in, requests and changes come out. Two things decide who owns a value.
///
/// - **A lease.** Each owner writes one key of its own every second, with the time for which it counts. Whoever hears nothing of an owner
///   for that time, while the directory answers, may take its values. The owner counts from when it *sent* its last lease that was
///   confirmed, and ends a margin earlier: it stops before anybody else begins.
/// - **A fence.** A value is written only if its last revision is the expected one. So of those who take a value one wins, and an
///   owner that was paused, and does not know how late it is, cannot overwrite its successor.
package struct Ownership {
  /// A random number of one run of a program. It is no secret and no proof.
  package typealias Owner = UInt64

  /// The owner of a value that was given up.
  package static let nobody: Owner = 0

  package struct Limits: Hashable, Sendable {
    /// The most bytes of a value.
    package var valueSize = 512 << 10
    /// The most values of this owner, and of others.
    package var values = 16_384
    /// The most owners that are known.
    package var owners = 1_024
    /// The most orphans about which nothing is decided: their values are in memory.
    package var undecided = 8

    package init() {}
  }

  package struct Timing: Hashable, Sendable {
    /// The time after which a silent owner's values may be taken. An owner outlives an election of 9 s: its last confirmed lease may then
    /// be 9 s and two intervals old, and the answer needs some time, too.
    package var lease: Duration = .seconds(13)
    /// How much earlier the owner stops.
    package var margin: Duration = .seconds(1)
    /// The shortest time between two writes of a value, and the time between two writes of the lease.
    package var interval: Duration = .seconds(1)
    /// The time for which the directory keeps a value that nobody writes.
    package var retention: Duration = .seconds(600)

    package init() {}

    /// The time after which an unchanged value is written again, so that it is not forgotten.
    var refresh: Duration { retention / 4 }
    /// The time between two looks at everything.
    var beat: Duration { interval / 4 }
  }

  /// What is known of an own value.
  package enum State: Hashable, Sendable {
    /// It is this program's. The version that the directory has.
    case owned(stored: UInt64)
    /// The lease has ended, because the directory does not answer. Another may own the value already.
    case doubtful
    /// Another owns the value, or it is gone. It is no own value any more.
    case lost
    /// The directory refuses this version for ever.
    case failed(JetStreamFailure)
  }

  package enum Effect: Hashable, Sendable {
    /// As those of a ``Listing``.
    case list(number: UInt64)
    case goOn(String)
    /// Write a value for an owner if the key's last revision is the expected one; 0 for a key without a value, nil for any.
    case put(number: UInt64, key: String, [UInt8], owner: Owner, expected: UInt64?)
    /// Write the own lease, which counts for a time.
    case renew(number: UInt64, key: String, lease: Duration)
    case read(number: UInt64, key: String)
    /// Remove a key. No answer is needed.
    case delete(key: String, expected: UInt64?)
    case changed(String, State)
    /// The owner of a value is gone. Answer with ``take(_:at:)`` or ``ignore(_:)``.
    case orphaned(String, [UInt8])
    /// Values cannot be kept, for this reason, although the directory is connected.
    case unusable(JetStreamFailure)
    /// Values can be kept, for the first time or again.
    case usable
    /// Nobody answers for the bucket.
    case missing
  }

  /// What a read has found.
  package enum Reading: Hashable, Sendable {
    case none
    case deleted
    /// `bytes` are nil if they are too many.
    case value(owner: Owner?, revision: UInt64, bytes: [UInt8]?)
    case refused(JetStreamFailure)
  }

  /// The time to wait for an answer.
  package static let timeout: Duration = .seconds(3)
  /// The time that owners have after a listing to write their leases again: in the outage before it nobody could. They write one every
  /// second, and a write has three.
  static let grace: Duration = .seconds(5)
  /// The leases that an owner may have.
  package static let leases: ClosedRange<Duration> = .seconds(3) ... .seconds(60)

  package let owner: Owner
  package let timing: Timing
  package let limits: Limits
  let keys: OwnershipKeys
  var listing: Listing
  var number: UInt64 = 0
  var isOnline = false
  var hasEnded = false
  var nextBeat: ContinuousClock.Instant?

  // The lease.
  var nextRenewal: ContinuousClock.Instant?
  /// When the leases that are under way were sent.
  var leases: [UInt64: ContinuousClock.Instant] = [:]
  /// When the last lease was sent that is confirmed.
  var confirmed: ContinuousClock.Instant?
  var isDoubtful = false
  var health = OwnershipHealth()

  /// The own values, and those that are being taken, by name.
  var own: [String: OwnValue] = [:]
  /// Which own value a request is about.
  var requests: [UInt64: String] = [:]

  // The others.
  var settledAt: ContinuousClock.Instant?
  var progress = WatchProgress()
  var foreign: [String: ForeignValue] = [:]
  var heard: [Owner: HeardOwner] = [:]
  var undecided: [String: UndecidedValue] = [:]
  /// The number of messages that were ignored because they break the rules, or because there was no room.
  package internal(set) var flaws = 0

  /// - Parameters:
  ///   - owner: A random number, not 0.
  package init(
    owner: Owner, in region: Region, of bucket: Bucket, timing: Timing = Timing(), limits: Limits = Limits()
  ) {
    precondition(owner != Self.nobody, "owner must not be 0")
    self.owner = owner
    self.timing = timing
    self.limits = limits
    keys = OwnershipKeys(region: region, bucket: bucket)
    listing = Listing(bucket)
  }

  /// The keys to watch, as a subject with wildcards.
  package var pattern: String { keys.pattern }

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package var nextDeadline: ContinuousClock.Instant? {
    [listing.nextDeadline, nextBeat, nextRenewal, own.isEmpty ? nil : leaseEnd, health.deadline].compactMap(\.self).min()
  }

  // MARK: - The connection

  /// Starts when the directory is connected, for the first time or again.
  package mutating func start(at now: ContinuousClock.Instant) -> [Effect] {
    guard !hasEnded else { return [] }
    isOnline = true
    settledAt = nil
    health.bucketFailure = nil
    return doubt(at: now) + watched(listing.start(at: now), at: now) + renew(at: now) + judge(at: now)
  }

  /// Notes that the connection is lost.
  package mutating func disconnect(_ failure: JetStreamFailure, at now: ContinuousClock.Instant) -> [Effect] {
    isOnline = false
    settledAt = nil
    (nextBeat, nextRenewal) = (nil, nil)
    leases = [:]
    requests = [:]
    undecided = [:]
    // Whether writes that were under way were carried out, only the keys tell.
    for name in own.keys where own[name]!.isBusy {
      noteUnanswered(name)
      own[name]!.phase = .unknown
    }
    health.pause()
    return doubt(at: now) + watched(listing.disconnect(failure), at: now)
  }

  /// Ends everything: what changed is written, and others may take the values at once.
  package mutating func end(at now: ContinuousClock.Instant) -> [Effect] {
    guard !hasEnded else { return [] }
    hasEnded = true
    health.pause()
    defer { (own, undecided, nextBeat, nextRenewal) = ([:], [:], nil, nil) }
    guard isOnline else { return [] }
    let last = own.sorted { $0.key < $1.key }.flatMap { name, value -> [Effect] in
      guard holdsLease(at: now), value.isHeld, value.phase == .idle, value.isDirty else { return [] }
      number += 1
      return [.put(number: number, key: keys.value(name), value.bytes, owner: owner, expected: value.revision)]
    }
    return last + [.delete(key: keys.lease(owner), expected: nil)]
  }

  /// Handles the answer to a write.
  package mutating func answered(
    _ number: UInt64, _ answer: JetStreamAnswer, at now: ContinuousClock.Instant
  ) -> [Effect] {
    let late = doubt(at: now)
    if let sent = leases.removeValue(forKey: number) { return late + leased(answer, sent, at: now) + judge(at: now) }
    guard let name = requests.removeValue(forKey: number) else { return late }
    return late + written(name, number, answer, at: now) + judge(at: now)
  }

  /// Handles the answer to a read.
  package mutating func found(_ number: UInt64, _ reading: Reading, at now: ContinuousClock.Instant) -> [Effect] {
    let late = doubt(at: now)
    guard let name = requests.removeValue(forKey: number) else { return late }
    if own[name] != nil { return late + verified(name, number, reading, at: now) }
    return late + offered(name, number, reading, at: now)
  }

  /// Handles the answer to the request for a consumer.
  package mutating func listed(
    _ number: UInt64, _ answer: JetStreamAnswer, at now: ContinuousClock.Instant
  ) -> [Effect] {
    doubt(at: now) + watched(listing.answered(number, answer, at: now), at: now) + judge(at: now)
  }

  /// Handles a message of the subscription of a listing.
  package mutating func received(
    _ message: DirectoryMessage, _ number: UInt64, at now: ContinuousClock.Instant
  ) -> [Effect] {
    doubt(at: now) + watched(listing.received(message, number, at: now), at: now) + judge(at: now)
  }

  /// Handles the deadlines that have passed.
  package mutating func advance(to now: ContinuousClock.Instant) -> [Effect] {
    var effects = doubt(at: now)
    if listing.nextDeadline.map({ $0 <= now }) ?? false { effects += watched(listing.advance(to: now), at: now) }
    if let nextRenewal, nextRenewal <= now { effects += renew(at: now) }
    effects += judge(at: now)
    guard let nextBeat, nextBeat <= now else { return effects }
    self.nextBeat = now + timing.beat
    return effects + tend(at: now) + seekOrphans(at: now)
  }
}

/// The keys of owned values in their bucket.
struct OwnershipKeys: Hashable {
  enum Kind: Hashable {
    case value(String)
    case lease(Ownership.Owner)
  }

  let region: Region
  let bucket: Bucket

  var pattern: String { "\(region.text).*.*" }
  func value(_ name: String) -> String { "\(region.text).value.\(name)" }
  func lease(_ owner: Ownership.Owner) -> String { "\(region.text).owner.\(owner.digits)" }

  /// What a message is about; nil for anything else.
  func kind(of subject: String) -> Kind? {
    guard let key = bucket.key(subject), key.utf8.count <= 128 else { return nil }
    let tokens = key.split(separator: ".", omittingEmptySubsequences: false)
    guard tokens.count == 3, tokens[0] == region.text else { return nil }
    switch tokens[1] {
    case "value": return Ownership.isName(String(tokens[2])) ? .value(String(tokens[2])) : nil
    case "owner": return Ownership.Owner(digits: String(tokens[2])).map { .lease($0) }
    default: return nil
    }
  }
}

extension Ownership {
  /// Whether a text can be the name of a value: 1–64 lower-case letters, digits and hyphens.
  package static func isName(_ text: String) -> Bool { (1...64).contains(text.utf8.count) && KeyToken.make(text) == text }
}

extension Ownership.Reading {
  package init(_ answer: DirectAnswer) {
    switch answer {
    case .none: self = .none
    case .refused(let failure): self = .refused(failure)
    case .message(let message, _) where message.isDeletion: self = .deleted
    case .message(let message, let revision):
      let owner = message.headers[DirectoryMessage.owner].flatMap { Ownership.Owner(digits: $0) }
      self = .value(owner: owner, revision: revision, bytes: message.isOversized ? nil : message.data)
    }
  }
}
