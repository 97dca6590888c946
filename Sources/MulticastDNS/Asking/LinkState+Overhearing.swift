extension LinkState {
  /// Counts our questions as asked when another host asks the same and knows no more answers than we do (RFC 6762 §7.3).
  mutating func overhear(_ message: DNSMessage, from source: MulticastSource, at now: Instant) {
    var query: OverheardQuery
    if message.questions.isEmpty {
      guard let index = overheard.firstIndex(where: { $0.source == source }) else { return }
      query = overheard.remove(at: index)
      guard now - query.began <= OverheardQuery.patience else { return }
    } else {
      overheard.removeAll { $0.source == source }
      let asked = message.questions.filter { !$0.wantsUnicast }.map { SetKey(name: $0.name, type: $0.type) }
      query = OverheardQuery(source: source, began: now, questions: Set(asked.filter { questionPlaces[$0] != nil }))
    }
    guard !query.questions.isEmpty else { return }
    for answer in message.answers {
      if let slot = cache.find(answer.name, answer.data), cache[slot].isKnownAnswer(at: now) { continue }
      query.questions.remove(SetKey(name: answer.name, type: answer.type))
    }
    if message.isTruncated {
      if overheard.count == OverheardQuery.maximum { overheard.removeFirst() }
      overheard.append(query)
    } else {
      for key in query.questions { if let place = questionPlaces[key] { questions[place].lastHeard = now } }
    }
  }
}
