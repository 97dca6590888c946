/// Follows aliases: the addresses of a name with a CNAME record are those of the record's target.
///
/// The question for the name then has that for the target as its alias. Rows of aliases are bounded, and never closed to a loop.
extension Querier {
  /// The known records that answer a question, those of its alias excepted.
  func records(answering key: HashedKey) -> [Int] {
    guard key.followsAliases else { return cache.slots(of: key) }
    return cache.slots(of: key) + cache.slots(of: HashedKey(name: key.name, type: .cname))
  }

  /// Lets the questions for a name's addresses follow its CNAME record. Call it when the record has come or gone.
  mutating func followAlias(of name: DNSName, _ step: inout Step) {
    for type in [DNSType.a, .aaaa] { if let slot = questions.find(name, type) { followAlias(slot, &step) } }
  }

  mutating func followAlias(_ slot: Int, _ step: inout Step) {
    let key = questions[slot].key
    guard key.followsAliases else { return }
    let target = cache.latest(of: HashedKey(name: key.name, type: .cname)).flatMap { cache[$0].data.alias }
    guard target != questions[slot].alias?.name else { return }
    // A change that comes too soon is made up for when the former record goes.
    if target != nil, let began = questions[slot].aliasBegan, step.now - began < LinkQuestion.aliasInterval { return }
    if questions[slot].alias != nil { endAlias(slot, &step) }
    if let target { beginAlias(slot, HashedKey(name: target, type: key.type), &step) }
  }

  private mutating func beginAlias(_ slot: Int, _ alias: HashedKey, _ step: inout Step) {
    let key = questions[slot].key
    let chain = questions.chain(from: alias)
    guard !chain.contains(key), questions.aliases(before: slot) + chain.count <= LinkQuestion.maximumAliases else { return }
    let queries = questions.queries(for: slot)
    for record in chain.flatMap({ records(answering: $0) }) { tell(record, to: queries, &step) }
    let known = questions.find(alias)
    let next = known ?? begin(alias, &step)
    questions[slot].alias = alias
    questions[slot].aliasBegan = step.now
    questions[next].followers.append(key)
    if known == nil { followAlias(next, &step) }
  }

  private mutating func endAlias(_ slot: Int, _ step: inout Step) {
    guard let alias = questions[slot].alias, let next = questions.find(alias) else { return }
    let key = questions[slot].key
    let queries = questions.queries(for: slot)
    for record in questions.chain(from: alias).flatMap({ records(answering: $0) }) {
      let latecomers = latecomers[record, default: []]
      for query in queries where !latecomers.contains(query) {
        step.effects.append(.answer(query, .removed(cache[record].record, link)))
      }
      self.latecomers[record]?.removeAll { queries.contains($0) }
    }
    questions[slot].alias = nil
    questions[next].followers.removeAll { $0 == key }
    questions.reportSettled(slot, on: link, &step)
    endIfUnused(next, at: step.now)
  }

  /// Ends a question that no query and no other question needs, and its alias if it is not needed otherwise.
  mutating func endIfUnused(_ slot: Int, at now: Instant) {
    guard questions[slot].subscribers.isEmpty, questions[slot].followers.isEmpty else { return }
    let (key, alias) = (questions[slot].key, questions[slot].alias)
    questions.remove(slot)
    for record in records(answering: key) where !questions.areAnswered(by: cache.key(of: record)) {
      cache.setWanted(record, false)
      scheduleRecord(record, at: now)
    }
    guard let alias, let next = questions.find(alias) else { return }
    questions[next].followers.removeAll { $0 == key }
    endIfUnused(next, at: now)
  }
}

extension HashedKey {
  /// Whether the question is for addresses, which an alias of its name has too.
  var followsAliases: Bool { type == .a || type == .aaaa }
}

extension DNSData {
  fileprivate var alias: DNSName? { if case .cname(let target) = self { target } else { nil } }
}
