extension LinkState {
  /// Answers a query (RFC 6762 §6).
  mutating func answer(
    _ message: DNSMessage, from source: MulticastSource, to reception: MulticastEngine.Reception, _ turn: inout Turn
  ) {
    if message.questions.isEmpty { return takeKnownAnswers(message, from: source, &turn) }
    guard !zone.names.isEmpty else { return }
    if source.port != MulticastEngine.port { return answerLegacy(message, to: source, &turn) }
    let proposed = Set(message.authorities.map(\.name))
    var defence: [Int] = []
    var answers: [Int] = []
    var isWholeAnswer = true
    var seen: Set<SetKey> = []
    for question in message.questions where seen.insert(SetKey(name: question.name, type: question.type)).inserted {
      let found = slots(answering: question)
      if found.isEmpty { isWholeAnswer = false }
      if proposed.contains(question.name) { defence += found } else { answers += found }
    }
    guard !answers.isEmpty || !defence.isEmpty else { return }
    let known = known(answers, in: message)
    answers = unsuppressed(answers, known: known)
    // RFC 6762 §5.4, §5.5, §11: alone to the asker, if it can take it.
    let wantsUnicast = reception == .unicast || message.questions.allSatisfy(\.wantsUnicast)
    let isUnicast = wantsUnicast && isOnLink(source.address) && !ownAddresses.contains(source.address)
    if !defence.isEmpty { defend(defence, to: isUnicast ? source : nil, &turn) }
    guard !answers.isEmpty else { return }
    let isAlone = isWholeAnswer && message.questions.count == 1 && answers.allSatisfy { zone[$0].isUnique }
    let delay: ClosedRange<Int64>? = message.isTruncated ? 400...500 : isAlone ? nil : 20...120
    if isUnicast || message.isTruncated {
      var query = HeldQuery(source: source, due: delay.map { turn.moment(in: $0) } ?? turn.now)
      query.isTruncated = message.isTruncated
      for slot in answers {
        if isUnicast && zone[slot].wasSentLately(at: turn.now) {
          query.unicast.insert(slot)
        } else {
          query.multicast.insert(slot)
        }
      }
      hold(query, &turn)
    } else if let delay {
      if answersAt <= turn.now { answersAt = turn.moment(in: delay) }
      for slot in answers { scheduleAnswer(slot, at: answersAt, &turn) }
    } else {
      for slot in answers { scheduleAnswer(slot, at: turn.now, &turn) }
      sendDueAnswers(&turn)
    }
  }

  /// Our records that answer a question: those of its name and type, or the denial that there are any (RFC 6762 §6, §6.1).
  private func slots(answering question: DNSQuestion) -> [Int] {
    let slots = zone.slots(of: question.name, question.type)
    if slots.isEmpty, question.type != .any, let denial = zone.names[question.name]?.denial,
      case let data = zone[denial].data, data.denies(question.type)
    {
      return [denial]
    }
    return slots
  }

  /// Which of our records a query says are known, with at least half of their time left (RFC 6762 §7.1).
  private func known(_ slots: some Collection<Int>, in message: DNSMessage) -> Set<Int> {
    var known: Set<Int> = []
    // Others' answers are many, ours mostly few: then they are found faster by comparing.
    let few = slots.count <= 8 ? slots.map { (slot: $0, key: RecordKey(name: zone[$0].name, data: zone[$0].data)) } : nil
    for answer in message.answers {
      let slot =
        if let few {
          few.first { $0.key.data == answer.data && $0.key.name == answer.name }?.slot
        } else {
          zone.find(answer.name, answer.data)
        }
      if let slot, answer.timeToLive >= zone[slot].type.timeToLive / 2 { known.insert(slot) }
    }
    return known
  }

  /// Leaves out what is known; of a set that is ours alone all or nothing is sent (RFC 6762 §10.2).
  private func unsuppressed(_ answers: [Int], known: Set<Int>) -> [Int] {
    guard !known.isEmpty else { return answers }
    return answers.filter { slot in
      guard known.contains(slot) else { return true }
      guard zone[slot].isUnique else { return false }
      return !zone.slots(of: zone[slot].name, zone[slot].type).allSatisfy(known.contains)
    }
  }

  /// Answers a probe for a name of ours without delay (RFC 6762 §5.4, §6, §8.1).
  private mutating func defend(_ slots: [Int], to asker: MulticastSource?, _ turn: inout Turn) {
    if let asker { sendUnicast(slots, to: asker, &turn) }
    for slot in slots where asker == nil || !zone[slot].wasSentLately(at: turn.now) {
      zone[slot].isDefending = true
      scheduleAnswer(slot, at: turn.now, &turn)
    }
    sendDueAnswers(&turn)
  }

  /// Takes in more known answers to a query that was cut off (RFC 6762 §7.2).
  private mutating func takeKnownAnswers(_ message: DNSMessage, from source: MulticastSource, _ turn: inout Turn) {
    guard let index = held.firstIndex(where: { $0.source == source && $0.isTruncated }) else { return }
    let known = known(held[index].multicast.union(held[index].unicast), in: message)
    held[index].multicast = Set(unsuppressed(Array(held[index].multicast), known: known))
    held[index].unicast = Set(unsuppressed(Array(held[index].unicast), known: known))
    held[index].isTruncated = message.isTruncated
    if message.isTruncated { held[index].due = turn.moment(in: 400...500) }
  }

  private mutating func hold(_ query: HeldQuery, _ turn: inout Turn) {
    if query.due <= turn.now { return release(query, &turn) }
    if held.count == HeldQuery.maximum { release(held.removeFirst(), &turn) }
    held.append(query)
  }

  /// Answers the held queries that are due.
  mutating func releaseHeldQueries(_ turn: inout Turn) {
    while let index = held.firstIndex(where: { $0.due <= turn.now }) { release(held.remove(at: index), &turn) }
  }

  private mutating func release(_ query: HeldQuery, _ turn: inout Turn) {
    if !query.unicast.isEmpty { sendUnicast(query.unicast.sorted(), to: query.source, &turn) }
    for slot in query.multicast.sorted() { scheduleAnswer(slot, at: turn.now, &turn) }
    sendDueAnswers(&turn)
  }

  /// Plans to send a record by multicast, not sooner than a second after the last time (RFC 6762 §6).
  mutating func scheduleAnswer(_ slot: Int, at moment: Instant, _ turn: inout Turn) {
    let soonest = max(moment, zone[slot].mayBeSent(from: turn.now))
    if let planned = answerTimers.deadline(of: slot), planned <= soonest { return }
    answerTimers.set(slot, to: soonest)
  }

  /// Gives up the plan to send a record.
  mutating func forgetAnswer(_ slot: Int) {
    answerTimers.remove(slot)
    for index in held.indices { held[index].forget(slot) }
  }

  /// Sends the answers that are due, with what they make one ask for next.
  mutating func sendDueAnswers(_ turn: inout Turn) {
    guard answerTimers.next <= turn.now else { return }
    var answers: [Int] = []
    while let slot = answerTimers.popDue(at: turn.now) { answers.append(slot) }
    // RFC 6762 §10.2: with one record of a unique set goes the whole set.
    for slot in answers where zone[slot].isUnique && !zone[slot].isDenial {
      for sibling in zone.slots(of: zone[slot].name, zone[slot].type) where answerTimers.deadline(of: sibling) != nil {
        answerTimers.remove(sibling)
        answers.append(sibling)
      }
    }
    markSent(answers, &turn)
    var packer = MessagePacker(isResponse: true)
    for slot in answers {
      let additionals = additionals(to: [slot]).filter { zone[$0].mayBeSent(from: turn.now) <= turn.now }
      markSent(additionals, &turn)
      packer.add(answers: [zone[slot].record], additionals: additionals.map { zone[$0].record })
    }
    for packet in packer.finished() { send(packet, to: .multicast, &turn) }
  }

  private mutating func sendUnicast(_ slots: [Int], to asker: MulticastSource, _ turn: inout Turn) {
    var packer = MessagePacker(isResponse: true)
    var told = Set(slots)
    for slot in slots {
      let additionals = additionals(to: [slot]).filter { told.insert($0).inserted }
      packer.add(answers: [zone[slot].record], additionals: additionals.map { zone[$0].record })
    }
    for packet in packer.finished() { send(packet, to: .unicast(asker), &turn) }
  }

  /// Notes that records go out by multicast.
  mutating func markSent(_ slots: [Int], _ turn: inout Turn) {
    for slot in slots {
      zone[slot].lastSent = turn.now
      zone[slot].isDefending = false
      answerTimers.remove(slot)
    }
  }

  /// The records that whoever gets these asks for next: where a service is, what it says of itself, where its host is, and
  /// the host's addresses of the other family or that there are none (RFC 6763 §12, RFC 6762 §6.1, §6.2).
  func additionals(to answers: [Int]) -> [Int] {
    var found: [Int] = []
    var seen = Set(answers)
    var rest = answers[...]
    while let slot = rest.popFirst() {
      for next in successors(of: slot) where seen.insert(next).inserted {
        found.append(next)
        rest.append(next)
      }
    }
    return found
  }

  private func successors(of slot: Int) -> [Int] {
    switch zone[slot].data {
    case .ptr(let name):
      return zone.slots(of: name, .srv) + zone.slots(of: name, .txt)
    case .srv(let service):
      return addresses(of: service.target)
    case .address:
      return addresses(of: zone[slot].name)
    case .txt, .nsec, .cname, .hinfo, .other:
      return []
    }
  }

  private func addresses(of name: DNSName) -> [Int] {
    let (four, six) = (zone.slots(of: name, .a), zone.slots(of: name, .aaaa))
    let denial = four.isEmpty != six.isEmpty ? zone.names[name]?.denial : nil
    return four + six + [denial].compactMap(\.self)
  }
}

extension OwnRecord {
  /// Whether it is the NSEC record of its name.
  var isDenial: Bool { type == .nsec }
}
