import _BonjourishBase

/// A host has one name, whichever of its processes publishes it.
///
/// A process of this host that answers for the name on the link is the holder: avahi-daemon, or another engine. While there is one,
/// we are its guest: our services refer to the name, but we publish no addresses (we only repeat the holder's beside our services).
/// For if two processes publish different addresses, each takes the other for another host, and one renames the host (RFC 6762 §9).
///
/// A holder is found by its answer to our probes. We make way for a process that probes for other addresses than ours, as a
/// restarted avahi-daemon may do. One that probes for the same addresses gets an answer, so of two engines the first stays.
extension Responder {
  /// The time after which a holder that was not heard is asked, in milliseconds. There must be enough left of the two minutes that
  /// addresses live to probe. It is random, so that one of several guests asks.
  private static let silence: ClosedRange<Int64> = 80_000...90_000
  /// The time that a holder has to answer or to probe, in milliseconds.
  static let timeout: Int64 = 1500
  /// The time in which a holder answers a question, in milliseconds (RFC 6762 §6).
  private static let answerTime: Int64 = 600

  /// Handles a response of another process on this host.
  mutating func hearNeighbour(_ message: DNSMessage, _ step: inout Step) {
    guard let slot = claimSlots[.host], let name = name(of: slot) else { return }
    switch claims[slot].phase {
    case .probing(sent: 1...), .guest: break
    case .probing, .waiting, .announcing, .established: return
    }
    // The holder's records have the cache-flush bit; those of its guests do not.
    let heard = addresses(of: name, in: [message.answers, message.additionals].joined())
      .filter { $0.cacheFlush || $0.timeToLive == 0 }
    if heard.contains(where: { $0.timeToLive > 0 }) {
      becomeGuest(slot, &step)
      claims[slot].note(holders: heard, at: step.now)
      claimTimers.set(slot, to: step.moment(in: Self.silence))
    } else if !heard.isEmpty, claims[slot].isGuest {
      // In a second its records are gone from the caches of others (RFC 6762 §10.1).
      expectHolder(slot, by: step.now)
    }
  }

  /// Makes way for another process on this host if it probes for the host's name with other addresses than ours.
  mutating func makeWay(for probe: DNSMessage, _ step: inout Step) {
    guard !probe.authorities.isEmpty, let slot = claimSlots[.host], let name = name(of: slot) else { return }
    let proposed = addresses(of: name, in: probe.authorities)
    guard !proposed.isEmpty, !hasOurs(proposed, of: name, slot) else { return }
    becomeGuest(slot, &step)
    claims[slot].phase = .guest(isAsked: true)
    // Random, because two engines may make way for each other.
    claimTimers.set(slot, to: step.moment(in: Self.timeout...(2 * Self.timeout)))
  }

  /// Handles a question for the host's addresses: if the holder does not answer it, it may be gone.
  mutating func hearQuestions(_ query: DNSMessage, at now: Instant) {
    // While we are a guest, our name is among those probed for. Check first what costs least.
    guard !probed.isEmpty, let slot = claimSlots[.host], claims[slot].phase == .guest(isAsked: false),
      let name = name(of: slot), !query.answers.contains(where: { $0.name == name }),
      query.questions.contains(where: { $0.name == name && [.a, .aaaa, .any].contains($0.type) })
    else { return }
    claimTimers.set(slot, to: min(claimTimers[slot] ?? .never, now + Self.answerTime))
  }

  /// Probes for the host's name unless the holder is heard until then.
  mutating func expectHolder(_ slot: Int, by moment: Instant) {
    claims[slot].phase = .guest(isAsked: true)
    claimTimers.set(slot, to: min(claimTimers[slot] ?? .never, moment))
  }

  /// Asks the holder for the host's addresses. When that was in vain, takes its place with those of our addresses that it
  /// published, so that it finds nothing to dispute when it comes back.
  mutating func seekHolder(_ slot: Int, isAsked: Bool, _ packer: inout MessagePacker, at now: Instant) {
    guard !isAsked else {
      let known = claims[slot].ofHolder
      let types = Set(known.keys.map(\.type))
      claims[slot].records.removeAll { types.contains($0.data.type) && known[$0.data] == nil }
      return beginProbing(slot)
    }
    if let name = name(of: slot) { packer.add(DNSQuestion(name, .any), knowing: []) }
    expectHolder(slot, by: now + Self.timeout)
  }

  /// Replaces the records of a guest, which are published if the holder goes.
  mutating func replaceRecords(ofGuest slot: Int, with records: [ClaimedRecord]) {
    endProbing(slot)
    claims[slot].records = records
    claims[slot].ofHolder = [:]
    noteProbing(claims[slot].uniqueNames, slot)
    updateHostDenial()
  }

  /// Withdraws our records without a goodbye: the name stays, and the holder answers for it.
  private mutating func becomeGuest(_ slot: Int, _ step: inout Step) {
    let wasGuest = claims[slot].isGuest
    claims[slot].phase = .guest(isAsked: false)
    guard !wasGuest else { return }
    claims[slot].ofHolder = [:]
    unpublish(slot, &step)
    noteProbing(claims[slot].uniqueNames, slot)
    updateHostDenial()
    step.reports.append((link, .established(.host)))
    for waiting in claims.indices where claims[waiting].phase == .waiting { claimTimers.set(waiting, to: step.now) }
  }

  /// The name of a claim's addresses.
  private func name(of slot: Int) -> DNSName? {
    claims[slot].records.first { if case .address = $0.data { true } else { false } }?.name
  }

  /// The records that are addresses of the host.
  private func addresses(of name: DNSName, in records: some Sequence<DNSRecord>) -> [DNSRecord] {
    records.filter { record in
      if case .address = record.data { record.name == name } else { false }
    }
  }

  /// Whether a process with these addresses has all of ours.
  private func hasOurs(_ theirs: [DNSRecord], of name: DNSName, _ slot: Int) -> Bool {
    claims[slot].records.allSatisfy { ours in ours.name != name || theirs.contains { $0.data == ours.data } }
  }
}
