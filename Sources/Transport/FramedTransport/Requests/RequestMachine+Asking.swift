/// Requests of this side.
extension RequestMachine {
  mutating func ask(_ request: Waiting, at now: Instant) -> [Effect] {
    precondition(asked[request.number] == nil, "number \(request.number) must not be used for two requests")
    guard request.asked.due.map({ $0 > now }) ?? true else { return [.finish(request.number, .timedOut)] }
    answerDeadline = earliest(answerDeadline, request.asked.due)
    waiting.append(request)
    return askMore(at: now)
  }

  /// Sends waiting requests, as far as the limit permits.
  private mutating func askMore(at now: Instant) -> [Effect] {
    var effects: [Effect] = []
    while asked.count < limits.asked, let request = waiting.popFirst() {
      let (number, stream) = (request.number, request.asked.stream)
      asked[number] = request.asked
      let terms = RequestTerms(deadline: request.asked.deadline, credit: stream?.credit ?? 0, at: now)
      effects += [.send(.terms(number, terms)), .send(.request(number, request.message))]
    }
    return effects
  }

  mutating func giveUp(_ number: UInt64, at now: Instant) -> [Effect] {
    if let index = waiting.firstIndex(where: { $0.number == number }) {
      waiting.remove(at: index)
      return [.finish(number, .cancelled)]
    }
    // The answer may have arrived meanwhile.
    guard asked[number]?.isNeeded == true else { return [] }
    return abandon(number, .cancelled)
  }

  private mutating func abandon(_ number: UInt64, _ outcome: Outcome) -> [Effect] {
    asked[number]?.isNeeded = false
    return [.finish(number, outcome), .send(.cancel(number))]
  }

  /// Handles the answer to a request.
  mutating func finish(_ number: UInt64, _ outcome: Outcome, at now: Instant) -> [Effect] {
    // Unknown, or already answered: the protocol says to ignore it.
    guard let request = asked.removeValue(forKey: number) else { return [] }
    if outcome == .ended, request.stream == nil {
      asked[number] = request
      return abort(MessageError(.invalidValue, at: 1, expected: "one reply to request \(number), which asks for no stream"))
    }
    return (request.isNeeded ? [.finish(number, outcome)] : []) + askMore(at: now)
  }

  // MARK: - Streams

  mutating func receiveItem(_ number: UInt64, _ message: [UInt8], at now: Instant) -> [Effect] {
    guard let request = asked[number] else { return [] }
    guard asked[number]?.stream?.receive(at: now) == true else {
      return abort(MessageError(.invalidValue, at: 1, expected: "no item for request \(number) without credit"))
    }
    return request.isNeeded ? [.deliver(number, message)] : []
  }

  mutating func taken(_ number: UInt64, _ count: Int, at now: Instant) -> [Effect] {
    guard let credit = asked[number]?.stream?.take(count, at: now) else { return [] }
    answerDeadline = earliest(answerDeadline, asked[number]?.due)
    return [.send(.credit(number, UInt32(clamping: credit)))]
  }

  // MARK: - Time and the end

  /// Ends the requests whose time is over, and stops the handlers whose answers are too late.
  mutating func checkDeadlines(at now: Instant) -> [Effect] {
    func isDue(_ deadline: Instant?) -> Bool { deadline.map { $0 <= now } ?? false }
    var effects: [Effect] = waiting.filter { isDue($0.asked.due) }.map { .finish($0.number, .timedOut) }
    waiting.removeAll { isDue($0.asked.due) }
    for number in asked.filter({ isDue($0.value.due) }).keys.sorted() { effects += abandon(number, .timedOut) }
    for number in answering.filter({ $0.value.isNeeded && isDue($0.value.deadline) }).keys.sorted() {
      answering[number]?.isNeeded = false
      effects.append(.stopAnswering(number))
    }
    let answers = answering.values.compactMap { $0.isNeeded ? $0.deadline : nil }
    answerDeadline = (waiting.compactMap(\.asked.due) + asked.values.compactMap(\.due) + answers).min()
    return effects
  }

  /// Ends all requests of this side.
  mutating func endRequests() -> [Effect] {
    let unsent = waiting.map { ($0.number, Outcome.unsent) }
    let sent = asked.filter(\.value.isNeeded).map { ($0.key, Outcome.disconnected) }
    waiting = []
    asked = [:]
    return (unsent + sent).sorted { $0.0 < $1.0 }.map { .finish($0.0, $0.1) }
  }
}
