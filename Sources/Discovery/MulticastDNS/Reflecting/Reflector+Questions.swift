import _BonjourishDiscovery

/// Questions and probes.
extension Reflector {
  /// For so many milliseconds, hosts of two links that probe for the same host name are taken for one with an interface in each.
  static let simultaneity: Int64 = 10_000

  /// A query, with its records by the names that they belong to: datagrams of strangers hold thousands.
  private struct Query {
    /// The most questions that are asked of one query.
    private static let mostQuestions = 64

    let questions: [DNSQuestion]
    let answers: [DNSRecord]
    /// What is proposed for the names that are probed for. Other questions of the same datagram are no probes.
    let proposed: [DNSName: [DNSRecord]]

    init(_ message: DNSMessage) {
      questions = Array(message.withoutRepeatedQuestions.questions.prefix(Self.mostQuestions))
      answers = message.answers
      proposed = Dictionary(grouping: message.authorities, by: \.name)
    }
  }

  /// What became of a query.
  private struct Outcome {
    /// The questions that the rules let through, to one link at least.
    var allowed: Set<DNSQuestion> = []
    /// Whether one was asked on another link a moment ago.
    var isRecent = false
  }

  /// Asks what a host asks on the links on which the answers may be.
  mutating func cross(
    _ message: DNSMessage, from source: MulticastSource, legacy: LegacyQuery?, at now: Instant, _ effects: inout [Effect]
  ) {
    let interface = source.link.interface
    let query = Query(message)
    for question in query.questions {
      if let proposed = query.proposed[question.name] { noteProbe(question, proposed, on: interface, at: now) }
    }
    let outcome = ask(query, from: source, at: now, &effects)
    let known = Dictionary(grouping: message.answers.filter { homeIs(interface, of: $0, at: now) }, by: \.name)
    for question in query.questions {
      let way: ReflectedInterface.Asking =
        query.proposed[question.name] != nil ? .probing : legacy != nil || question.wantsUnicast ? .alone : .openly
      interfaces[interface]!.note(question, way, known: Self.hash(of: question.knownAnswers(in: known)), at: now)
    }
    interfaces[interface]!.note(proposals: message.authorities, at: now)
    noteAsker(source, query, outcome, legacy, at: now)
  }

  /// Asks again for a legacy resolver, as if its link had asked.
  mutating func askAgain(_ asker: AskerTable.Asker, at now: Instant, _ effects: inout [Effect]) {
    var message = DNSMessage(isResponse: false)
    message.questions = asker.questions
    _ = ask(Query(message), from: asker.source, at: now, &effects)
  }

  private mutating func ask(
    _ query: Query, from source: MulticastSource, at now: Instant, _ effects: inout [Effect]
  ) -> Outcome {
    var outcome = Outcome()
    let fromRepeater = homes.speakers.isRepeater(homes.speakers[source], at: now)
    for other in others(than: source.link.interface) {
      let direction = ReflectionRules.Direction(from: other, to: source.link.interface)
      let hasBudget = interfaces[other]!.hasBudget(at: now)
      let known = Dictionary(grouping: query.answers.filter { isKnown($0, from: direction, at: now) }, by: \.name)
      var offered: [DNSName: [DNSRecord]] = [:]
      var packer = MessagePacker(isResponse: false, limit: interfaces[other]!.limit)
      for question in query.questions {
        let records = question.knownAnswers(in: known)
        let hash = Self.hash(of: records)
        var rule = passages[direction].map { $0.rule(asking: question, at: now) } ?? .direction
        if rule == nil { outcome.allowed.insert(question) }
        if rule == nil, isOneHost(probingFor: question.name, query, on: other, at: now) { rule = .elsewhere }
        if rule == nil, offered[question.name] == nil, let proposed = query.proposed[question.name] {
          offered[question.name] = proposals(proposed, to: other, of: direction, at: now, &effects)
        }
        let proposed = offered[question.name]
        let isRecent =
          if let proposed {
            interfaces[other]!.isRecent(probe: question, proposing: proposed, fromRepeater: fromRepeater, at: now)
          } else {
            interfaces[other]!.isRecent(question, known: hash, fromRepeater: fromRepeater, at: now)
          }
        if rule == nil, isRecent { (rule, outcome.isRecent) = (.recent, true) }
        if rule == nil, !hasBudget { rule = .budget }
        count(question, direction, rule, &effects)
        guard rule == nil else { continue }
        let plain = DNSQuestion(question.name, question.type, isOfAnyClass: question.isOfAnyClass)
        if let proposed {
          packer.add(plain, proposing: proposed)
          interfaces[other]!.note(proposals: proposed, at: now)
        } else {
          packer.add(plain, knowing: records)
        }
        interfaces[other]!.note(question, proposed == nil ? .openly : .probing, known: hash, at: now)
      }
      send(packer.finished(), to: other, at: now, &effects)
    }
    return outcome
  }

  /// Notes for which names somebody on a link probes. The probe of a host on another link, which another reflector has carried over,
  /// is none.
  private mutating func noteProbe(_ question: DNSQuestion, _ proposed: [DNSRecord], on interface: UInt32, at now: Instant) {
    let isCopy = others(than: interface).contains {
      interfaces[$0]!.isRecent(probe: question, proposing: proposed, fromRepeater: false, at: now)
    }
    if !isCopy { interfaces[interface]!.note(probeFor: question.name, at: now) }
  }

  /// Notes who wants an answer sent to them, if they are on the link (RFC 6762 §11).
  private mutating func noteAsker(
    _ source: MulticastSource, _ query: Query, _ outcome: Outcome, _ legacy: LegacyQuery?, at now: Instant
  ) {
    let questions = query.questions.filter { outcome.allowed.contains($0) && (legacy != nil || $0.wantsUnicast) }
    guard !questions.isEmpty, interfaces[source.link.interface]!.addresses.areOnLink(with: source.address) else { return }
    // The answers that have just come by were for others.
    let again = legacy != nil && outcome.isRecent ? now + ReflectedInterface.intervalOfQuestions : nil
    askers.note(source, questions, legacy: legacy, again: again, at: now)
  }

  /// Whether a known answer is of a service of the link on which the question is asked, and crosses. Others, such as those of the
  /// asker's own link, mean nothing there, and may not be seen there.
  private func isKnown(_ record: DNSRecord, from direction: ReflectionRules.Direction, at now: Instant) -> Bool {
    guard homeIs(direction.from, of: record, at: now), let passage = passages[direction] else { return false }
    return passage.rule(for: record, at: now) == nil
  }

  /// Whether what a record tells is so on a link. That there is a type is so everywhere.
  private func homeIs(_ interface: UInt32, of record: DNSRecord, at now: Instant) -> Bool {
    HomeTable.key(of: record).map { homes.lives($0, on: interface, at: now) } ?? true
  }

  private static func hash(of records: [DNSRecord]) -> Int {
    // The order does not matter. Zero stands for none.
    records.isEmpty ? 0 : records.reduce(1) { $0 ^ RecordKey.digest($1.name, $1.data) }
  }

  /// Whether a probe for a host name is probably that of a host with an interface in both links. Seen on the other, its addresses
  /// would look like those of another host with its name, and it would take another.
  private func isOneHost(probingFor name: DNSName, _ query: Query, on other: UInt32, at now: Instant) -> Bool {
    guard let proposed = query.proposed[name],
      interfaces[other]!.isProbed(name, within: Self.simultaneity, at: now) || homes.isAlso(name, on: other, at: now)
    else { return false }
    return proposed.contains(where: \.isAddress)
  }

  /// Of the records that a probe proposes those that may be seen on the other link (RFC 6762 §8.2).
  private mutating func proposals(
    _ records: [DNSRecord], to other: UInt32, of way: ReflectionRules.Direction, at now: Instant, _ effects: inout [Effect]
  ) -> [DNSRecord] {
    let direction = ReflectionRules.Direction(from: way.to, to: other)
    guard passages[direction] != nil else { return [] }
    passages[direction]!.learn(records, at: now)
    return records.filter { record in
      let rule = passages[direction]!.rule(for: record, at: now)
      tell(.record(record), direction, rule, &effects)
      return rule == nil
    }
  }

  private mutating func count(
    _ question: DNSQuestion, _ direction: ReflectionRules.Direction, _ rule: ReflectionRule?, _ effects: inout [Effect]
  ) {
    if let rule {
      passages[direction]?.counters.kept[rule, default: 0] += 1
    } else {
      passages[direction]?.counters.questions += 1
    }
    tell(.question(question), direction, rule, &effects)
  }
}

extension DNSQuestion {
  /// The known answers to the question, of known answers by their names. An alias is one to a question for it alone: thousands would
  /// be so to each question for its name.
  fileprivate func knownAnswers(in known: [DNSName: [DNSRecord]]) -> [DNSRecord] {
    (known[name] ?? []).filter { type == .any || type == $0.type }
  }
}

extension DNSRecord {
  var isAddress: Bool {
    if case .address = data { true } else { false }
  }
}
