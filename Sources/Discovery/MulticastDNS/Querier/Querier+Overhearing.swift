extension Querier {
  /// Notes which of our questions another host asks too with no more known answers than we have (RFC 6762 §7.3), and to which another
  /// program on this host knows answers that we lack.
  mutating func overhear(_ message: DNSMessage, from source: MulticastSource, fromThisHost isOurs: Bool, at now: Instant) {
    let place = overheard.firstIndex { $0.source == source }
    var query = OverheardQuery(source: source, began: now, questions: [])
    if let place {
      let former = overheard.remove(at: place)
      if message.questions.isEmpty, now - former.began <= OverheardQuery.timeout { query = former }
    }
    for question in message.questions where !question.wantsUnicast && isSoonAsked(question, at: now) {
      query.questions.append(HashedKey(name: question.name, type: question.type))
    }
    if isOurs {
      for answer in message.answers where cache.find(answer.name, answer.data) == nil {
        if let slot = questions.find(answer.name, answer.type) { questions[slot].lacks(at: now) }
      }
    }
    for answer in message.answers {
      guard !query.questions.isEmpty else { return }
      let key = HashedKey(name: answer.name, type: answer.type)
      if query.questions.contains(key), !isKnown(answer, at: now) { query.questions.removeAll { $0 == key } }
    }
    guard !query.questions.isEmpty else { return }
    if message.isTruncated {
      if overheard.count == OverheardQuery.maximum { overheard.removeFirst() }
      overheard.append(query)
    } else {
      for key in query.questions { if let slot = questions.find(key) { questions[slot].wasHeard(from: source, at: now) } }
    }
  }

  /// Whether we ask the same question, and may be due to ask it while the other host's query still replaces ours.
  private func isSoonAsked(_ question: DNSQuestion, at now: Instant) -> Bool {
    guard let slot = questions.find(question.name, question.type) else { return false }
    return min(questions[slot].askAt, cache.deadlines.next) <= now + LinkQuestion.suppression
  }

  /// Whether another host's known answer is also known or published here.
  private func isKnown(_ answer: DNSRecord, at now: Instant) -> Bool {
    guard let slot = cache.find(answer.name, answer.data) else { return false }
    return cache[slot].standing == .own || cache[slot].isKnownAnswer(at: now)
  }
}
