/// A query that is answered a little later, because its asker may go on to tell what it knows (RFC 6762 §7.2), or because
/// others may answer too (§6).
struct HeldQuery {
  /// How many are held on a link; beyond, the one that has waited longest is answered.
  static let maximum = 64

  let source: MulticastSource
  var due: Instant
  /// What to answer to all.
  var multicast: Set<Int> = []
  /// What to answer to the asker alone.
  var unicast: Set<Int> = []
  /// Known answers are still to come.
  var isTruncated = false

  mutating func forget(_ slot: Int) {
    multicast.remove(slot)
    unicast.remove(slot)
  }
}
