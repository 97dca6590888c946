import _BonjourishDiscovery

extension Responder {
  /// Whether a name is ours alone, or is being probed for.
  func hasClaim(on name: DNSName) -> Bool { probed[name] != nil || zone.names[name]?.claims != nil }

  /// Compares a record that another host sent with our own (RFC 6762 §6.6, §7.4, §8.1, §9). Either its name is claimed, or we publish
  /// the same record.
  ///
  /// - Parameters:
  ///   - isPublished: Whether we publish the same record.
  ///   - isOurs: Whether the datagram came from an address of this host: from another process or a bridged interface.
  mutating func compare(_ record: DNSRecord, isPublished: Bool, fromThisHost isOurs: Bool, _ step: inout Step) {
    if isPublished, let slot = zone.find(record.name, record.data) { return handleDuplicate(of: slot, record, &step) }
    // Neither a goodbye nor a denial of other types is a conflict.
    guard record.timeToLive > 0, record.type != .nsec else { return }
    let published = zone.names[record.name]?.claims?.all ?? []
    var hasLost = false
    for slot in probed[record.name]?.all ?? [] where isConflict(record, with: slot, fromThisHost: isOurs, at: step.now) {
      // The holder of the name probes again, and so do we, but not against it.
      if claims[slot].isGuest {
        expectHolder(slot, by: step.now + Self.timeout)
        continue
      }
      if !hasLost { noteConflict(at: step.now) }
      hasLost = true
      lose(slot, record.name, &step)
    }
    // The whole name is disputed if one of our claims has lost it, else the set of the record.
    var isNoted = hasLost
    for slot in published where hasLost || claims[slot].has(record.name, record.type) {
      if !isConflict(record, with: slot, fromThisHost: isOurs, at: step.now) { continue }
      if isOurs, claims[slot].owner.isReversePointer {
        lose(slot, record.name, &step)
        continue
      }
      if !isNoted { noteConflict(at: step.now) }
      isNoted = true
      probeAgain(slot, &step)
    }
  }

  /// The claims that have a name, or probe for it.
  func claimants(of name: DNSName) -> [Int] {
    (probed[name]?.all ?? []) + (zone.names[name]?.claims?.all ?? [])
  }

  /// Whether a name is the host's.
  private func isHost(_ name: DNSName) -> Bool {
    claimSlots[.host].map { claims[$0].records.first?.name == name } ?? false
  }

  /// Handles a record of another host that equals one of ours.
  private mutating func handleDuplicate(of slot: Int, _ record: DNSRecord, _ step: inout Step) {
    let timeToLive = zone[slot].timeToLive
    if record.timeToLive >= timeToLive {
      // RFC 6762 §7.4: another host has given the answer already. What a guest repeats does not replace what caches know (§10.2).
      if record.cacheFlush || !zone[slot].isUnique { forgetAnswer(slot) }
    } else if record.timeToLive < timeToLive / 2 {
      // RFC 6762 §6.6: send ours, because caches would drop the other record too soon.
      scheduleAnswer(slot, at: step.moment(in: 20...120), &step)
    }
  }

  private func isConflict(_ record: DNSRecord, with slot: Int, fromThisHost isOurs: Bool, at now: Instant) -> Bool {
    let claim = claims[slot]
    switch claim.phase {
    case .probing(sent: 0) where claim.lostTieBreaks == 0:
      // RFC 6762 §8.1: before the first probe, it may be an old datagram of ours. After a lost tie-break, it is the winner's.
      return false
    case .probing, .waiting, .announcing, .established, .guest:
      break
    }
    if claim.owner == .host || isHost(record.name) {
      // Other processes on this host use the same host name, and all addresses of this host belong to it.
      if isOurs { return false }
      if case .address(let address) = record.data, addresses.ofHost.contains(address) { return false }
    }
    let isSame = claimants(of: record.name).contains { slot in
      claims[slot].records.contains { $0.data == record.data && $0.name == record.name }
    }
    if isSame { return false }
    return !recentlyWithdrawn.contains(RecordKey(name: record.name, data: record.data), at: now)
  }

  /// Counts a conflict. Fifteen in ten seconds slow down each further probing (RFC 6762 §8.1), until a minute has passed without
  /// a conflict. The RFC names no end; the conflicts of slow probing are too rare to be counted again.
  private mutating func noteConflict(at now: Instant) {
    counters.conflicts += 1
    if conflicts.count == Self.conflictLimit { conflicts.removeFirst() }
    conflicts.append(now)
    let isCrowded = conflicts.count == Self.conflictLimit && now - conflicts[0] <= 10_000
    if isCrowded || now < slowUntil { slowUntil = now + 60_000 }
  }

  /// Gives up a claim, because another host has the name.
  private mutating func lose(_ slot: Int, _ name: DNSName, _ step: inout Step) {
    let owner = claims[slot].owner
    release(owner, goodbye: false, &step)
    step.reports.append((link, .lost(owner, name)))
  }

  /// Compares the records in another host's probes with those in our own probes (RFC 6762 §8.2).
  mutating func breakTies(_ message: DNSMessage, fromThisHost isOurs: Bool, _ step: inout Step) {
    guard !probed.isEmpty, !message.authorities.isEmpty else { return }
    let asked = Set(message.questions.map(\.name))
    var theirs: [DNSName: [DNSData]] = [:]
    for record in message.authorities where probed[record.name] != nil && asked.contains(record.name) {
      theirs[record.name, default: []].append(record.data)
    }
    for question in message.questions {
      // What is published of the name answers, and so wins.
      guard let data = theirs.removeValue(forKey: question.name), zone.names[question.name]?.claims == nil,
        !(isOurs && isHost(question.name))
      else { continue }
      let slots = probing(for: question.name)
      guard !slots.isEmpty, Self.tieBreak(records(of: slots, for: question.name).map(\.data), precedes: data) else { continue }
      for slot in slots {
        claims[slot].lostTieBreaks += 1
        if claims[slot].lostTieBreaks < Claim.lostTieBreaksLimit {
          deferProbing(slot, &step)
        } else {
          noteConflict(at: step.now)
          lose(slot, question.name, &step)
        }
      }
    }
  }

  /// The claims that have sent a probe for a name.
  private func probing(for name: DNSName) -> [Int] {
    (probed[name]?.all ?? []).filter { if case .probing(sent: 1...) = claims[$0].phase { true } else { false } }
  }

  /// What is proposed in probes for a name (RFC 6762 §8.2): the records of all claims that probe for it.
  func proposal(for name: DNSName) -> [ClaimedRecord] {
    let slots = (probed[name]?.all ?? []).filter { slot in
      if case .probing = claims[slot].phase { !claims[slot].owner.isReversePointer } else { false }
    }
    return records(of: slots, for: name)
  }

  /// The unique records of a name that claims have, each once.
  private func records(of slots: [Int], for name: DNSName) -> [ClaimedRecord] {
    var seen: Set<DNSData> = []
    return slots.flatMap { claims[$0].records }.filter { $0.isUnique && $0.name == name && seen.insert($0.data).inserted }
  }

  /// Compares sorted records one by one. The host with the lexicographically later record, or with more records, wins
  /// (RFC 6762 §8.2.1).
  static func tieBreak(_ ours: [DNSData], precedes theirs: [DNSData]) -> Bool {
    func sorted(_ data: [DNSData]) -> [(type: UInt16, bytes: [UInt8])] {
      data.map { ($0.type.rawValue, $0.uncompressed) }.sorted { one, other in
        one.0 == other.0 ? one.1.lexicographicallyPrecedes(other.1) : one.0 < other.0
      }
    }
    return sorted(ours).lexicographicallyPrecedes(sorted(theirs)) { one, other in
      one.type == other.type ? one.bytes.lexicographicallyPrecedes(other.bytes) : one.type < other.type
    }
  }
}
