import _BonjourishBase
import _BonjourishDiscovery

extension Responder {
  /// Answers a query (RFC 6762 §6), in which no question is repeated if it comes from port 5353.
  mutating func answer(
    _ message: DNSMessage, from source: MulticastSource, to reception: MulticastEngine.Reception, _ step: inout Step
  ) {
    if message.questions.isEmpty { return takeKnownAnswers(message, from: source, &step) }
    guard !zone.names.isEmpty else { return }
    if source.port != MulticastEngine.port { return answerLegacy(message, to: source, &step) }
    let proposed = Set(message.authorities.map(\.name))
    var defence: [Int] = []
    var answers: [Int] = []
    var isWholeAnswer = true
    for question in message.questions {
      let found = slots(answering: question)
      if found.isEmpty { isWholeAnswer = false }
      if proposed.contains(question.name) { defence += found } else { answers += found }
    }
    guard !answers.isEmpty || !defence.isEmpty else { return }
    let known = known(answers, in: message)
    let all = answers.count
    answers = unsuppressed(answers, known: known)
    counters.knownAnswersSuppressed += all - answers.count
    // RFC 6762 §5.4, §5.5, §11: use unicast for an asker on the link that wants it.
    let wantsUnicast = reception == .unicast || message.questions.allSatisfy(\.wantsUnicast)
    let isUnicast = wantsUnicast && addresses.areOnLink(with: source.address) && !addresses.ofHost.contains(source.address)
    if !defence.isEmpty { defend(defence, to: isUnicast ? source : nil, &step) }
    guard !answers.isEmpty else { return }
    let isAlone = isWholeAnswer && message.questions.count == 1 && answers.allSatisfy { zone[$0].isUnique }
    let delay: ClosedRange<Int64>? = message.isTruncated ? 400...500 : isAlone ? nil : 20...120
    if isUnicast || message.isTruncated {
      var query = DeferredQuery(source: source, due: delay.map { step.moment(in: $0) } ?? step.now)
      query.isTruncated = message.isTruncated
      for slot in answers {
        if isUnicast && zone[slot].wasSentLately(at: step.now) {
          query.unicast.insert(slot)
        } else {
          query.multicast.insert(slot)
        }
      }
      hold(query, &step)
    } else if let delay {
      if answersAt <= step.now { answersAt = step.moment(in: delay) }
      for slot in answers { scheduleAnswer(slot, at: answersAt, &step) }
    } else {
      for slot in answers { scheduleAnswer(slot, at: step.now, &step) }
      sendDueAnswers(&step)
    }
  }

  /// Our records that answer a question, or the denial (RFC 6762 §6, §6.1).
  private func slots(answering question: DNSQuestion) -> [Int] {
    guard zone.has(question.name) else { return [] }
    let slots = zone.answers(to: question)
    if slots.isEmpty, question.type != .any, let denial = zone.names[question.name]?.denial,
      case let data = zone[denial].data, data.denies(question.type)
    {
      return [denial]
    }
    return slots
  }

  /// Our records that a query lists as known, with at least half of their lifetime left (RFC 6762 §7.1).
  private func known(_ slots: some Collection<Int>, in message: DNSMessage) -> Set<Int> {
    var known: Set<Int> = []
    // Comparing is faster than hashing for few answers, which is the usual case.
    let few = slots.count <= 8 ? slots.map { (slot: $0, key: RecordKey(name: zone[$0].name, data: zone[$0].data)) } : nil
    for answer in message.answers {
      let slot =
        if let few {
          few.first { $0.key.data == answer.data && $0.key.name == answer.name }?.slot
        } else {
          zone.find(answer.name, answer.data)
        }
      if let slot, answer.timeToLive >= zone[slot].timeToLive / 2 { known.insert(slot) }
    }
    return known
  }

  /// Leaves out known answers. Of a unique set, all records or none are sent (RFC 6762 §10.2).
  private func unsuppressed(_ answers: [Int], known: Set<Int>) -> [Int] {
    guard !known.isEmpty else { return answers }
    return answers.filter { slot in
      guard known.contains(slot) else { return true }
      guard zone[slot].isUnique else { return false }
      return !zone.slots(of: zone[slot].name, zone[slot].type).allSatisfy(known.contains)
    }
  }

  /// Answers a probe for our name without delay (RFC 6762 §5.4, §6, §8.1).
  private mutating func defend(_ slots: [Int], to asker: MulticastSource?, _ step: inout Step) {
    let isTold = asker.map { sendUnicast(slots, to: $0, &step) } ?? false
    for slot in slots where !isTold || !zone[slot].wasSentLately(at: step.now) {
      zone[slot].isDefending = true
      scheduleAnswer(slot, at: step.now, &step)
    }
    sendDueAnswers(&step)
  }

  /// Handles more known answers of a truncated query (RFC 6762 §7.2).
  private mutating func takeKnownAnswers(_ message: DNSMessage, from source: MulticastSource, _ step: inout Step) {
    guard let index = deferred.firstIndex(where: { $0.source == source && $0.isTruncated }) else { return }
    let known = known(deferred[index].multicast.union(deferred[index].unicast), in: message)
    let all = deferred[index].multicast.count + deferred[index].unicast.count
    deferred[index].multicast = Set(unsuppressed(Array(deferred[index].multicast), known: known))
    deferred[index].unicast = Set(unsuppressed(Array(deferred[index].unicast), known: known))
    counters.knownAnswersSuppressed += all - deferred[index].multicast.count - deferred[index].unicast.count
    deferred[index].isTruncated = message.isTruncated
    if message.isTruncated { deferred[index].due = step.moment(in: 400...500) }
  }

  mutating func hold(_ query: DeferredQuery, _ step: inout Step) {
    if query.due <= step.now { return release(query, &step) }
    if deferred.count == DeferredQuery.maximum { release(deferred.removeFirst(), &step) }
    deferred.append(query)
  }

  /// Answers the deferred queries that are due.
  mutating func releaseDeferredQueries(_ step: inout Step) {
    while let index = deferred.firstIndex(where: { $0.due <= step.now }) { release(deferred.remove(at: index), &step) }
  }

  private mutating func release(_ query: DeferredQuery, _ step: inout Step) {
    if let legacy = query.legacy { return send(answerTo: legacy, to: query.source, &step) }
    var multicast = query.multicast
    if !query.unicast.isEmpty, !sendUnicast(query.unicast.sorted(), to: query.source, &step) {
      multicast.formUnion(query.unicast)
    }
    for slot in multicast.sorted() { scheduleAnswer(slot, at: step.now, &step) }
    sendDueAnswers(&step)
  }

  /// Schedules a multicast of a record, at least a second after the last one (RFC 6762 §6).
  mutating func scheduleAnswer(_ slot: Int, at moment: Instant, _ step: inout Step) {
    let soonest = max(moment, zone[slot].mayBeSent(from: step.now))
    if let planned = answerTimers[slot], planned <= soonest { return }
    answerTimers.set(slot, to: soonest)
  }

  /// Cancels the scheduled multicast of a record, also in deferred queries.
  mutating func forgetAnswer(_ slot: Int) {
    answerTimers.remove(slot)
    for index in deferred.indices { deferred[index].forget(slot) }
  }

  /// Sends the answers that are due, with their additional records.
  mutating func sendDueAnswers(_ step: inout Step) {
    guard answerTimers.next <= step.now else { return }
    var answers: [Int] = []
    while let slot = answerTimers.popFirst(through: step.now) {
      // It was sent later than planned the last time.
      let soonest = zone[slot].mayBeSent(from: step.now)
      if soonest > step.now { answerTimers.set(slot, to: soonest) } else { answers.append(slot) }
    }
    // RFC 6762 §10.2: a unique set is sent as a whole.
    for slot in answers where zone[slot].isUnique && !zone[slot].isDenial {
      for sibling in zone.slots(of: zone[slot].name, zone[slot].type) where answerTimers[sibling] != nil {
        answerTimers.remove(sibling)
        answers.append(sibling)
      }
    }
    markSent(answers, &step)
    var packer = MessagePacker(isResponse: true, limit: packetLimit)
    var ofHolder = holderAddressesToMulticast(at: step.now)
    for slot in answers {
      let additionals = additionals(to: [slot]).filter { zone[$0].mayBeSent(from: step.now) <= step.now }
      markSent(additionals, &step)
      var records = additionals.map { zone[$0].record }
      records += takeToMulticast(&ofHolder, beside: slot, additionals, at: step.now)
      packer.add(answers: [zone[slot].record], additionals: records)
    }
    let packets = packer.finished()
    counters.answersSent += packets.count
    step.send(packets, on: link)
  }

  /// Sends answers to the asker alone, unless it was sent too much lately.
  ///
  /// - Returns: Whether they were sent.
  private mutating func sendUnicast(_ slots: [Int], to asker: MulticastSource, _ step: inout Step) -> Bool {
    guard unicastBudget.permits(asker.address, at: step.now) else { return false }
    var packer = MessagePacker(isResponse: true, limit: packetLimit)
    var told = Set(slots)
    var ofHolder = holderAddresses(at: step.now)
    for slot in slots {
      let additionals = additionals(to: [slot]).filter { told.insert($0).inserted }
      var records = additionals.map { zone[$0].record }
      records += take(&ofHolder, beside: slot, additionals)
      packer.add(answers: [zone[slot].record], additionals: records)
    }
    let packets = packer.finished()
    unicastBudget.note(packets, to: asker.address, at: step.now)
    counters.unicastAnswersSent += packets.count
    step.send(packets, on: link, to: .unicast(asker))
    return true
  }

  /// Notes that records are sent by multicast.
  mutating func markSent(_ slots: [Int], _ step: inout Step) {
    for slot in slots {
      zone[slot].lastSent = step.now
      zone[slot].isDefending = false
      answerTimers.remove(slot)
    }
  }

  /// The records that a receiver of the answers would ask for next: the SRV and TXT records of a service, and the addresses of
  /// its host, with a denial if one family has none (RFC 6763 §12, RFC 6762 §6.1, §6.2).
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
      return hostAddresses(of: service.target)
    case .cname(let target):
      return hostAddresses(of: target)
    case .address:
      return hostAddresses(of: zone[slot].name)
    case .txt, .nsec, .hinfo, .other:
      return []
    }
  }

  private func hostAddresses(of name: DNSName) -> [Int] {
    let (four, six) = (zone.slots(of: name, .a), zone.slots(of: name, .aaaa))
    let denial = four.isEmpty != six.isEmpty ? zone.names[name]?.denial : nil
    return four + six + [denial].compactMap(\.self)
  }
}

extension OwnRecord {
  /// Whether it is the NSEC record of its name.
  var isDenial: Bool { type == .nsec }
}
