extension LinkState {
  /// Begins to make an owner's records known: probes for unique names, then announces (RFC 6762 §8).
  mutating func claim(_ records: [ClaimedRecord], for owner: RecordOwner, needsHost: Bool, _ turn: inout Turn) {
    let slot = claims.insert(Claim(owner: owner, phase: .waiting, records: records, needsHost: needsHost))
    claimPlaces[owner] = slot
    beginProbing(slot, &turn)
  }

  /// Gives an owner other records. What is told is announced anew where it changed (RFC 6762 §8.4); a new unique name makes
  /// all be probed for.
  ///
  /// - Returns: Whether the owner is told when they are established, which it is unless they go on being told.
  mutating func update(_ records: [ClaimedRecord], for owner: RecordOwner, needsHost: Bool, _ turn: inout Turn) -> Bool {
    guard let slot = claimPlaces[owner] else {
      claim(records, for: owner, needsHost: needsHost, &turn)
      return true
    }
    let formerNames = claims[slot].uniqueNames
    let newNames = Claim(owner: owner, phase: .waiting, records: records, needsHost: needsHost).uniqueNames
    guard claims[slot].isTold, Set(newNames).isSubset(of: formerNames) else {
      let wasTold = claims[slot].isTold
      release(owner, goodbye: wasTold, &turn)
      claim(records, for: owner, needsHost: needsHost, &turn)
      return true
    }
    let former = Dictionary(
      zip(claims[slot].records.map(\.key), claims[slot].slots), uniquingKeysWith: { first, _ in first })
    let kept = Set(records.map(\.key))
    let unannounced = Set(claims[slot].news.map { RecordKey(name: zone[$0].name, data: zone[$0].data) })
    for (record, zoneSlot) in zip(claims[slot].records, claims[slot].slots) where !kept.contains(record.key) {
      // RFC 6762 §8.4: the cache-flush bit of the new data does for the old, unless there are no new.
      let isReplaced = record.isUnique && records.contains { $0.name == record.name && $0.data.type == record.data.type }
      takeBack(zoneSlot, goodbye: !isReplaced, &turn)
    }
    claims[slot].records = records
    claims[slot].needsHost = needsHost
    claims[slot].slots = records.map { record in former[record.key] ?? put(record, claim: slot, &turn) }
    let changed = zip(records, claims[slot].slots).filter { former[$0.0.key] == nil }
    // What is no more is not announced any more; what is still being announced goes on.
    claims[slot].news = zip(records, claims[slot].slots).filter { record, _ in
      // RFC 6762 §10.2: with one record of a unique set goes the whole set.
      unannounced.contains(record.key)
        || changed.contains {
          $0.0.name == record.name && $0.0.data.type == record.data.type && (record.isUnique || $0.0 == record)
        }
    }.map(\.1)
    guard !changed.isEmpty else { return false }
    claims[slot].phase = .announcing(sent: 0)
    claimTimers.set(slot, to: turn.now)
    return false
  }

  /// Ends an owner's claim.
  ///
  /// - Parameter goodbye: Whether the network is told, if it had been told of the records (RFC 6762 §10.1).
  mutating func release(_ owner: RecordOwner, goodbye: Bool, _ turn: inout Turn) {
    guard let slot = claimPlaces.removeValue(forKey: owner) else { return }
    for name in claims[slot].uniqueNames where probed[name] == slot { probed[name] = nil }
    for zoneSlot in claims[slot].slots { takeBack(zoneSlot, goodbye: goodbye, &turn) }
    claims.remove(slot)
    claimTimers.remove(slot)
  }

  /// RFC 6762 §8.1: probes begin after a short random time, those that are due in it together. After fifteen conflicts in ten
  /// seconds they wait five seconds.
  private mutating func beginProbing(_ slot: Int, _ turn: inout Turn) {
    for name in claims[slot].uniqueNames { probed[name] = slot }
    claims[slot].phase = .probing(sent: claims[slot].uniqueNames.isEmpty ? Claim.probes : 0)
    if probingAt < turn.now { probingAt = turn.moment(in: 0...250) }
    let isCrowded = conflicts.count == Self.conflictsAtOnce && turn.now - conflicts[0] <= 10_000
    claimTimers.set(slot, to: isCrowded ? probingAt + 5000 : probingAt)
  }

  /// Sends the probes and announcements that are due.
  mutating func advanceClaims(_ turn: inout Turn) {
    guard claimTimers.next <= turn.now else { return }
    var due: [Int] = []
    while let slot = claimTimers.popDue(at: turn.now) { due.append(slot) }
    // The host first: services wait for it.
    if let host = claimPlaces[.host], let index = due.firstIndex(of: host) { due.swapAt(0, index) }
    var probes = MessagePacker(isResponse: false)
    var announcements = MessagePacker(isResponse: true)
    for slot in due {
      switch claims[slot].phase {
      case .probing(let sent) where sent < Claim.probes:
        probe(slot, &probes)
        claims[slot].phase = .probing(sent: sent + 1)
        claimTimers.set(slot, to: turn.now + 250)
      case .probing, .waiting:
        tellFirst(slot, &announcements, &turn)
      case .announcing, .established:
        announce(slot, &announcements, &turn)
      }
    }
    for packet in probes.finished() + announcements.finished() { send(packet, to: .multicast, &turn) }
  }

  /// RFC 6762 §8.1, §8.2. The question does not ask for a unicast answer: port 5353 may be shared (§15.1).
  private func probe(_ slot: Int, _ packer: inout MessagePacker) {
    let proposed = Dictionary(grouping: claims[slot].records.filter(\.isUnique), by: \.name)
    for name in claims[slot].uniqueNames {
      packer.add(
        DNSQuestion(name, .any),
        proposing: proposed[name, default: []].map { DNSRecord($0.name, $0.data, timeToLive: $0.data.type.timeToLive) })
    }
  }

  /// Whether services of this host can be told of.
  private var isHostTold: Bool { claimPlaces[.host].map { claims[$0].isTold } ?? false }

  /// Puts the records of a claim into the zone and announces them, once the host has its name.
  private mutating func tellFirst(_ slot: Int, _ packer: inout MessagePacker, _ turn: inout Turn) {
    guard !claims[slot].needsHost || isHostTold else {
      claims[slot].phase = .waiting
      return
    }
    for name in claims[slot].uniqueNames { probed[name] = nil }
    claims[slot].slots = claims[slot].records.map { put($0, claim: slot, &turn) }
    claims[slot].news = claims[slot].slots
    claims[slot].phase = .announcing(sent: 0)
    announce(slot, &packer, &turn)
    turn.reports.append((link, .established(claims[slot].owner)))
    guard claims[slot].owner == .host else { return }
    for waiting in claims.indices where claims[waiting].phase == .waiting { tellFirst(waiting, &packer, &turn) }
  }

  /// RFC 6762 §8.3.
  private mutating func announce(_ slot: Int, _ packer: inout MessagePacker, _ turn: inout Turn) {
    guard case .announcing(let sent) = claims[slot].phase else { return }
    let answers = claims[slot].news.filter { zone[$0].mayBeSent(from: turn.now) <= turn.now }
    markSent(answers, &turn)
    let host = claims[slot].needsHost ? claimPlaces[.host].map { claims[$0].slots } ?? [] : []
    let additionals = host.filter { zone[$0].mayBeSent(from: turn.now) <= turn.now }
    markSent(additionals, &turn)
    if !answers.isEmpty {
      packer.add(answers: answers.map { zone[$0].record }, additionals: additionals.map { zone[$0].record })
    }
    if sent + 1 < Claim.announcements {
      claims[slot].phase = .announcing(sent: sent + 1)
      claimTimers.set(slot, to: turn.now + (1000 << Int64(sent)))
    } else {
      claims[slot].phase = .established
      claims[slot].news = []
    }
  }

  /// Tells a record from now on.
  private mutating func put(_ record: ClaimedRecord, claim: Int, _ turn: inout Turn) -> Int {
    let slot = zone.add(record.name, record.data, claim: record.isUnique ? claim : nil)
    showOwn(zone[slot].record, &turn)
    return slot
  }

  /// Tells a record no more.
  private mutating func takeBack(_ slot: Int, goodbye: Bool, _ turn: inout Turn) {
    let record = zone[slot]
    let emptied = zone.remove(slot)
    guard !emptied.isEmpty else { return }
    for slot in emptied { forgetAnswer(slot) }
    if record.isUnique { former.note(RecordKey(name: record.name, data: record.data), at: turn.now) }
    hideOwn(record.name, record.data, isDisputed: !record.isUnique && !goodbye, &turn)
    guard goodbye else { return }
    goodbyes.append(DNSRecord(record.name, record.data, timeToLive: 0, cacheFlush: record.isUnique))
    goodbyesAt = min(goodbyesAt, turn.now + Self.goodbyePatience)
  }

  /// Sends the goodbyes that wait (RFC 6762 §10.1).
  mutating func sendGoodbyes(_ turn: inout Turn) {
    var packer = MessagePacker(isResponse: true)
    for record in goodbyes { packer.add(answers: [record]) }
    farewells.note(goodbyes, at: turn.now)
    goodbyes = []
    goodbyesAt = .never
    for packet in packer.finished() { send(packet, to: .multicast, &turn) }
  }

  /// Says goodbye again, but to what is told once more.
  mutating func repeatGoodbyes(_ turn: inout Turn) {
    var packer = MessagePacker(isResponse: true)
    for record in farewells.popDue(at: turn.now) where zone.find(record.name, record.data) == nil {
      packer.add(answers: [record])
    }
    for packet in packer.finished() { send(packet, to: .multicast, &turn) }
  }

  /// Probes again for what was told already (RFC 6762 §9).
  mutating func probeAgain(_ slot: Int, _ turn: inout Turn) {
    for zoneSlot in claims[slot].slots { takeBack(zoneSlot, goodbye: false, &turn) }
    claims[slot].slots = []
    claims[slot].news = []
    beginProbing(slot, &turn)
  }

  /// Probes anew in a second: another host that probes for the same name goes first (RFC 6762 §8.2).
  mutating func `defer`(_ slot: Int, _ turn: inout Turn) {
    claims[slot].phase = .probing(sent: 0)
    claimTimers.set(slot, to: turn.now + 1000)
  }
}
