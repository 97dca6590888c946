import _BonjourishBase
import _BonjourishDiscovery

extension Responder {
  /// Starts to publish an owner's records: probes for unique names, then announces (RFC 6762 §8).
  mutating func claim(_ records: [ClaimedRecord], for owner: RecordOwner, needsHost: Bool) {
    let slot = claims.insert(Claim(owner: owner, phase: .waiting, records: records, needsHost: needsHost))
    claimSlots[owner] = slot
    beginProbing(slot)
  }

  /// Replaces an owner's records. Changed records are announced, after a while if they change often (RFC 6762 §8.4). If there is a
  /// new unique name, all records are probed for again.
  ///
  /// - Returns: Whether `established` will be reported again. It is not if the records stay published.
  mutating func update(_ records: [ClaimedRecord], for owner: RecordOwner, needsHost: Bool, _ step: inout Step) -> Bool {
    guard let slot = claimSlots[owner] else {
      claim(records, for: owner, needsHost: needsHost)
      return true
    }
    let formerNames = claims[slot].uniqueNames
    let newNames = Claim(owner: owner, phase: .waiting, records: records, needsHost: needsHost).uniqueNames
    if claims[slot].isGuest, !newNames.isEmpty {
      replaceRecords(ofGuest: slot, with: records)
      return false
    }
    guard claims[slot].isPublished, Set(newNames).isSubset(of: formerNames) else {
      let wasPublished = claims[slot].isPublished
      release(owner, goodbye: wasPublished, &step)
      claim(records, for: owner, needsHost: needsHost)
      return true
    }
    claims[slot].needsHost = needsHost
    claims[slot].waitingUpdate = nil
    updateTimers.remove(slot)
    guard records != claims[slot].records else { return false }
    let due = claims[slot].updates.next(from: step.now)
    // Names that are given up may be taken by others at once.
    if due > step.now, newNames.count == formerNames.count {
      claims[slot].waitingUpdate = records
      updateTimers.set(slot, to: due)
    } else {
      replaceRecords(of: slot, with: records, &step)
    }
    return false
  }

  /// Carries out the updates that had to wait.
  mutating func applyWaitingUpdates(_ step: inout Step) {
    while let slot = updateTimers.popFirst(through: step.now) {
      if let records = claims[slot].waitingUpdate.take() { replaceRecords(of: slot, with: records, &step) }
    }
  }

  /// Replaces the published records of a claim, and announces those that changed.
  private mutating func replaceRecords(of slot: Int, with records: [ClaimedRecord], _ step: inout Step) {
    claims[slot].updates.note(at: step.now)
    let former = Dictionary(
      zip(claims[slot].records.map(\.key), claims[slot].slots), uniquingKeysWith: { first, _ in first })
    let kept = Set(records.map(\.key))
    let unannounced = Set(claims[slot].news.map { RecordKey(name: zone[$0].name, data: zone[$0].data) })
    // The unique sets that gained or lost records. RFC 6762 §8.4, §10.2: the new set, announced as a whole with the cache-flush
    // bit, replaces the old one. So only a set of which nothing is left needs goodbyes.
    var changedSets = Set(records.filter { $0.isUnique && former[$0.key] == nil }.map(\.setKey))
    let newSets = Set(records.filter(\.isUnique).map(\.setKey))
    for (record, zoneSlot) in zip(claims[slot].records, claims[slot].slots) where !kept.contains(record.key) {
      let isReplaced = record.isUnique && newSets.contains(record.setKey)
      if isReplaced { changedSets.insert(record.setKey) }
      withdraw(zoneSlot, goodbye: !isReplaced, &step)
    }
    let givenUp = Set(claims[slot].uniqueNames)
    claims[slot].records = records
    leave(givenUp.subtracting(claims[slot].uniqueNames), slot)
    if claims[slot].owner == .host { updateReversePointers(of: records, &step) }
    claims[slot].slots = records.map { record in former[record.key] ?? publish(record, claim: slot) }
    for (record, zoneSlot) in zip(records, claims[slot].slots) where zone[zoneSlot].holders == 1 {
      zone[zoneSlot].chosenTimeToLive = record.timeToLive
    }
    let changed = records.filter { $0.isUnique ? changedSets.contains($0.setKey) : former[$0.key] == nil }
    // Removed records are no longer announced. The announcements of the others continue.
    let news = Set(changed.filter(\.isAnnounced).map(\.key)).union(unannounced)
    claims[slot].news = zip(records, claims[slot].slots).filter { news.contains($0.0.key) }.map(\.1)
    guard !changed.isEmpty else { return }
    claims[slot].phase = .announcing(sent: 0)
    claimTimers.set(slot, to: step.now)
    if claims[slot].owner == .host { step.reports.append((link, .renewedHost)) }
  }

  /// Announces the host's addresses again, and withdraws those of an interface that is gone.
  mutating func repeatHost(withdrawing departed: Set<IPAddress>, at now: Instant) {
    guard let slot = claimSlots[.host], claims[slot].isPublished else { return }
    claims[slot].news = claims[slot].slots
    claims[slot].phase = .announcing(sent: 0)
    claimTimers.set(slot, to: now)
    guard !departed.isEmpty else { return }
    self.departed.formUnion(departed)
    goodbyesAt = min(goodbyesAt, now + Self.goodbyeDelay)
  }

  /// Replaces an owner's records and probes for them, because this host gets another name. They are published again once the
  /// host has it. Others keep what they know until then: there are no goodbyes.
  ///
  /// A claim that waits after a lost tie-break keeps waiting.
  mutating func renew(_ records: [ClaimedRecord], for owner: RecordOwner, _ step: inout Step) {
    guard let slot = claimSlots[owner] else { return }
    claims[slot].records = records
    claims[slot].waitingUpdate = nil
    if claims[slot].phase != .probing(sent: 0) { probeAgain(slot, &step) }
  }

  /// Ends an owner's claim.
  ///
  /// - Parameter goodbye: Whether to send goodbyes for published records (RFC 6762 §10.1).
  mutating func release(_ owner: RecordOwner, goodbye: Bool, _ step: inout Step) {
    guard let slot = claimSlots.removeValue(forKey: owner) else { return }
    endProbing(slot)
    for zoneSlot in claims[slot].slots { withdraw(zoneSlot, goodbye: goodbye, &step) }
    leave(claims[slot].uniqueNames, slot)
    claims.remove(slot)
    claimTimers.remove(slot)
    updateTimers.remove(slot)
    guard owner == .host else { return }
    releaseReversePointers(goodbye: goodbye, &step)
    updateHostDenial()
  }

  /// Schedules the first probes of all new claims together, after a short random time (RFC 6762 §8.1). After many conflicts
  /// they wait five seconds more.
  ///
  /// Call it after every method that may start to probe.
  mutating func scheduleProbes(_ step: inout Step) {
    guard !unscheduled.isEmpty else { return }
    if probingAt < step.now { probingAt = step.moment(in: 0...250) }
    let start = step.now < slowUntil ? probingAt + 5000 : probingAt
    for slot in unscheduled { claimTimers.set(slot, to: start) }
    unscheduled = []
  }

  /// Sends the probes and announcements that are due.
  mutating func advanceClaims(_ step: inout Step) {
    guard claimTimers.next <= step.now else { return }
    var due: [Int] = []
    while let slot = claimTimers.popFirst(through: step.now) { due.append(slot) }
    // The host's claim comes first, because services wait for it.
    if let host = claimSlots[.host], let index = due.firstIndex(of: host) { due.swapAt(0, index) }
    var probes = MessagePacker(isResponse: false, limit: packetLimit)
    var announcements = MessagePacker(isResponse: true, limit: packetLimit)
    var asked: Set<DNSName> = []
    for slot in due {
      switch claims[slot].phase {
      case .probing(let sent) where sent < Claim.probes:
        probe(slot, &probes, &asked)
        claims[slot].phase = .probing(sent: sent + 1)
        claimTimers.set(slot, to: step.now + Claim.probeInterval)
      case .probing, .waiting:
        publishClaim(slot, &announcements, &step)
      case .announcing, .established:
        announce(slot, &announcements, &step)
      case .guest(let isAsked):
        seekHolder(slot, isAsked: isAsked, &probes, at: step.now)
      }
    }
    let (asking, telling) = (probes.finished(), announcements.finished())
    counters.probesSent += asking.count
    counters.announcementsSent += telling.count
    step.send(asking + telling, on: link)
  }

  /// Adds the next probe (RFC 6762 §8.1, §8.2). It does not ask for a unicast answer, because port 5353 may be shared (§15.1).
  ///
  /// - Parameter asked: The names of several claims that are asked for, with the records of all.
  private func probe(_ slot: Int, _ packer: inout MessagePacker, _ asked: inout Set<DNSName>) {
    // No tie-break for reverse pointers: avahi-daemon, starting just now under another name, would lose it and rename the host.
    let isReversePointer = claims[slot].owner.isReversePointer
    let proposed = isReversePointer ? [:] : Dictionary(grouping: claims[slot].records.filter(\.isUnique), by: \.name)
    for name in claims[slot].probedNames {
      var records = proposed[name, default: []]
      if probed[name]?.isShared == true {
        guard asked.insert(name).inserted else { continue }
        records = proposal(for: name)
      }
      packer.add(
        DNSQuestion(name, .any),
        proposing: records.map {
          DNSRecord($0.name, $0.data, timeToLive: $0.timeToLive ?? $0.data.type.timeToLive)
        })
    }
  }

  /// Whether services of this host can be published.
  private var isHostPublished: Bool { claimSlots[.host].map { claims[$0].isPublished || claims[$0].isGuest } ?? false }

  /// Adds the records of a claim to the zone and announces them, or lets the claim wait for the host's name.
  private mutating func publishClaim(_ slot: Int, _ packer: inout MessagePacker, _ step: inout Step) {
    guard !claims[slot].needsHost || isHostPublished, isAddressPublished(ofPointer: slot) else {
      claims[slot].phase = .waiting
      return
    }
    endProbing(slot)
    claims[slot].slots = claims[slot].records.map { publish($0, claim: slot) }
    claims[slot].news = zip(claims[slot].records, claims[slot].slots).filter(\.0.isAnnounced).map(\.1)
    claims[slot].phase = .announcing(sent: 0)
    if claims[slot].owner == .host { updateHostDenial() }
    announce(slot, &packer, &step)
    step.reports.append((link, .established(claims[slot].owner)))
    guard claims[slot].owner == .host else { return }
    for waiting in claims.indices where claims[waiting].phase == .waiting { publishClaim(waiting, &packer, &step) }
  }

  /// Adds the next announcement (RFC 6762 §8.3).
  private mutating func announce(_ slot: Int, _ packer: inout MessagePacker, _ step: inout Step) {
    guard case .announcing(let sent) = claims[slot].phase else { return }
    let answers = wholeSets(of: claims[slot].news).filter { zone[$0].mayBeSent(from: step.now) <= step.now }
    markSent(answers, &step)
    let host = claims[slot].needsHost ? claimSlots[.host].map { claims[$0].slots } ?? [] : []
    let additionals = host.filter { zone[$0].mayBeSent(from: step.now) <= step.now }
    markSent(additionals, &step)
    if let first = answers.first {
      var ofHolder = claims[slot].needsHost ? holderAddressesToMulticast(at: step.now) : []
      var records = additionals.map { zone[$0].record }
      records += takeToMulticast(&ofHolder, beside: first, answers, at: step.now)
      packer.add(answers: answers.map { zone[$0].record }, additionals: records)
    }
    if sent + 1 < Claim.announcements {
      claims[slot].phase = .announcing(sent: sent + 1)
      claimTimers.set(slot, to: step.now + (1000 << Int64(sent)))
    } else {
      claims[slot].phase = .established
      claims[slot].news = []
    }
  }

  /// Withdraws published records without a goodbye, and probes for them again (RFC 6762 §9).
  mutating func probeAgain(_ slot: Int, _ step: inout Step) {
    unpublish(slot, &step)
    beginProbing(slot)
  }

  /// Withdraws published records without a goodbye. An update that waits is made.
  mutating func unpublish(_ slot: Int, _ step: inout Step) {
    for zoneSlot in claims[slot].slots { withdraw(zoneSlot, goodbye: false, &step) }
    leave(claims[slot].uniqueNames, slot)
    claims[slot].slots = []
    claims[slot].news = []
    if claims[slot].owner == .host { releaseReversePointers(goodbye: false, &step) }
    if let records = claims[slot].waitingUpdate.take() { claims[slot].records = records }
    updateTimers.remove(slot)
  }

  /// Starts probing again after a second, because another host that probes for the same name goes first (RFC 6762 §8.2).
  mutating func deferProbing(_ slot: Int, _ step: inout Step) {
    claims[slot].phase = .probing(sent: 0)
    claimTimers.set(slot, to: step.now + 1000)
  }
}
