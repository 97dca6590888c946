/// A record in the cache.
struct CachedRecord {
  /// How a record is regarded within its set.
  enum Standing: Int {
    /// Published by this process: it does not age and cannot be replaced.
    case own
    case live
    /// Said goodbye to or replaced; it has a second left (RFC 6762 §10.1, §10.2).
    case leaving
  }

  /// What its deadline means.
  enum Phase: Equatable {
    /// So many of the four questions before it expires have been asked (RFC 6762 §5.2).
    case aging(asked: Int)
    /// In doubt, and so many questions asked about it (RFC 6762 §10.4).
    case suspect(asked: Int)
    case leaving
  }

  let name: DNSName
  let data: DNSData
  /// Seconds.
  var timeToLive: UInt32
  /// The last time that its owner sent it.
  var received: Instant
  var expiry: Instant
  /// It was sent as a member of a set with a single owner.
  var isUnique: Bool
  /// A question asks for it.
  var isWanted: Bool
  var standing: Standing
  var phase: Phase
  /// The set it is a member of, and whom it was last received from: see ``RecordCache``.
  var set: Int32 = -1
  var source: Int32 = -1

  init(_ record: DNSRecord, standing: Standing, isWanted: Bool, at now: Instant) {
    name = record.name
    data = record.data
    timeToLive = record.timeToLive
    received = now
    expiry = now + Int64(record.timeToLive) * 1000
    isUnique = record.cacheFlush
    self.isWanted = isWanted
    self.standing = standing
    phase = .aging(asked: 0)
  }

  /// Begins its life anew, as its owner sent it.
  mutating func renew(as record: DNSRecord, at now: Instant) {
    timeToLive = record.timeToLive
    received = now
    expiry = now + Int64(record.timeToLive) * 1000
    isUnique = record.cacheFlush
    phase = .aging(asked: 0)
  }

  /// As those who ask are told of it.
  var record: DNSRecord { DNSRecord(name, data, timeToLive: timeToLive, cacheFlush: isUnique) }

  /// Whole seconds left.
  func remaining(at now: Instant) -> UInt32 { UInt32(max(0, (expiry - now) / 1000)) }

  /// Whether its owner need not repeat it to us (RFC 6762 §7.1): at least half of its time is left.
  func isKnownAnswer(at now: Instant) -> Bool {
    standing == .live && !isUnique && phase == .aging(asked: 0) && remaining(at: now) > timeToLive / 2
  }

  /// A rough count of the bytes it takes.
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
