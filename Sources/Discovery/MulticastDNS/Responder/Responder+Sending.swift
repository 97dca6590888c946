import _BonjourishBase

extension Responder {
  /// Notes that what was sent since a moment was sent until another one, so that what follows keeps its distance from when it was
  /// really sent: a second for records (RFC 6762 §6), 250 ms for probes (§8.1).
  mutating func noteSending(_ time: ClosedRange<Instant>) {
    zone.noteSending(time)
    goodbyeRepeater.noteSending(time)
    for slot in claims.indices {
      if let interval = claims[slot].interval, let next = claimTimers[slot], time.contains(next - interval) {
        claimTimers.set(slot, to: time.upperBound + interval)
      }
      for (data, known) in claims[slot].ofHolder where time.contains(known.sent) {
        claims[slot].ofHolder[data]?.sent = time.upperBound
      }
    }
  }
}
