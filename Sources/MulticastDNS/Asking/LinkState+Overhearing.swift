extension LinkState {
  /// Notes which of our questions another host asks too, and knows no more answers to than we do (RFC 6762 §7.3).
  mutating func overhear(_ message: DNSMessage, from source: MulticastSource, at now: Instant) {
    let place = overheard.firstIndex { $0.source == source }
    var query = OverheardQuery(source: source, began: now, questions: [])
    if let place {
      let former = overheard.remove(at: place)
      if message.questions.isEmpty, now - former.began <= OverheardQuery.patience { query = former }
    }
    for question in message.questions where !question.wantsUnicast && isSoonAsked(question, at: now) {
      query.questions.append(SetKey(name: question.name, type: question.type))
    }
    for answer in message.answers {
      guard !query.questions.isEmpty else { return }
      let key = SetKey(name: answer.name, type: answer.type)
      if query.questions.contains(key), !isNoNews(answer, at: now) { query.questions.removeAll { $0 == key } }
    }
    guard !query.questions.isEmpty else { return }
    if message.isTruncated {
      if overheard.count == OverheardQuery.maximum { overheard.removeFirst() }
      overheard.append(query)
    } else {
      for key in query.questions { if let place = questionPlaces[key] { questions[place].wasHeard(from: source, at: now) } }
    }
  }

  /// Whether it is a question of ours too, that may be due before this one is forgotten.
  private func isSoonAsked(_ question: DNSQuestion, at now: Instant) -> Bool {
    guard let place = questionPlaces[SetKey(name: question.name, type: question.type)] else { return false }
    return min(questions[place].askAt, cache.deadlines.next) <= now + LinkQuestion.memory
  }

  /// Whether another host's known answer is one that we would not miss: we know it as well, or tell it ourselves.
  private func isNoNews(_ answer: DNSRecord, at now: Instant) -> Bool {
    guard let slot = cache.find(answer.name, answer.data) else { return false }
    return cache[slot].standing == .own || cache[slot].isKnownAnswer(at: now)
  }
}
