import _BonjourishBase
import _BonjourishDiscovery

extension Querier {
  /// Handles a record from another host's response.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - slot: Where it is in the cache; nil if it is not known.
  ///   - source: The sender.
  ///   - isAdmitted: Whether there is room for what is new from the sender; see ``admits(_:at:)``.
  mutating func learn(
    _ record: DNSRecord, knownAt slot: Int?, from source: IPAddress, isAdmitted: Bool, _ step: inout Step
  ) {
    let isUnique = record.isOfSingleOwner
    if record.timeToLive == 0, case .address = record.data {
      step.reports.append((link, .withdrawn(record.name, record.data)))
    }
    if let slot {
      guard cache[slot].standing != .own else { return }
      if record.timeToLive == 0 {
        expireSoon(slot, &step)
      } else {
        refresh(slot, record, isUnique: isUnique, from: source, &step)
      }
      if isUnique { flushOlder(inSetOf: slot, &step) }
    } else if record.timeToLive > 0 {
      guard isAdmitted else { return counters.recordsEvicted += 1 }
      let slot = insert(record, isUnique: isUnique, from: source, &step)
      if isUnique { flushOlder(inSetOf: slot, &step) }
    } else if isUnique, let sibling = cache.latest(of: HashedKey(name: record.name, type: record.type)) {
      flushOlder(inSetOf: sibling, &step)
    }
    while cache.isOverfull, evict(&step) {}
  }

  private mutating func insert(_ record: DNSRecord, isUnique: Bool, from source: IPAddress, _ step: inout Step) -> Int {
    let key = HashedKey(name: record.name, type: record.type)
    let answered = questions.answered(by: key)
    let slot = cache.insert(
      CachedRecord(record, standing: .live, isUnique: isUnique, isWanted: !answered.isEmpty, at: step.now), as: key,
      from: source)
    scheduleRefresh(slot, &step)
    for question in answered { questions[question].heardNews(at: step.now) }
    tell(slot, to: answered, { .added($0, $1) }, &step)
    if record.type == .cname { followAlias(of: record.name, &step) }
    noteWholeAnswer(slot, &step)
    return slot
  }

  private mutating func refresh(_ slot: Int, _ record: DNSRecord, isUnique: Bool, from source: IPAddress, _ step: inout Step) {
    let wasDoubted: Bool =
      switch cache[slot].phase {
      case .aging: false
      case .suspect, .leaving: true
      }
    let becameUnique = isUnique && !cache[slot].isUnique
    let former = cache.source(of: slot)
    cache[slot].renew(as: record, isUnique: isUnique, at: step.now)
    cache.renew(slot, as: .live, from: source)
    scheduleRefresh(slot, &step)
    if wasDoubted { tellConfirmed(slot, &step) }
    // Who resolves a service tells apart what two hosts with one name say. Other records may have many owners.
    if isUnique, record.type == .srv || record.type == .txt, former != nil, cache.source(of: slot) != former {
      tell(slot, { .added($0, $1) }, &step)
    }
    if wasDoubted, record.type == .cname { followAlias(of: record.name, &step) }
    if wasDoubted || becameUnique { noteWholeAnswer(slot, &step) }
  }

  /// Ends the series of queries after an answer from a single owner, or a denial (RFC 6762 §5.2, §6.1).
  private mutating func noteWholeAnswer(_ slot: Int, _ step: inout Step) {
    if case .nsec = cache[slot].data {
      for type in questions.types where cache[slot].data.denies(type) {
        if let question = questions.find(cache[slot].name, type) { questions.endSeries(question, on: link, &step) }
      }
    } else if cache[slot].isUnique {
      for question in questions.specific(to: cache.key(of: slot)) { questions.endSeries(question, on: link, &step) }
    }
  }

  /// Schedules the removal of a record after one second, so that another host that has the same record can announce it
  /// (RFC 6762 §10.1).
  private mutating func expireSoon(_ slot: Int, _ step: inout Step) {
    guard cache[slot].standing == .live else { return }
    cache[slot].phase = .leaving
    cache[slot].expiry = min(cache[slot].expiry, step.now + 1000)
    cache.setLeaving(slot)
    cache.deadlines.set(slot, to: cache[slot].expiry)
    tell(slot, { .leaving($0, $1) }, &step)
  }

  /// Asks for a record that its owner has withdrawn on another link of the interface, and removes it after one second without an
  /// answer: the owner may have lost its last address of this link's family, and can no longer say so here.
  mutating func doubt(_ name: DNSName, _ data: DNSData, _ step: inout Step) {
    guard let slot = cache.find(name, data), cache[slot].standing == .live else { return }
    if cache[slot].isWanted { questions.askAgain(cache.key(of: slot), &step) }
    expireSoon(slot, &step)
  }

  /// Schedules the removal of a set's records that are older than one second, because they are replaced (RFC 6762 §10.2).
  private mutating func flushOlder(inSetOf slot: Int, _ step: inout Step) {
    while let old = cache.longestUnconfirmed(inSetOf: slot), cache[old].received < step.now - 1000 { expireSoon(old, &step) }
  }

  /// Removes a record.
  mutating func drop(_ slot: Int, _ step: inout Step) {
    let answered = cache[slot].isWanted ? questions.answered(by: cache.key(of: slot)) : []
    tell(slot, to: answered, { .removed($0, $1) }, &step)
    if !latecomers.isEmpty { latecomers[slot] = nil }
    let record = cache.remove(slot)
    if record.data.type == .cname { followAlias(of: record.name, &step) }
    // A shared record ends no series, so its end changes none that goes on.
    for question in answered where record.isUnique || questions[question].seriesAt == .never {
      reconsiderSeries(question, &step)
    }
    guard record.data.type == .nsec else { return }
    for type in questions.types where record.data.denies(type) {
      if let question = questions.find(record.name, type) { reconsiderSeries(question, &step) }
    }
  }

  /// Asks for records in doubt three times, and removes them after ten seconds without an answer (RFC 6762 §10.4).
  mutating func reconfirm(_ key: HashedKey, _ data: DNSData?, _ step: inout Step) {
    for slot in cache.slots(of: key) where data == nil || cache[slot].data == data { reconfirm(slot, &step) }
  }

  private mutating func reconfirm(_ slot: Int, _ step: inout Step) {
    guard cache[slot].standing == .live, case .aging = cache[slot].phase else { return }
    cache[slot].phase = .suspect(asked: 1)
    cache[slot].expiry = min(cache[slot].expiry, step.now + 10_000)
    questions.askAgain(cache.key(of: slot), &step)
    scheduleRecord(slot, at: step.now)
    tell(slot, { .suspect($0, $1) }, &step)
  }

  /// Reports a change of a record to its subscribers: to those that know the record, or to its latecomers.
  func tell(
    _ slot: Int, toLatecomers: Bool = false, _ change: (DNSRecord, MulticastLink) -> MulticastEngine.AnswerChange,
    _ step: inout Step
  ) {
    guard cache[slot].isWanted else { return }
    let answered = questions.answered(by: cache.key(of: slot))
    tell(slot, to: answered, toLatecomers: toLatecomers, change, &step)
  }

  /// The same for the subscribers of questions that the record answers.
  private func tell(
    _ slot: Int, to answered: [Int], toLatecomers: Bool = false,
    _ change: (DNSRecord, MulticastLink) -> MulticastEngine.AnswerChange, _ step: inout Step
  ) {
    guard !answered.isEmpty else { return }
    let record = cache[slot].record
    let latecomers = latecomers.isEmpty ? [] : latecomers[slot, default: []]
    for question in answered {
      for query in questions.queries(for: question) where latecomers.contains(query) == toLatecomers {
        step.effects.append(.answer(query, change(record, link)))
      }
    }
  }

  /// Reports that a record in doubt exists.
  private mutating func tellConfirmed(_ slot: Int, _ step: inout Step) {
    tell(slot, { .confirmed($0, $1) }, &step)
    tell(slot, toLatecomers: true, { .added($0, $1) }, &step)
    latecomers[slot] = nil
  }

  /// Adds a record that this host publishes, so that it answers our own questions.
  mutating func addOwn(_ record: DNSRecord, _ step: inout Step) {
    let slot: Int
    if let known = cache.find(record.name, record.data) {
      slot = known
      guard cache[slot].standing != .own else { return }
      switch cache[slot].phase {
      case .aging: break
      case .suspect, .leaving: tellConfirmed(slot, &step)
      }
      cache[slot].phase = .aging(asked: 0)
      cache[slot].isUnique = record.cacheFlush
      cache[slot].timeToLive = record.timeToLive
      cache.deadlines.remove(slot)
      cache.renew(slot, as: .own, from: nil)
    } else {
      let key = HashedKey(name: record.name, type: record.type)
      let isWanted = questions.areAnswered(by: key)
      slot = cache.insert(
        CachedRecord(record, standing: .own, isUnique: record.cacheFlush, isWanted: isWanted, at: step.now), as: key, from: nil)
      tell(slot, { .added($0, $1) }, &step)
    }
    // RFC 6762 §10.2: as other hosts do when they hear our announcement.
    if record.cacheFlush { flushOlder(inSetOf: slot, &step) }
    if record.type == .cname { followAlias(of: record.name, &step) }
    noteWholeAnswer(slot, &step)
  }

  /// Removes a record that this host published. The cache keeps only one copy of what several hosts have. Such a record goes only if no
  /// other host says in time that it has it: within the second after a goodbye (RFC 6762 §10.1), else when it is asked (§10.4).
  ///
  /// - Parameter isDisputed: Whether another host may have the same record, and is not told by a goodbye.
  mutating func removeOwn(_ name: DNSName, _ data: DNSData, isDisputed: Bool, _ step: inout Step) {
    guard let slot = cache.find(name, data), cache[slot].standing == .own else { return }
    if cache[slot].isWanted, cache[slot].mayHaveOtherOwners {
      cache.renew(slot, as: .live, from: nil)
      (cache[slot].received, cache[slot].expiry) = (step.now, .never)
      return isDisputed ? reconfirm(slot, &step) : expireSoon(slot, &step)
    }
    drop(slot, &step)
    guard isDisputed else { return }
    for question in questions.answered(by: HashedKey(name: name, type: data.type)) { questions.startSeries(question, &step) }
  }

  /// Removes all records, because the link is down.
  mutating func forgetAll(_ step: inout Step) {
    for slot in cache.slotsInUse { drop(slot, &step) }
  }
}

extension DNSRecord {
  /// Whether the record belongs to a set with a single owner: it has the cache-flush bit, and is not a PTR record of DNS-SD.
  ///
  /// Those are shared, and must not have the bit (RFC 6762 §10.2), but some devices set it. Of PTR records only those of reverse
  /// mapping, below `arpa`, have a single owner.
  fileprivate var isOfSingleOwner: Bool { cacheFlush && (type != .ptr || name.isForReverseMapping) }
}

extension DNSData {
  /// Whether it is an NSEC record that denies records of a type. The restricted form denies all types above 255 (RFC 6762 §6.1).
  func denies(_ type: DNSType) -> Bool {
    guard case .nsec(_, let types) = self else { return false }
    return type != .any && !types.contains(type)
  }
}
