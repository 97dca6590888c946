/// A record of our own that is published on one link.
struct OwnRecord {
  let name: DNSName
  let data: DNSData
  let isUnique: Bool
  /// In seconds; nil for the time of its type.
  var chosenTimeToLive: UInt32?
  /// The number of claims that hold the record. Services of one type share the PTR record that lists their type.
  var holders = 1
  /// The last time it was sent by multicast on the link (RFC 6762 §6).
  var lastSent: Instant?
  /// Whether it defends its name against a probe. Then it need not wait the usual second (RFC 6762 §6).
  var isDefending = false
  /// Its index among the records of its name.
  var place: Int

  var type: DNSType { data.type }

  /// In seconds.
  var timeToLive: UInt32 { chosenTimeToLive ?? type.timeToLive(isUnique: isUnique) }

  /// The record to send.
  var record: DNSRecord { DNSRecord(name, data, timeToLive: timeToLive, cacheFlush: isUnique) }

  /// The earliest time at which it may be sent by multicast again.
  func mayBeSent(from now: Instant) -> Instant {
    guard let lastSent else { return now }
    return max(now, lastSent + (isDefending ? 250 : 1000))
  }

  /// Whether it was sent by multicast within the last quarter of its lifetime (RFC 6762 §5.4).
  func wasSentLately(at now: Instant) -> Bool {
    lastSent.map { now < $0 + Int64(timeToLive) * 250 } ?? false
  }
}
