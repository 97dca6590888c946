import _BonjourishDiscovery

extension Responder {
  /// Answers a query of a legacy resolver: at once if no other host may answer too, else after a random time (RFC 6762 §6).
  mutating func answerLegacy(_ message: DNSMessage, to asker: MulticastSource, _ step: inout Step) {
    // RFC 6762 §11: hosts outside the link get no answer.
    guard addresses.areOnLink(with: asker.address), message.questions.contains(where: { zone.has($0.name) }),
      let query = LegacyQuery(message)
    else { return }
    let isAlone = query.questions.allSatisfy { question in
      zone.names[question.name]?.claims != nil && zone.answers(to: question).allSatisfy { zone[$0].isUnique }
    }
    var deferred = DeferredQuery(source: asker, due: isAlone ? step.now : step.moment(in: 20...120))
    deferred.legacy = query
    hold(deferred, &step)
  }

  /// Sends the answer in one datagram, like a unicast DNS server (RFC 6762 §6.7).
  mutating func send(answerTo query: LegacyQuery, to asker: MulticastSource, _ step: inout Step) {
    var seen: Set<Int> = []
    let answers = query.questions.flatMap { zone.answers(to: $0) }.filter { seen.insert($0).inserted }
    // An answer without records says that our name has no record of that type.
    guard !answers.isEmpty || query.questions.contains(where: { zone.names[$0.name]?.claims != nil }) else { return }
    guard unicastBudget.permits(asker.address, at: step.now) else { return }
    let slots = additionals(to: answers)
    var ofHolder = holderAddresses(at: step.now)
    let addresses = answers.first.map { take(&ofHolder, beside: $0, answers + slots) } ?? []
    let records = slots.map { zone[$0].record } + addresses
    guard let packet = query.answer(answers.map { zone[$0].record }, records, limit: packetLimit) else { return }
    unicastBudget.note([packet], to: asker.address, at: step.now)
    counters.unicastAnswersSent += 1
    step.send([packet], on: link, to: .unicast(asker))
  }
}
