/// A record that is to be told on a link once it may.
struct ClaimedRecord: Hashable {
  let name: DNSName
  let data: DNSData
  let isUnique: Bool

  var key: RecordKey { RecordKey(name: name, data: data) }
}

/// The records of one owner on one link, on their way to being told.
struct Claim {
  /// How many probes are sent (RFC 6762 §8.1).
  static let probes = 3
  /// How many announcements are sent, each after twice the time (RFC 6762 §8.3).
  static let announcements = 3

  enum Phase: Equatable {
    /// Asking whether the unique names are taken. Then: `waiting` or `announcing`; or given up.
    case probing(sent: Int)
    /// Free to be told, but the host that the services are on has no name yet. Then: `announcing`.
    case waiting
    /// Told, and said again a few times. Then: `established`; or `probing` after a conflict.
    case announcing(sent: Int)
    case established
  }

  let owner: RecordOwner
  var phase: Phase
  var records: [ClaimedRecord]
  /// Whether they make sense only once the host has its name on the link.
  var needsHost: Bool
  /// The records' places in the zone, while they are told.
  var slots: [Int] = []
  /// Those to be announced.
  var news: [Int] = []

  /// The unique names, in order, each once.
  var uniqueNames: [DNSName] {
    var seen: Set<DNSName> = []
    return records.filter { $0.isUnique && seen.insert($0.name).inserted }.map(\.name)
  }

  /// Whether others are told of the records.
  var isTold: Bool {
    switch phase {
    case .probing, .waiting: false
    case .announcing, .established: true
    }
  }
}
