extension LinkState {
  /// Adds somebody who wants a question answered, and tells what is known.
  mutating func ask(_ key: SetKey, for query: MulticastEngine.QueryID, _ turn: inout Turn) {
    let place = questionPlaces[key] ?? begin(key, &turn)
    questions[place].subscribers.append(query)
    for slot in cache.slots(of: key) where cache[slot].standing != .leaving {
      turn.effects.append(.answer(query, .added(cache[slot].record, link)))
    }
    if questions[place].isSettled { turn.reports.append((link, .settled(query))) }
  }

  mutating func endAsking(_ key: SetKey, for query: MulticastEngine.QueryID, at now: Instant) {
    guard let place = questionPlaces[key] else { return }
    questions[place].subscribers.removeAll { $0 == query }
    guard questions[place].subscribers.isEmpty else { return }
    questions.remove(place)
    questionPlaces[key] = nil
    questionTimers.remove(place)
    for slot in cache.slots(of: key) where !isWanted(cache[slot].name, cache[slot].data.type) {
      cache.setWanted(slot, false)
      scheduleRecord(slot, at: now)
    }
  }

  private mutating func begin(_ key: SetKey, _ turn: inout Turn) -> Int {
    let place = questions.insert(LinkQuestion(key, seriesAt: .never))
    questionPlaces[key] = place
    for slot in cache.slots(of: key) {
      cache.setWanted(slot, true)
      rejoinSeries(slot, &turn)
    }
    if isWhollyAnswered(key) {
      questions[place].isSettled = true
    } else {
      // RFC 6762 §5.2: the first question waits a little, and with it all that are asked meanwhile.
      questions[place].seriesAt = nextAsking(&turn)
    }
    questionTimers.set(place, to: questions[place].deadline)
    return place
  }

  /// When the next questions go out together.
  mutating func nextAsking(_ turn: inout Turn) -> Instant {
    if askingAt <= turn.now { askingAt = turn.moment(in: 20...120) }
    return askingAt
  }

  func isWanted(_ name: DNSName, _ type: DNSType) -> Bool {
    questionPlaces[SetKey(name: name, type: type)] != nil || questionPlaces[SetKey(name: name, type: .any)] != nil
  }

  /// The questions that a record of this name and type answers.
  func questions(about name: DNSName, _ type: DNSType) -> [Int] {
    [questionPlaces[SetKey(name: name, type: type)], questionPlaces[SetKey(name: name, type: .any)]].compactMap(\.self)
  }

  /// Whether no further answer is to be expected: the record has a single owner, who has told us (RFC 6762 §5.2), or has told
  /// us that there is none (§6.1), or is us.
  func isWhollyAnswered(_ key: SetKey) -> Bool {
    if let slot = cache.latest(of: key), cache[slot].isUnique { return true }
    guard let slot = cache.latest(of: SetKey(name: key.name, type: .nsec)) else { return false }
    return cache[slot].data.denies(key.type)
  }

  /// Ends the series of a question whose whole answer is known now, or takes it up again.
  mutating func reconsiderSeries(_ place: Int, _ turn: inout Turn) {
    if isWhollyAnswered(questions[place].key) {
      endSeries(place, &turn)
    } else if questions[place].seriesAt == .never {
      questions[place].seriesAt = nextAsking(&turn)
      questionTimers.set(place, to: questions[place].deadline)
    }
  }

  /// Asks as if for the first time.
  mutating func restartSeries(_ place: Int, _ turn: inout Turn) {
    questions[place].interval = LinkQuestion.firstInterval
    questions[place].seriesAt = nextAsking(&turn)
    questionTimers.set(place, to: questions[place].deadline)
  }

  mutating func endSeries(_ place: Int, _ turn: inout Turn) {
    questions[place].seriesAt = .never
    questions[place].interval = LinkQuestion.firstInterval
    if !questions[place].isSettled { settle(place, &turn) }
    questionTimers.set(place, to: questions[place].deadline)
  }

  /// Asks, with the next questions, whether a record is still true.
  mutating func askAgain(about slot: Int, _ turn: inout Turn) {
    let key = SetKey(name: cache[slot].name, type: cache[slot].data.type)
    guard let place = questions(about: key.name, key.type).first else {
      // Only a record in doubt is cared for without anybody's asking for it.
      if !extraQuestions.contains(key) { extraQuestions.append(key) }
      extraAskingAt = nextAsking(&turn)
      return
    }
    questions[place].refreshAt = min(questions[place].refreshAt, nextAsking(&turn))
    questionTimers.set(place, to: questions[place].deadline)
  }

  /// Sends the questions that are due.
  mutating func sendDueQuestions(_ turn: inout Turn) {
    var packer = MessagePacker(isResponse: false)
    while let place = questionTimers.popDue(at: turn.now) {
      if questions[place].settlesAt <= turn.now { settle(place, &turn) }
      if questions[place].askAt <= turn.now {
        let key = questions[place].key
        if !questions[place].isAskedByOthers(at: turn.now) {
          packer.add(DNSQuestion(key.name, key.type), knowing: knownAnswers(to: key, at: turn.now))
        }
        questions[place].wasAsked(at: turn.now)
      }
      questionTimers.set(place, to: questions[place].deadline)
    }
    if extraAskingAt <= turn.now {
      for key in extraQuestions { packer.add(DNSQuestion(key.name, key.type), knowing: []) }
      extraQuestions = []
      extraAskingAt = .never
    }
    for packet in packer.finished() { send(packet, to: .multicast, &turn) }
  }

  private mutating func settle(_ place: Int, _ turn: inout Turn) {
    questions[place].isSettled = true
    questions[place].settlesAt = .never
    for query in questions[place].subscribers { turn.reports.append((link, .settled(query))) }
  }

  private func knownAnswers(to key: SetKey, at now: Instant) -> [DNSRecord] {
    guard key.type != .any else { return [] }
    return cache.slots(of: key).lazy.map { cache[$0] }.filter { $0.isKnownAnswer(at: now) }.prefix(Self.maximumKnownAnswers)
      .map { DNSRecord($0.name, $0.data, timeToLive: $0.remaining(at: now)) }
  }
}

extension DNSData {
  /// Whether it is an NSEC record that says that there are no records of a type (RFC 6762 §6.1).
  func denies(_ type: DNSType) -> Bool {
    guard case .nsec(_, let types) = self else { return false }
    return type.rawValue < 255 && !types.contains(type)
  }
}
