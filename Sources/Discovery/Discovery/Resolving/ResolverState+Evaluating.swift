/// Combines the answers into endpoints.
extension ResolverState {
  /// Evaluates an instance after an event that has changed the answer to one of its questions.
  mutating func evaluate(
    _ instance: ServiceInstance, after event: LookupEvent, to question: RecordQuestion, at now: ContinuousClock.Instant
  ) -> [Effect] {
    // That the engine knows no more matters to those who wait for more addresses, and to those who wait for a turn.
    if event == .cacheExhausted, case .instance = question.name { return makeWay(instance, at: now) }
    return evaluate(instance, at: now) + makeWay(instance, at: now) + review(instance, at: now)
  }

  /// Evaluates the known answers for an instance: asks for more records, or reports the endpoint.
  mutating func evaluate(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    guard let server = server(of: instance) else { return wait(for: instance) }
    let effects = follow(server.host, for: instance)
    let host = addresses(of: server.host)
    guard let item = items[instance], let txt = text(of: instance, at: host.addresses, now) else {
      return effects + wait(for: instance)
    }
    guard !host.addresses.isEmpty else { return effects + wait(for: instance) }
    switch item.phase {
    case .inFlight(let giveUpAt):
      if now < giveUpAt, !host.isWhole(at: now) { return effects + wait(for: instance, until: host.deadline) }
    case .followed:
      // The reported endpoint stays until all hosts that answer at once have answered again.
      if host.isRenewed { return effects }
    case .queued, .resting: break
    }
    let endpoint = Endpoint(host: server.host, port: server.port, txt: txt, addresses: host.addresses)
    return effects + decide(instance, endpoint, at: now)
  }

  /// Asks for the addresses of an instance's host, if it has another than before.
  private mutating func follow(_ host: DomainName, for instance: ServiceInstance) -> [Effect] {
    let former = items[instance]!.host
    guard former != host else { return [] }
    items[instance]!.host = host
    var effects: [Effect] = []
    // Ask the new questions before ending the old ones, so that a question they share stays open.
    for question in addressQuestions(of: host) { effects += ask(question, for: instance) }
    for question in addressQuestions(of: former) { effects += endAsking(question, for: instance) }
    return effects
  }

  /// Stores when an instance in flight must be evaluated again: every event needs the time.
  private mutating func wait(for instance: ServiceInstance, until deadline: ContinuousClock.Instant? = nil) -> [Effect] {
    guard case .inFlight(let giveUpAt)? = items[instance]?.phase else { return [] }
    inFlight[instance]?.deadline = min(deadline ?? giveUpAt, giveUpAt)
    return []
  }

  /// Reports an endpoint, or the lack of one, and makes room for the next instance.
  mutating func decide(_ instance: ServiceInstance, _ endpoint: Endpoint?, at now: ContinuousClock.Instant) -> [Effect] {
    var effects: [Effect] = []
    var item = items[instance]!
    // A known endpoint is never replaced by nil: the instance is suspected instead.
    if endpoint != nil || !item.isDecided {
      let wasAbsent = item.absence != .none
      if endpoint != item.endpoint || !item.isDecided || wasAbsent { effects.append(.resolved(instance, endpoint)) }
      item.absence = .none
      if wasAbsent { suspects[instance] = nil }
      item.endpoint = endpoint
      item.refused = endpoint == nil ? refusedAddresses(of: instance) : []
      item.isDecided = true
    }
    guard case .inFlight = item.phase else {
      items[instance] = item
      return effects
    }
    inFlight[instance] = nil
    let isFollowed = followed < limits.kept && isOpen(instance, host: item.host)
    if isFollowed {
      followed += 1
      item.phase = .followed
    } else {
      effects += endAsking(for: instance)
      item.host = nil
    }
    items[instance] = item
    if !isFollowed { rest(instance, at: now) }
    return effects
  }

  /// Whether none of the questions about an instance has failed.
  private func isOpen(_ instance: ServiceInstance, host: DomainName?) -> Bool {
    questions(of: instance, host: host).allSatisfy { answers[$0]?.state.hasFailed == false }
  }
}
