/// A record in the cache.
struct CachedRecord {
  /// The rank of a record in its set.
  enum Standing: Int {
    /// Published by this process. It does not age and cannot be replaced.
    case own
    case live
    /// Withdrawn or replaced. It is removed after a second (RFC 6762 §10.1, §10.2).
    case leaving
  }

  /// The meaning of the record's deadline.
  enum Phase: Equatable {
    /// The next of four refresh questions, or expiry (RFC 6762 §5.2). `asked` counts the refreshes that were due.
    case aging(asked: Int)
    /// The next question about a record in doubt, or its removal (RFC 6762 §10.4). `asked` counts these questions.
    case suspect(asked: Int)
    case leaving
  }

  /// The longest lifetime of a record in the cache, in seconds: a day.
  private static let longestTimeToLive: UInt32 = 86_400

  let name: DNSName
  let data: DNSData
  /// The time to live in seconds.
  var timeToLive: UInt32
  /// How long after `received` other hosts asked for it in vain (RFC 6762 §10.5), in milliseconds; 0 if they have not. The time
  /// itself would not fit into the gap here.
  private var unansweredAfter: UInt32 = 0
  /// The time when the owner last sent the record.
  var received: Instant
  var expiry: Instant
  /// Whether the record belongs to a set with a single owner.
  var isUnique: Bool
  /// Whether a question asks for it.
  var isWanted: Bool
  var standing: Standing
  /// Whether other hosts have asked for it twice in vain.
  var isUnansweredTwice = false
  var phase: Phase
  /// The indices of its set and its last sender in ``RecordCache``; -1 for none.
  var set: Int32 = -1
  var source: Int32 = -1

  init(_ record: DNSRecord, standing: Standing, isUnique: Bool, isWanted: Bool, at now: Instant) {
    name = record.name
    data = record.data
    timeToLive = Self.limited(record.timeToLive)
    received = now
    expiry = now + Int64(timeToLive) * 1000
    self.isUnique = isUnique
    self.isWanted = isWanted
    self.standing = standing
    phase = .aging(asked: 0)
  }

  /// Restarts its lifetime, because its owner has sent it again.
  mutating func renew(as record: DNSRecord, isUnique: Bool, at now: Instant) {
    timeToLive = Self.limited(record.timeToLive)
    received = now
    expiry = now + Int64(timeToLive) * 1000
    self.isUnique = isUnique
    phase = .aging(asked: 0)
    unansweredSince = .never
    isUnansweredTwice = false
  }

  private static func limited(_ timeToLive: UInt32) -> UInt32 { min(timeToLive, longestTimeToLive) }

  /// The time since when other hosts have asked for it in vain; `never` if they have not.
  var unansweredSince: Instant {
    get { unansweredAfter == 0 ? .never : received + Int64(unansweredAfter) }
    set {
      guard newValue != .never else { return unansweredAfter = 0 }
      // Rounded up, so that the ten seconds are never shorter.
      unansweredAfter = UInt32(clamping: (newValue.microseconds - received.microseconds + 999) / 1000)
    }
  }

  /// The record that subscribers get.
  var record: DNSRecord { DNSRecord(name, data, timeToLive: timeToLive, cacheFlush: isUnique) }

  /// The remaining lifetime in whole seconds.
  func remaining(at now: Instant) -> UInt32 { UInt32(max(0, (expiry - now) / 1000)) }

  /// The time of a refresh: 80, 85, 90 and 95 % of the lifetime (RFC 6762 §5.2).
  func refreshMark(_ asked: Int) -> Instant { received + Int64(timeToLive) * Int64(800 + 50 * asked) }

  /// The time from which on a wanted record may be asked for again, together with others; never for all other records.
  var renewalMark: Instant {
    guard isWanted, standing == .live, case .aging(let asked) = phase, asked < 4 else { return .never }
    return refreshMark(asked)
  }

  /// Whether to list the record as a known answer: it is shared, and more than half of its lifetime is left (RFC 6762 §7.1).
  func isKnownAnswer(at now: Instant) -> Bool {
    standing == .live && !isUnique && phase == .aging(asked: 0) && !isUnansweredTwice && remaining(at: now) > timeToLive / 2
  }

  /// Whether several hosts may have the record: it is shared, and does not point to an instance of its type or subtype, as those
  /// that list types do (RFC 6763 §9).
  var mayHaveOtherOwners: Bool {
    guard !isUnique else { return false }
    guard case .ptr(let target) = data, let type = target.parent else { return true }
    return name != type && !(name.parent?.labels.first == Array("_sub".utf8) && name.parent?.parent == type)
  }

  /// The estimated memory of the record in bytes.
  var cost: Int { 320 + name.wire.count + data.byteCount }
}

extension DNSData {
  var byteCount: Int {
    switch self {
    case .address: 0
    case .ptr(let name), .cname(let name): name.wire.count + 32
    case .srv(let service): service.target.wire.count + 32
    case .txt(let bytes), .other(_, let bytes): bytes.count + 32
    case .nsec(let next, let types): next.wire.count + types.bitmap.count + 64
    case .hinfo(let cpu, let system): cpu.count + system.count + 64
    }
  }
}
