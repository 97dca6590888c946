import _BonjourishDiscovery

/// The questions and known records of one link.
struct Querier {
  /// The maximum number of known answers with a question. Hosts send further ones again.
  private static let maximumKnownAnswers = 4096

  let link: MulticastLink
  /// The longest datagram in bytes that is not sent in fragments.
  var packetLimit = MessagePacker.longestLimit
  var cache = RecordCache()
  var questions = QuestionTable()
  var overheard: [OverheardQuery] = []
  /// By how many thousandths of the random time the records that are due next are asked for sooner; nil if that is still to be drawn.
  var renewalJitter: Int64?
  /// When all records were last looked through for those that are asked for together.
  var renewed = Instant(microseconds: .min)
  /// The queries that asked for records, by slot, while these were leaving. They have not been told of the records.
  var latecomers: [Int: [MulticastEngine.QueryID]] = [:]
  /// What was sent, and what was dropped for want of room.
  var counters = MessageCounters()
  var displacements = Allowance.displacements

  init(_ link: MulticastLink) {
    self.link = link
  }

  /// The time when the next record or question is due.
  var nextDeadline: Instant { min(cache.deadlines.next, questions.nextDeadline) }

  /// Adds a subscriber to a question, and gives it the known answers at once. Records that are leaving are not told unless they
  /// are confirmed.
  mutating func ask(_ key: HashedKey, for query: MulticastEngine.QueryID, _ step: inout Step) {
    let slot = questions.find(key) ?? begin(key, &step)
    followAlias(slot, &step)
    questions[slot].subscribers.append(query)
    for record in questions.chain(from: key).flatMap({ records(answering: $0) }) { tell(record, to: [query], &step) }
    if questions.isSettled(slot) { step.reports.append((link, .settled(query))) }
  }

  /// Tells queries of a known record; of one that is leaving only when it is confirmed.
  mutating func tell(_ record: Int, to queries: [MulticastEngine.QueryID], _ step: inout Step) {
    guard cache[record].standing != .leaving else { return latecomers[record, default: []] += queries }
    for query in queries { step.effects.append(.answer(query, .added(cache[record].record, link))) }
  }

  mutating func endAsking(_ key: HashedKey, for query: MulticastEngine.QueryID, at now: Instant) {
    guard let slot = questions.find(key) else { return }
    questions[slot].subscribers.removeAll { $0 == query }
    endIfUnused(slot, at: now)
  }

  /// Ends a question and reports that its known answers are gone, because the query goes on without this link.
  mutating func leave(_ key: HashedKey, for query: MulticastEngine.QueryID, _ step: inout Step) {
    for record in questions.chain(from: key).flatMap({ records(answering: $0) })
    where !latecomers[record, default: []].contains(query) {
      step.effects.append(.answer(query, .removed(cache[record].record, link)))
    }
    endAsking(key, for: query, at: step.now)
  }

  mutating func begin(_ key: HashedKey, _ step: inout Step) -> Int {
    let slot = questions.insert(key)
    for record in records(answering: key) {
      cache.setWanted(record, true)
      resumeRefreshing(record, &step)
    }
    if isWhollyAnswered(key) { questions[slot].isSettled = true } else { questions.startSeries(slot, &step) }
    return slot
  }

  /// Whether no further answers are expected: the single owner of the records is this host, or has answered (RFC 6762 §5.2) or
  /// denied them (§6.1).
  func isWhollyAnswered(_ key: HashedKey) -> Bool {
    if let slot = cache.latest(of: key), cache[slot].isUnique { return true }
    if key.followsAliases, let slot = cache.latest(of: HashedKey(name: key.name, type: .cname)), cache[slot].isUnique {
      return true
    }
    guard let slot = cache.latest(of: HashedKey(name: key.name, type: .nsec)) else { return false }
    return cache[slot].data.denies(key.type)
  }

  /// Sends the questions that are due.
  mutating func sendDueQuestions(_ step: inout Step) {
    guard questions.nextDeadline <= step.now else { return }
    var packer = MessagePacker(isResponse: false, limit: packetLimit)
    let due = questions.popDue(on: link, knowing: cache, &step)
    let instances = instancesUnansweredByAvahi(due)
    let unanswered = Set(instances.map { DNSData.ptr($0) })
    for (key, slot) in due {
      let known = slot == nil ? [] : knownAnswers(to: key, except: unanswered, at: step.now)
      packer.add(DNSQuestion(key.name, key.type), knowing: known)
    }
    for key in types(of: instances) where !due.contains(where: { $0.key == key }) {
      packer.add(DNSQuestion(key.name, key.type), knowing: knownAnswers(to: key, except: unanswered, at: step.now))
    }
    let packets = packer.finished()
    counters.queriesSent += packets.count
    step.send(packets, on: link)
  }

  /// - Parameter unanswered: The data of records that are to be answered, although they are known.
  private func knownAnswers(to key: HashedKey, except unanswered: Set<DNSData>, at now: Instant) -> [DNSRecord] {
    guard key.type != .any else { return [] }
    return cache.slots(of: key).lazy.map { cache[$0] }
      .filter { $0.isKnownAnswer(at: now) && (unanswered.isEmpty || !unanswered.contains($0.data)) }
      .prefix(Self.maximumKnownAnswers).map { DNSRecord($0.name, $0.data, timeToLive: $0.remaining(at: now)) }
  }
}
