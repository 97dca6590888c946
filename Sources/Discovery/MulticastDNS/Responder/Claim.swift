/// A record to publish on a link.
struct ClaimedRecord: Hashable {
  let name: DNSName
  let data: DNSData
  let isUnique: Bool
  /// In seconds; nil for the time of its type.
  var timeToLive: UInt32?
  var isProbed = true
  var isAnnounced = true

  var key: RecordKey { RecordKey(name: name, data: data) }
  var setKey: SetKey { SetKey(name: name, type: data.type) }
}

/// The records of one owner on one link, from probing until they are established.
struct Claim {
  /// The number of probes (RFC 6762 §8.1).
  static let probes = 3
  /// The time from a probe to the next, or to the first announcement, in milliseconds (RFC 6762 §8.1).
  static let probeInterval: Int64 = 250
  /// The number of announcements, at doubling intervals (RFC 6762 §8.3).
  static let announcements = 3

  /// The number of lost tie-breaks that are taken for a conflict.
  ///
  /// RFC 6762 §8.2 expects that the winner announces the name within the second that the loser waits, and then is a conflict. One
  /// that only probes, whether faulty or hostile, would keep the loser waiting for ever. A host may choose another name at any
  /// time, so after five seconds it does, as if the winner had announced the name.
  static let lostTieBreaksLimit = 5

  enum Phase: Equatable {
    /// Other hosts are asked whether they have the unique names. Goes to `waiting` or `announcing`; or the claim is released.
    case probing(sent: Int)
    /// Probed, but the host of the services has no name yet. Goes to `announcing`.
    case waiting
    /// Published, and being announced. Goes to `established`, or to `probing` after a conflict.
    case announcing(sent: Int)
    case established
    /// Of the host's claim: another process on this host publishes the name. Goes to `probing` when that is gone.
    ///
    /// - Parameter isAsked: Whether the other process must be heard until the claim's time, or else is gone.
    case guest(isAsked: Bool)
  }

  let owner: RecordOwner
  var phase: Phase
  /// The number of tie-breaks lost since probing began, less than ``lostTieBreaksLimit``.
  var lostTieBreaks = 0
  var records: [ClaimedRecord]
  /// Whether the records must wait until the host has its name on the link.
  var needsHost: Bool
  /// Of a guest: those of the records' data that the other process publishes.
  var ofHolder: [DNSData: HolderAddress] = [:]
  /// The records' slots in the zone, while they are published.
  var slots: [Int] = []
  /// The slots that are being announced.
  var news: [Int] = []
  var updates = Allowance.updates
  /// The records that replace the others as soon as they may change again.
  var waitingUpdate: [ClaimedRecord]?

  /// The unique names in order, without duplicates.
  var uniqueNames: [DNSName] {
    var seen: Set<DNSName> = []
    return records.filter { $0.isUnique && seen.insert($0.name).inserted }.map(\.name)
  }

  /// Those that are probed for.
  var probedNames: [DNSName] {
    var seen: Set<DNSName> = []
    return records.filter { $0.isUnique && $0.isProbed && seen.insert($0.name).inserted }.map(\.name)
  }

  /// Whether the claim has unique records of a name and type.
  func has(_ name: DNSName, _ type: DNSType) -> Bool {
    records.contains { $0.isUnique && $0.data.type == type && $0.name == name }
  }

  /// Whether the records are published.
  var isPublished: Bool {
    switch phase {
    case .probing, .waiting, .guest: false
    case .announcing, .established: true
    }
  }

  /// The time between what was sent last for the claim and what is sent next, in milliseconds; nil if nothing was sent, or nothing
  /// more will be.
  var interval: Int64? {
    switch phase {
    case .probing(sent: 1...): Self.probeInterval
    case .announcing(let sent) where sent > 0: 1000 << Int64(sent - 1)
    case .probing, .waiting, .announcing, .established, .guest: nil
    }
  }

  /// Whether another process on this host publishes the name.
  var isGuest: Bool {
    if case .guest = phase { true } else { false }
  }
}
