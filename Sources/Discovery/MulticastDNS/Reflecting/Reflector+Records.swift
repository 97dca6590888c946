import _BonjourishDiscovery

/// Records.
extension Reflector {
  /// A record of a message, and whether it was heard where its name lives.
  private struct Heard {
    let record: DNSRecord
    let name: DNSName?
    let isAnswer: Bool
    let isAtHome: Bool
    let isRepeated: Bool
  }

  /// Says what a host says on the links on which it may be seen.
  mutating func cross(
    _ message: DNSMessage, from source: MulticastSource, at now: Instant, _ effects: inout [Effect]
  ) {
    let interface = source.link.interface
    let others = others(than: interface)
    for record in message.answers + message.additionals {
      homes.speakers.learn(record, from: source, in: interfaces[interface]!.addresses)
    }
    let isRepeated = homes.speakers.isRepeater(homes.speakers[source], at: now)
    var heard: [Heard] = []
    for (records, isAnswer) in [(message.answers, true), (message.additionals, false)] {
      for record in records {
        let name = HomeTable.key(of: record)
        let place = name.map { hear($0, record, from: source, others, at: now) } ?? .home
        heard.append(Heard(record: record, name: name, isAnswer: isAnswer, isAtHome: place == .home, isRepeated: isRepeated))
      }
    }
    for other in others {
      carry(heard, ReflectionRules.Direction(from: interface, to: other), at: now, &effects)
    }
    for one in heard { interfaces[interface]!.note(one.record, at: now) }
  }

  private mutating func hear(
    _ name: DNSName, _ record: DNSRecord, from source: MulticastSource, _ others: [UInt32], at now: Instant
  ) -> HomeTable.Place {
    var word = HomeTable.Word(record: record, name: name, source: source)
    word.asked = others.filter { interfaces[$0]!.wasAsked(for: record, at: now) }
    if record.isAddress { word.said = others.filter { interfaces[$0]!.wasSaid(record, at: now) } }
    return homes.hear(word, at: now)
  }

  private mutating func carry(
    _ heard: [Heard], _ direction: ReflectionRules.Direction, at now: Instant, _ effects: inout [Effect]
  ) {
    guard passages[direction] != nil else {
      if isTelling { for one in heard { tell(.record(one.record), direction, .direction, &effects) } }
      return
    }
    let other = direction.to
    // In place: a copy would take time that grows with what is known.
    passages[direction]!.learn(heard.filter(\.isAtHome).map(\.record), at: now)
    let hasBudget = interfaces[other]!.hasBudget(at: now)
    var (answers, additionals): ([DNSRecord], [DNSRecord]) = ([], [])
    // What the rules let through, and of it what the other link has had a moment ago.
    var (allowed, recent): ([DNSRecord], [DNSRecord]) = ([], [])
    for one in heard {
      let record = one.record
      var rule = passages[direction]!.rule(for: record, at: now)
      if rule == nil, !one.isAtHome || isOneHost(record, one.name, direction, at: now) { rule = .elsewhere }
      if rule == nil { allowed.append(record) }
      if rule == nil, interfaces[other]!.isRecent(record, fromRepeater: one.isRepeated, at: now) {
        rule = .recent
        recent.append(record)
      }
      if rule == nil, !hasBudget { rule = .budget }
      count(record, direction, rule, &effects)
      guard rule == nil else { continue }
      interfaces[other]!.note(record, at: now)
      if let name = one.name { homes.noteCarrying(name, to: other, at: now) }
      if one.isAnswer { answers.append(record) } else { additionals.append(record) }
    }
    // Nobody reads a message without answers.
    if answers.isEmpty { (answers, additionals) = (additionals, []) }
    if !answers.isEmpty {
      var packer = MessagePacker(isResponse: true, limit: interfaces[other]!.limit)
      packer.add(answers: answers, additionals: additionals)
      send(packer.finished(), to: other, at: now, &effects)
    }
    if !allowed.isEmpty { answerAskers(direction, allowed, recent, at: now, &effects) }
  }

  /// Whether a record's owner probably has an interface in the other link, too, and says there what is right there.
  private mutating func isOneHost(
    _ record: DNSRecord, _ name: DNSName?, _ way: ReflectionRules.Direction, at now: Instant
  ) -> Bool {
    if let name, homes.isAlso(name, on: way.to, at: now) { return true }
    let links = [way.from, way.to]
    guard record.isAddress, record.timeToLive > 0,
      links.allSatisfy({ interfaces[$0]!.isProbed(record.name, within: Self.simultaneity, at: now) })
    else { return false }
    homes.noteHost(record.name, on: links, at: now)
    return true
  }

  private mutating func count(
    _ record: DNSRecord, _ direction: ReflectionRules.Direction, _ rule: ReflectionRule?, _ effects: inout [Effect]
  ) {
    if let rule {
      passages[direction]?.counters.kept[rule, default: 0] += 1
    } else if record.timeToLive == 0 {
      passages[direction]?.counters.goodbyes += 1
    } else {
      passages[direction]?.counters.records += 1
    }
    tell(.record(record), direction, rule, &effects)
  }

  // MARK: - Unicast

  /// Answers those who want an answer for themselves: legacy resolvers, which hear no group, and hosts that have asked for what
  /// their link got a moment ago.
  private mutating func answerAskers(
    _ direction: ReflectionRules.Direction, _ allowed: [DNSRecord], _ recent: [DNSRecord], at now: Instant,
    _ effects: inout [Effect]
  ) {
    let limit = interfaces[direction.to]!.limit
    for index in askers.waiting(on: direction.to, at: now) {
      let asker = askers.askers[index]
      func isWanted(_ record: DNSRecord) -> Bool {
        record.timeToLive > 0 && asker.questions.contains { $0.isAnswered(by: record) }
      }
      let answers = (asker.legacy == nil ? recent : allowed).filter(isWanted)
      let packets: [[UInt8]]
      if let legacy = asker.legacy {
        // An answer without records says that there is no record of that type.
        guard !answers.isEmpty || asker.questions.contains(where: { allowed.contains(where: $0.isDenied) }) else { continue }
        let others = answers.isEmpty ? [] : allowed.filter { !isWanted($0) && $0.timeToLive > 0 }
        packets = legacy.answer(answers, others, limit: limit).map { [$0] } ?? []
      } else {
        guard !answers.isEmpty else { continue }
        var packer = MessagePacker(isResponse: true, limit: limit)
        packer.add(answers: answers)
        packets = packer.finished()
      }
      guard askers.take(packets, for: index, at: now) else { continue }
      passages[direction]?.counters.unicastRecords += answers.count
      for packet in packets {
        count(packet, on: direction.to)
        effects.append(.send(packet, on: asker.source.link, to: .unicast(asker.source)))
      }
    }
  }
}
