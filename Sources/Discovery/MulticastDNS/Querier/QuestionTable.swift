import _BonjourishBase

/// The questions of one link, and their schedule.
struct QuestionTable {
  private var questions = SlotMap<LinkQuestion>()
  private var index = SlotIndex()
  /// Each slot in the form in which ``specific(to:)`` returns it for each record.
  private var lists: [[Int]] = []
  /// The types that have been asked for.
  private(set) var types: [DNSType] = []
  private var timers = DeadlineQueue()
  /// The time when new questions are sent together.
  private var nextSending = Instant(microseconds: .min)
  /// The questions whose series waits until something else is asked.
  private var patient: Set<Int> = []
  /// The questions without subscribers about records in doubt, and the time when they are sent.
  private var extraQuestions: [HashedKey] = []
  private var extraSending = Instant.never

  /// The time when the next question is due.
  var nextDeadline: Instant { min(timers.next, extraSending) }

  subscript(slot: Int) -> LinkQuestion {
    get { questions[slot] }
    _modify { yield &questions[slot] }
  }

  func find(_ name: DNSName, _ type: DNSType) -> Int? {
    // Most types are never asked for, and comparing is faster than hashing.
    types.contains(type) ? find(HashedKey(name: name, type: type)) : nil
  }

  func find(_ key: HashedKey) -> Int? {
    index.first(hash: key.digest) { questions[$0].key == key }
  }

  /// The questions that a record of this name and type answers.
  func answered(by key: HashedKey) -> [Int] {
    var slots = specific(to: key)
    if let slot = find(key.name, .any) { slots.append(slot) }
    return slots
  }

  /// The same without questions for all types. A CNAME record answers questions for addresses too (RFC 6762 §6).
  func specific(to key: HashedKey) -> [Int] {
    var slots = find(key).map { lists[$0] } ?? []
    if key.type == .cname { slots += [find(key.name, .a), find(key.name, .aaaa)].compactMap(\.self) }
    return slots
  }

  func areAnswered(by key: HashedKey) -> Bool { !answered(by: key).isEmpty }

  /// Adds a question. It is not asked until ``startSeries(_:_:)``.
  mutating func insert(_ key: HashedKey) -> Int {
    let slot = questions.insert(LinkQuestion(key))
    while lists.count <= slot { lists.append([lists.count]) }
    index.insert(slot, hash: key.digest)
    if !types.contains(key.type) { types.append(key.type) }
    return slot
  }

  mutating func remove(_ slot: Int) {
    questions.remove(slot)
    index.remove(slot)
    timers.remove(slot)
    patient.remove(slot)
  }

  // MARK: - Schedule

  /// Starts a new series: asks together with the next questions, then at growing intervals.
  mutating func startSeries(_ slot: Int, _ step: inout Step) {
    patient.remove(slot)
    questions[slot].interval = LinkQuestion.firstInterval
    questions[slot].seriesAt = nextSending(&step)
    timers.set(slot, to: questions[slot].deadline)
  }

  /// Starts a new series in place of one whose next query is more than a minute away. So a question is asked at most seven times in
  /// 63 seconds, however often it is hastened.
  mutating func hastenSeries(_ slot: Int, _ step: inout Step) {
    let next = questions[slot].seriesAt
    guard next != .never, next - step.now > LinkQuestion.longestWait else { return }
    startSeries(slot, &step)
    guard let last = questions[slot].lastAsked else { return }
    questions[slot].seriesAt = max(questions[slot].seriesAt, last + LinkQuestion.firstInterval)
    timers.set(slot, to: questions[slot].deadline)
  }

  /// Ends the series, because the whole answer is known.
  mutating func endSeries(_ slot: Int, on link: MulticastLink, _ step: inout Step) {
    questions[slot].seriesAt = .never
    patient.remove(slot)
    questions[slot].interval = LinkQuestion.firstInterval
    if !questions[slot].isSettled { settle(slot, on: link, &step) }
    timers.set(slot, to: questions[slot].deadline)
  }

  /// Asks about a record together with the next questions, even without a subscriber, because the record may be in doubt.
  mutating func askAgain(_ key: HashedKey, _ step: inout Step) {
    guard let slot = answered(by: key).first else {
      if !extraQuestions.contains(key) { extraQuestions.append(key) }
      extraSending = nextSending(&step)
      return
    }
    questions[slot].refreshAt = min(questions[slot].refreshAt, nextSending(&step))
    timers.set(slot, to: questions[slot].deadline)
  }

  /// The time of the next query. A new question waits for 20–120 ms, and is sent together with all questions that are added
  /// meanwhile (RFC 6762 §5.2).
  private mutating func nextSending(_ step: inout Step) -> Instant {
    if nextSending <= step.now { nextSending = step.moment(in: 20...120) }
    return nextSending
  }

  // MARK: - Sending

  /// Returns the questions to send now with their slots; the slot is nil for a question without subscribers.
  ///
  /// A question that other hosts have just asked counts as asked (RFC 6762 §7.3). One that is seldom asked waits for records that must
  /// be asked for again soon (§5.3).
  mutating func popDue(on link: MulticastLink, knowing cache: RecordCache, _ step: inout Step) -> [(key: HashedKey, slot: Int?)]
  {
    var due: [(key: HashedKey, slot: Int?)] = []
    while let slot = timers.popFirst(through: step.now) {
      if questions[slot].isSettling(at: step.now), !questions[slot].putOffSettling(at: step.now) {
        settle(slot, on: link, &step)
      }
      let (refresh, limit) = (questions[slot].refreshAt, questions[slot].seriesAt + questions[slot].longestWait)
      if questions[slot].askAt > step.now {
        timers.set(slot, to: questions[slot].deadline)
      } else if refresh > step.now, step.now < limit, min(cache.nextRenewal, refresh) < limit {
        patient.insert(slot)
        timers.set(slot, to: min(limit, refresh))
      } else {
        ask(slot, &due, at: step.now)
      }
    }
    if extraSending <= step.now {
      due += extraQuestions.map { ($0, nil) }
      extraQuestions = []
      extraSending = .never
    }
    if !due.isEmpty { for slot in patient.sorted() { ask(slot, &due, at: step.now) } }
    return due
  }

  private mutating func ask(_ slot: Int, _ due: inout [(key: HashedKey, slot: Int?)], at now: Instant) {
    if !questions[slot].isAskedByOthers(at: now) { due.append((questions[slot].key, slot)) }
    questions[slot].wasAsked(at: now)
    patient.remove(slot)
    timers.set(slot, to: questions[slot].deadline)
  }

  private mutating func settle(_ slot: Int, on link: MulticastLink, _ step: inout Step) {
    questions[slot].isSettled = true
    questions[slot].settlesAt = .never
    reportSettled(slot, on: link, &step)
  }

  // MARK: - Aliases

  /// Whether the prompt answers to a question and to its alias have arrived.
  func isSettled(_ slot: Int) -> Bool {
    questions[slot].isSettled && (questions[slot].alias.flatMap { find($0) }.map { isSettled($0) } ?? true)
  }

  /// Reports the question as settled, and those that have it as their alias, as far as they are.
  func reportSettled(_ slot: Int, on link: MulticastLink, _ step: inout Step) {
    guard isSettled(slot) else { return }
    for query in questions[slot].subscribers { step.reports.append((link, .settled(query))) }
    for follower in questions[slot].followers { if let slot = find(follower) { reportSettled(slot, on: link, &step) } }
  }

  /// The queries for a question and for those that have it as their alias.
  func queries(for slot: Int) -> [MulticastEngine.QueryID] {
    guard !questions[slot].followers.isEmpty else { return questions[slot].subscribers }
    return questions[slot].followers.compactMap { find($0) }.reduce(questions[slot].subscribers) { $0 + queries(for: $1) }
  }

  /// The number of aliases in the longest row that leads to a question.
  func aliases(before slot: Int) -> Int {
    questions[slot].followers.compactMap { find($0) }.map { 1 + aliases(before: $0) }.max() ?? 0
  }

  /// A question and its aliases in their order.
  func chain(from key: HashedKey) -> [HashedKey] {
    var chain = [key]
    while let slot = find(chain[chain.count - 1]), let alias = questions[slot].alias { chain.append(alias) }
    return chain
  }
}
