import _BonjourishDiscovery

extension Responder {
  /// Whether a name is ours alone, or is being probed for.
  func hasClaim(on name: DNSName) -> Bool { probed[name] != nil || zone.names[name]?.claim != nil }

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
    if let slot = probed[record.name] {
      if !isConflict(record, with: slot, fromThisHost: isOurs, at: step.now) { return }
      // The holder of the name probes again, and so do we, but not against it.
      if claims[slot].isGuest { return expectHolder(slot, by: step.now + Self.timeout) }
      noteConflict(at: step.now)
      lose(slot, record.name, &step)
    } else if let slot = zone.names[record.name]?.claim, !zone.slots(of: record.name, record.type).isEmpty {
      if !isConflict(record, with: slot, fromThisHost: isOurs, at: step.now) { return }
      if isOurs, claims[slot].owner.isReversePointer { return lose(slot, record.name, &step) }
      noteConflict(at: step.now)
      probeAgain(slot, &step)
    }
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
    if claim.owner == .host {
      // Other processes on this host use the same host name, and all addresses of this host belong to it.
      if isOurs { return false }
      if case .address(let address) = record.data, addresses.ofHost.contains(address) { return false }
    }
    if claim.records.contains(where: { $0.data == record.data && $0.name == record.name }) { return false }
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
      guard let data = theirs.removeValue(forKey: question.name), let slot = probed[question.name],
        case .probing(let sent) = claims[slot].phase, sent > 0, !(isOurs && claims[slot].owner == .host)
      else { continue }
      let ours = claims[slot].records.filter { $0.isUnique && $0.name == question.name }.map(\.data)
      guard Self.tieBreak(ours, precedes: data) else { continue }
      claims[slot].lostTieBreaks += 1
      if claims[slot].lostTieBreaks < Claim.lostTieBreaksLimit {
        deferProbing(slot, &step)
      } else {
        noteConflict(at: step.now)
        lose(slot, question.name, &step)
      }
    }
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
