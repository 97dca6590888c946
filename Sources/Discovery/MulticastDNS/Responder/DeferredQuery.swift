/// A query whose answer is deferred, because more known answers may follow (RFC 6762 §7.2) or other hosts may answer too (§6).
struct DeferredQuery {
  /// The maximum number per link. When there are more, the oldest is answered at once.
  static let maximum = 64

  let source: MulticastSource
  var due: Instant
  /// The records to send by multicast.
  var multicast: Set<Int> = []
  /// The records to send to the asker by unicast.
  var unicast: Set<Int> = []
  /// Whether more known answers are to follow.
  var isTruncated = false
  /// The query of a legacy resolver, which is answered in place of `multicast` and `unicast`.
  var legacy: LegacyQuery?

  mutating func forget(_ slot: Int) {
    multicast.remove(slot)
    unicast.remove(slot)
  }
}
