/// The own lease: when it ends, and how it is renewed.
extension Ownership {
  /// The time at which the own lease ends; nil if there is none.
  var leaseEnd: ContinuousClock.Instant? { isDoubtful ? nil : confirmed.map { $0 + timing.lease - timing.margin } }

  /// Whether this owner may act at a time.
  package func holdsLease(at now: ContinuousClock.Instant) -> Bool { leaseEnd.map { now < $0 } ?? false }

  mutating func renew(at now: ContinuousClock.Instant) -> [Effect] {
    number += 1
    // An answer that comes this late proves nothing any more.
    leases = leases.filter { $0.value + timing.lease > now }
    leases[number] = now
    nextRenewal = now + timing.interval
    return [.renew(number: number, key: keys.lease(owner), lease: timing.lease)]
  }

  mutating func leased(
    _ answer: JetStreamAnswer, _ sent: ContinuousClock.Instant, at now: ContinuousClock.Instant
  ) -> [Effect] {
    switch answer {
    case .stored(let revision): progress.confirm(revision, sent: sent)
    case .refused(let failure):
      health.complaint = failure
      return failure.isMissing ? [.missing] : []
    case .done: return []
    }
    guard sent + timing.lease - timing.margin > now else { return [] }
    confirmed = max(confirmed ?? sent, sent)
    isDoubtful = false
    if nextBeat == nil { nextBeat = now + timing.beat }
    return tend(at: now)
  }

  /// Notes that the lease has ended. Called with each event, so that a program that was paused finds out before it does anything.
  mutating func doubt(at now: ContinuousClock.Instant) -> [Effect] {
    guard let leaseEnd, leaseEnd <= now else { return [] }
    isDoubtful = true
    var effects: [Effect] = []
    for name in own.keys.sorted() where own[name]!.mayBeKnown && !own[name]!.isDoubtful {
      own[name]!.isDoubtful = true
      effects.append(.changed(name, .doubtful))
    }
    return effects
  }
}
