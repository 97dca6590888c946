extension LinkState {
  /// Compares a record that another host sent with our own (RFC 6762 §6.6, §7.4, §8.1, §9).
  ///
  /// - Parameter isOurs: Whether the datagram came from an address of this host: another process, or a bridged interface.
  mutating func compare(_ record: DNSRecord, fromThisHost isOurs: Bool, _ turn: inout Turn) {
    // Most names are nothing to us.
    guard zone.has(record.name) || (!probed.isEmpty && probed[record.name] != nil) else { return }
    if let slot = zone.find(record.name, record.data) { return meetTwin(of: slot, record, &turn) }
    // One that goes is in nobody's way; a denial of other types is none of the records.
    guard record.timeToLive > 0, record.type != .nsec else { return }
    if let slot = probed[record.name] {
      if !isConflict(record, with: slot, fromThisHost: isOurs, at: turn.now) { return }
      noteConflict(at: turn.now)
      lose(slot, record.name, &turn)
    } else if let slot = zone.names[record.name]?.claim, !zone.slots(of: record.name, record.type).isEmpty {
      if !isConflict(record, with: slot, fromThisHost: isOurs, at: turn.now) { return }
      noteConflict(at: turn.now)
      probeAgain(slot, &turn)
    }
  }

  /// Another host has a record of ours, the same in all.
  private mutating func meetTwin(of slot: Int, _ record: DNSRecord, _ turn: inout Turn) {
    let timeToLive = zone[slot].type.timeToLive
    if record.timeToLive >= timeToLive {
      // RFC 6762 §7.4: what it said we need not say.
      forgetAnswer(slot)
    } else if record.timeToLive < timeToLive / 2 {
      // RFC 6762 §6.6: caches would lose it too soon.
      scheduleAnswer(slot, at: turn.moment(in: 20...120), &turn)
    }
  }

  private func isConflict(_ record: DNSRecord, with slot: Int, fromThisHost isOurs: Bool, at now: Instant) -> Bool {
    let claim = claims[slot]
    switch claim.phase {
    case .probing(sent: 0):
      // RFC 6762 §8.1: before the first probe it may be an echo of what was.
      return false
    case .probing, .waiting, .announcing, .established:
      break
    }
    if claim.owner == .host {
      // This host's other processes have its name by right, and its other addresses are no strangers.
      if isOurs { return false }
      if case .address(let address) = record.data, ownAddresses.contains(address) { return false }
    }
    if claim.records.contains(where: { $0.data == record.data && $0.name == record.name }) { return false }
    return !former.contains(RecordKey(name: record.name, data: record.data), at: now)
  }

  /// RFC 6762 §8.1: fifteen conflicts in ten seconds slow probing down.
  private mutating func noteConflict(at now: Instant) {
    if conflicts.count == Self.conflictsAtOnce { conflicts.removeFirst() }
    conflicts.append(now)
  }

  /// Gives a name up to its owner.
  private mutating func lose(_ slot: Int, _ name: DNSName, _ turn: inout Turn) {
    let owner = claims[slot].owner
    release(owner, goodbye: false, &turn)
    turn.reports.append((link, .lost(owner, name)))
  }

  /// Compares what another host proposes in its probes with what ours do (RFC 6762 §8.2).
  mutating func breakTies(_ message: DNSMessage, fromThisHost isOurs: Bool, _ turn: inout Turn) {
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
      if Self.tieBreak(ours, precedes: data) { self.defer(slot, &turn) }
    }
  }

  /// RFC 6762 §8.2.1: the records in order are compared one by one; who has the later one, or more, wins.
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
