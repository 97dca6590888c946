extension MulticastEngine {
  /// How long records of other hosts stay in the cache if nobody sends them again (RFC 6762 §5.2, §10).
  ///
  /// - Parameters:
  ///   - name: The name of the records.
  ///   - now: The time, as for ``handle(_:at:)``.
  /// - Returns: The records of the common types that are neither withdrawn nor replaced, with the time left.
  package func remainingLifetimes(
    of name: DNSName, at now: Duration
  ) -> [(record: DNSRecord, link: MulticastLink, left: Duration)] {
    var lifetimes: [(record: DNSRecord, link: MulticastLink, left: Duration)] = []
    for state in links {
      for slot in state.querier.cache.slots(of: HashedKey(name: name, type: .any)) {
        let cached = state.querier.cache[slot]
        let left = cached.expiry - Instant(now)
        if cached.standing == .live, left > 0 { lifetimes.append((cached.record, state.link, .milliseconds(left))) }
      }
    }
    return lifetimes
  }
}
