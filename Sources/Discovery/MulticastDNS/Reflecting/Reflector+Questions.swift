import _BonjourishDiscovery

/// Questions and probes.
extension Reflector {
  /// For so many milliseconds, hosts of two links that probe for the same host name are taken for one with an interface in each.
  static let simultaneity: Int64 = 10_000

  /// Asks what a host asks on the links on which the answers may be.
  mutating func cross(
    _ message: DNSMessage, from source: MulticastSource, legacy: LegacyQuery?, at now: Instant, _ effects: inout [Effect]
  ) {
    let interface = source.link.interface
    let isProbe = !message.authorities.isEmpty
    let fromRepeater = homes.isRepeater(source, at: now)
    if isProbe { noteProbe(message, on: interface, at: now) }
    var allowed: Set<DNSQuestion> = []
    for other in others(than: interface) {
      let direction = ReflectionRules.Direction(from: other, to: interface)
      let hasBudget = interfaces[other]!.hasBudget(at: now)
      var packer = MessagePacker(isResponse: false, limit: interfaces[other]!.limit)
      for question in message.questions {
        let records = message.knownAnswers(to: question)
          .filter { isKnown($0, from: direction, at: now) }
        let known = Self.hash(of: records)
        var rule = passages[direction].map { $0.rule(asking: question, at: now) } ?? .direction
        if rule == nil { allowed.insert(question) }
        if rule == nil, isProbe, isOneHost(probingFor: question.name, message, on: other, at: now) { rule = .elsewhere }
        let proposed =
          isProbe && rule == nil ? proposals(for: question, in: message, from: interface, to: other, at: now, &effects) : []
        let isRecent =
          isProbe
          ? interfaces[other]!.isRecent(probe: question, proposing: proposed, fromRepeater: fromRepeater, at: now)
          : interfaces[other]!.isRecent(question, known: known, fromRepeater: fromRepeater, at: now)
        if rule == nil, isRecent { rule = .recent }
        if rule == nil, !hasBudget { rule = .budget }
        count(question, direction, rule, &effects)
        guard rule == nil else { continue }
        let plain = DNSQuestion(question.name, question.type, isOfAnyClass: question.isOfAnyClass)
        if isProbe {
          packer.add(plain, proposing: proposed)
          interfaces[other]!.note(proposals: proposed, at: now)
        } else {
          packer.add(plain, knowing: records)
        }
        interfaces[other]!.note(question, known: known, at: now)
      }
      send(packer.finished(), to: other, at: now, &effects)
    }
    for question in message.questions {
      let records = message.knownAnswers(to: question).filter { homeIs(interface, of: $0, at: now) }
      interfaces[interface]!.note(question, known: Self.hash(of: records), at: now)
    }
    interfaces[interface]!.note(proposals: message.authorities, at: now)
    noteAsker(source, message, allowed, legacy, at: now)
  }

  /// Notes for which names somebody on a link probes. The probe of a host on another link, which another reflector has carried over,
  /// is none.
  private mutating func noteProbe(_ message: DNSMessage, on interface: UInt32, at now: Instant) {
    for question in message.questions {
      let proposed = message.authorities.filter { $0.name == question.name }
      let isCopy = others(than: interface).contains {
        !proposed.isEmpty && interfaces[$0]!.isRecent(probe: question, proposing: proposed, fromRepeater: false, at: now)
      }
      if !isCopy { interfaces[interface]!.note(probeFor: question.name, at: now) }
    }
  }

  /// Notes who wants an answer sent to them, if they are on the link (RFC 6762 §11).
  private mutating func noteAsker(
    _ source: MulticastSource, _ message: DNSMessage, _ allowed: Set<DNSQuestion>, _ legacy: LegacyQuery?, at now: Instant
  ) {
    let questions = message.questions.filter { allowed.contains($0) && (legacy != nil || $0.wantsUnicast) }
    guard !questions.isEmpty, interfaces[source.link.interface]!.isOnLink(source.address) else { return }
    askers.note(source, questions, legacy: legacy, at: now)
  }

  /// Whether a known answer is of a service of the link on which the question is asked, and crosses. Others, such as those of the
  /// asker's own link, mean nothing there, and may not be seen there.
  private func isKnown(_ record: DNSRecord, from direction: ReflectionRules.Direction, at now: Instant) -> Bool {
    guard homeIs(direction.from, of: record, at: now), let passage = passages[direction] else { return false }
    return passage.rule(for: record, at: now) == nil
  }

  private func homeIs(_ interface: UInt32, of record: DNSRecord, at now: Instant) -> Bool {
    HomeTable.key(of: record).map { homes.home(of: $0, at: now) == interface } ?? false
  }

  private static func hash(of records: [DNSRecord]) -> Int {
    // The order does not matter. Zero stands for none.
    records.isEmpty ? 0 : records.reduce(1) { $0 ^ RecordKey.digest($1.name, $1.data) }
  }

  /// Whether a probe for a host name is probably that of a host with an interface in both links. Seen on the other, its addresses
  /// would look like those of another host with its name, and it would take another.
  private func isOneHost(probingFor name: DNSName, _ message: DNSMessage, on other: UInt32, at now: Instant) -> Bool {
    guard message.authorities.contains(where: { $0.name == name && $0.isAddress }) else { return false }
    return interfaces[other]!.isProbed(name, within: Self.simultaneity, at: now) || homes.isAlso(name, on: other, at: now)
  }

  /// The records that a probe proposes, if they may be seen on the other link (RFC 6762 §8.2).
  private mutating func proposals(
    for question: DNSQuestion, in message: DNSMessage, from interface: UInt32, to other: UInt32, at now: Instant,
    _ effects: inout [Effect]
  ) -> [DNSRecord] {
    let direction = ReflectionRules.Direction(from: interface, to: other)
    let records = message.authorities.filter { $0.name == question.name }
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

extension DNSMessage {
  /// The known answers that concern a question.
  fileprivate func knownAnswers(to question: DNSQuestion) -> [DNSRecord] { answers.filter { question.isAnswered(by: $0) } }
}

extension DNSRecord {
  var isAddress: Bool {
    if case .address = data { true } else { false }
  }
}
