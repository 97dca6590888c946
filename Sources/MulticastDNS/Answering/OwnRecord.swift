/// A record of our own, as it is told on one link.
struct OwnRecord {
  let name: DNSName
  let data: DNSData
  let isUnique: Bool
  /// How many claims have it: several services may share the pointer that tells of their type.
  var holders = 1
  /// When it last went out by multicast on the link (RFC 6762 §6).
  var lastSent: Instant?
  /// It is wanted to defend its name against a probe, and the usual second need not pass (RFC 6762 §6).
  var isDefending = false
  /// Where it stands among the records of its name.
  var place: Int

  var type: DNSType { data.type }

  /// As it is told to the network.
  var record: DNSRecord { DNSRecord(name, data, timeToLive: type.timeToLive, cacheFlush: isUnique) }

  /// The soonest that it may be sent by multicast again.
  func mayBeSent(from now: Instant) -> Instant {
    guard let lastSent else { return now }
    return max(now, lastSent + (isDefending ? 250 : 1000))
  }

  /// Whether caches have heard it within a quarter of its life (RFC 6762 §5.4).
  func wasSentLately(at now: Instant) -> Bool {
    lastSent.map { now < $0 + Int64(type.timeToLive) * 250 } ?? false
  }
}
