extension LinkState {
  /// The longest that a record is kept, in seconds, whatever its owner says: a day.
  private static let longestTimeToLive: UInt32 = 86_400

  /// Takes in a record that another host sent in a response.
  mutating func learn(_ record: DNSRecord, from source: DNSAddress, _ turn: inout Turn) {
    if let slot = cache.find(record.name, record.data) {
      guard cache[slot].standing != .own else { return }
      if record.timeToLive == 0 { bidFarewell(slot, &turn) } else { refresh(slot, record, from: source, &turn) }
      if record.cacheFlush { flushOlder(inSetOf: slot, &turn) }
    } else if record.timeToLive > 0 {
      let slot = insert(record, from: source, &turn)
      if record.cacheFlush { flushOlder(inSetOf: slot, &turn) }
    } else if record.cacheFlush, let sibling = cache.latest(of: SetKey(name: record.name, type: record.type)) {
      flushOlder(inSetOf: sibling, &turn)
    }
    while let surplus = cache.surplus { drop(surplus, &turn) }
  }

  private mutating func insert(_ record: DNSRecord, from source: DNSAddress, _ turn: inout Turn) -> Int {
    var cached = CachedRecord(record, standing: .live, isWanted: isWanted(record.name, record.type), at: turn.now)
    limit(&cached, at: turn.now)
    let slot = cache.insert(cached, from: source)
    ageSeries(slot, &turn)
    tell(slot, { .added($0, $1) }, &turn)
    noticeWholeAnswer(record, &turn)
    return slot
  }

  private mutating func refresh(_ slot: Int, _ record: DNSRecord, from source: DNSAddress, _ turn: inout Turn) {
    let wasDoubted: Bool =
      switch cache[slot].phase {
      case .aging: false
      case .suspect, .leaving: true
      }
    let becameUnique = record.cacheFlush && !cache[slot].isUnique
    cache[slot].renew(as: record, at: turn.now)
    limit(&cache[slot], at: turn.now)
    cache.renew(slot, as: .live, from: source)
    ageSeries(slot, &turn)
    if wasDoubted { tell(slot, { .confirmed($0, $1) }, &turn) }
    if wasDoubted || becameUnique { noticeWholeAnswer(record, &turn) }
  }

  private func limit(_ record: inout CachedRecord, at now: Instant) {
    record.timeToLive = min(record.timeToLive, Self.longestTimeToLive)
    record.expiry = min(record.expiry, now + Int64(Self.longestTimeToLive) * 1000)
  }

  /// RFC 6762 §5.2, §6.1: an answer from a single owner ends the series of questions, and so does a denial.
  private mutating func noticeWholeAnswer(_ record: DNSRecord, _ turn: inout Turn) {
    switch record.data {
    case .nsec:
      for type in Self.deniableTypes where record.data.denies(type) {
        if let place = questionPlaces[SetKey(name: record.name, type: type)] { endSeries(place, &turn) }
      }
    case .address, .ptr, .srv, .txt, .cname, .hinfo, .other:
      guard record.cacheFlush else { return }
      if let place = questionPlaces[SetKey(name: record.name, type: record.type)] { endSeries(place, &turn) }
    }
  }

  private static let deniableTypes: [DNSType] = [.a, .cname, .ptr, .hinfo, .txt, .aaaa, .srv]

  /// RFC 6762 §10.1: the record goes in one second, so that another host that has it too can object.
  private mutating func bidFarewell(_ slot: Int, _ turn: inout Turn) {
    guard cache[slot].standing == .live else { return }
    cache[slot].phase = .leaving
    cache[slot].expiry = min(cache[slot].expiry, turn.now + 1000)
    cache.setLeaving(slot)
    cache.deadlines.set(slot, to: cache[slot].expiry)
    tell(slot, { .leaving($0, $1) }, &turn)
  }

  /// RFC 6762 §10.2: what was heard of the set more than a second ago is replaced, and goes in one second.
  private mutating func flushOlder(inSetOf slot: Int, _ turn: inout Turn) {
    while let old = cache.longestUnheard(inSetOf: slot), cache[old].received < turn.now - 1000 { bidFarewell(old, &turn) }
  }

  /// Acts on records whose time has come: asks for them again, or lets them go.
  mutating func ageRecords(_ turn: inout Turn) {
    while let slot = cache.deadlines.popDue(at: turn.now) {
      guard cache[slot].expiry > turn.now else {
        drop(slot, &turn)
        continue
      }
      switch cache[slot].phase {
      case .aging(let asked):
        cache[slot].phase = .aging(asked: asked + 1)
        if !wasAskedSince(refreshMark(slot, asked), about: slot) { askAgain(about: slot, &turn) }
        ageSeries(slot, &turn)
      case .suspect(let asked):
        cache[slot].phase = .suspect(asked: asked + 1)
        askAgain(about: slot, &turn)
        scheduleRecord(slot, at: turn.now)
      case .leaving:
        scheduleRecord(slot, at: turn.now)
      }
    }
  }

  private func wasAskedSince(_ moment: Instant, about slot: Int) -> Bool {
    questions(about: cache[slot].name, cache[slot].data.type)
      .contains { questions[$0].lastAsked.map { $0 >= moment } ?? false }
  }

  /// 80, 85, 90 and 95 % of a record's life (RFC 6762 §5.2).
  private func refreshMark(_ slot: Int, _ asked: Int) -> Instant {
    cache[slot].received + Int64(cache[slot].timeToLive) * Int64(800 + 50 * asked)
  }

  /// Sets when a record is asked for again, if anybody wants it, with up to 2 % of its life at random added.
  private mutating func ageSeries(_ slot: Int, _ turn: inout Turn) {
    guard cache[slot].isWanted, case .aging(let asked) = cache[slot].phase, asked < 4 else {
      return scheduleRecord(slot, at: turn.now)
    }
    let spread = Int64.random(in: 0...(Int64(cache[slot].timeToLive) * 20), using: &turn.random)
    cache.deadlines.set(slot, to: min(refreshMark(slot, asked) + spread, cache[slot].expiry))
  }

  /// Takes up the care for a record that somebody wants as of now: questions that were due already are not made up for.
  mutating func rejoinSeries(_ slot: Int, _ turn: inout Turn) {
    guard cache[slot].standing == .live, case .aging(var asked) = cache[slot].phase else { return }
    while asked < 4, refreshMark(slot, asked + 1) <= turn.now { asked += 1 }
    cache[slot].phase = .aging(asked: asked)
    ageSeries(slot, &turn)
  }

  /// Sets a deadline that hangs on nothing random.
  mutating func scheduleRecord(_ slot: Int, at now: Instant) {
    guard cache[slot].standing != .own else { return }
    let expiry = cache[slot].expiry
    switch cache[slot].phase {
    case .aging, .leaving, .suspect(asked: 3...):
      cache.deadlines.set(slot, to: expiry)
    case .suspect(let asked):
      cache.deadlines.set(slot, to: min(expiry, now + (1000 << Int64(asked - 1))))
    }
  }

  /// Lets a record go.
  mutating func drop(_ slot: Int, _ turn: inout Turn) {
    tell(slot, { .removed($0, $1) }, &turn)
    let record = cache.remove(slot)
    if record.isWanted, let place = questionPlaces[SetKey(name: record.name, type: record.data.type)] {
      reconsiderSeries(place, &turn)
    }
    for type in Self.deniableTypes where record.data.denies(type) {
      if let place = questionPlaces[SetKey(name: record.name, type: type)] { reconsiderSeries(place, &turn) }
    }
  }

  /// RFC 6762 §10.4: asks three times, and lets go of the records after ten seconds without an answer.
  mutating func reconfirm(_ key: SetKey, _ data: DNSData?, _ turn: inout Turn) {
    for slot in cache.slots(of: key) where data == nil || cache[slot].data == data {
      guard cache[slot].standing == .live, case .aging = cache[slot].phase else { continue }
      cache[slot].phase = .suspect(asked: 1)
      cache[slot].expiry = min(cache[slot].expiry, turn.now + 10_000)
      askAgain(about: slot, &turn)
      scheduleRecord(slot, at: turn.now)
      tell(slot, { .suspect($0, $1) }, &turn)
    }
  }

  /// Tells those who want a record what became of it.
  private mutating func tell(
    _ slot: Int, _ change: (DNSRecord, MulticastLink) -> MulticastEngine.AnswerChange, _ turn: inout Turn
  ) {
    guard cache[slot].isWanted else { return }
    let record = cache[slot].record
    for place in questions(about: record.name, record.type) {
      for query in questions[place].subscribers { turn.effects.append(.answer(query, change(record, link))) }
    }
  }

  /// Makes a record of our own known to our own questions.
  mutating func showOwn(_ record: DNSRecord, _ turn: inout Turn) {
    if let slot = cache.find(record.name, record.data) {
      guard cache[slot].standing != .own else { return }
      if cache[slot].standing == .leaving { tell(slot, { .confirmed($0, $1) }, &turn) }
      cache[slot].phase = .aging(asked: 0)
      cache[slot].isUnique = record.cacheFlush
      cache[slot].timeToLive = record.timeToLive
      cache.deadlines.remove(slot)
      cache.renew(slot, as: .own, from: nil)
    } else {
      let isWanted = isWanted(record.name, record.type)
      let slot = cache.insert(CachedRecord(record, standing: .own, isWanted: isWanted, at: turn.now), from: nil)
      tell(slot, { .added($0, $1) }, &turn)
    }
    noticeWholeAnswer(record, &turn)
  }

  /// Takes a record of our own back.
  ///
  /// - Parameter isDisputed: Whether another host may have the very same, which we did not keep beside ours: it is searched
  ///   for anew.
  mutating func hideOwn(_ name: DNSName, _ data: DNSData, isDisputed: Bool, _ turn: inout Turn) {
    guard let slot = cache.find(name, data), cache[slot].standing == .own else { return }
    drop(slot, &turn)
    guard isDisputed else { return }
    for place in questions(about: name, data.type) { restartSeries(place, &turn) }
  }
}
