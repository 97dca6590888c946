import Timing

/// The questions of one link, and their schedule.
struct QuestionTable {
  private var questions = SlotMap<LinkQuestion>()
  private var slots: [SetKey: Int] = [:]
  /// The types that have been asked for.
  private(set) var types: [DNSType] = []
  private var timers = DeadlineQueue()
  /// The time when new questions are sent together.
  private var nextSending = Instant(microseconds: .min)
  /// The questions without subscribers about records in doubt, and the time when they are sent.
  private var extraQuestions: [SetKey] = []
  private var extraSending = Instant.never

  /// The time when the next question is due.
  var nextDeadline: Instant { min(timers.next, extraSending) }

  subscript(slot: Int) -> LinkQuestion {
    get { questions[slot] }
    _modify { yield &questions[slot] }
  }

  func find(_ name: DNSName, _ type: DNSType) -> Int? { slots[SetKey(name: name, type: type)] }

  func find(_ key: SetKey) -> Int? { slots[key] }

  /// The questions that a record of this name and type answers.
  func answered(by name: DNSName, _ type: DNSType) -> [Int] {
    [find(name, type), find(name, .any)].compactMap(\.self)
  }

  func areAnswered(by name: DNSName, _ type: DNSType) -> Bool {
    find(name, type) != nil || find(name, .any) != nil
  }

  /// Adds a question. It is not asked until ``startSeries(_:_:)``.
  mutating func insert(_ key: SetKey) -> Int {
    let slot = questions.insert(LinkQuestion(key))
    slots[key] = slot
    if !types.contains(key.type) { types.append(key.type) }
    return slot
  }

  mutating func remove(_ slot: Int) {
    slots[questions.remove(slot).key] = nil
    timers.remove(slot)
  }

  // MARK: - Schedule

  /// Starts a new series: asks together with the next questions, then at growing intervals.
  mutating func startSeries(_ slot: Int, _ step: inout Step) {
    questions[slot].interval = LinkQuestion.firstInterval
    questions[slot].seriesAt = nextSending(&step)
    timers.set(slot, to: questions[slot].deadline)
  }

  /// Ends the series, because the whole answer is known.
  mutating func endSeries(_ slot: Int, on link: MulticastLink, _ step: inout Step) {
    questions[slot].seriesAt = .never
    questions[slot].interval = LinkQuestion.firstInterval
    if !questions[slot].isSettled { settle(slot, on: link, &step) }
    timers.set(slot, to: questions[slot].deadline)
  }

  /// Asks about a record together with the next questions, even without a subscriber, because the record may be in doubt.
  mutating func askAgain(_ name: DNSName, _ type: DNSType, _ step: inout Step) {
    guard let slot = answered(by: name, type).first else {
      let key = SetKey(name: name, type: type)
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
  /// A question that other hosts have just asked counts as asked (RFC 6762 §7.3).
  mutating func popDue(on link: MulticastLink, _ step: inout Step) -> [(key: SetKey, slot: Int?)] {
    var due: [(key: SetKey, slot: Int?)] = []
    while let slot = timers.popFirst(through: step.now) {
      if questions[slot].settlesAt <= step.now, !questions[slot].putOffSettling(at: step.now) { settle(slot, on: link, &step) }
      if questions[slot].askAt <= step.now {
        if !questions[slot].isAskedByOthers(at: step.now) { due.append((questions[slot].key, slot)) }
        questions[slot].wasAsked(at: step.now)
      }
      timers.set(slot, to: questions[slot].deadline)
    }
    if extraSending <= step.now {
      due += extraQuestions.map { ($0, nil) }
      extraQuestions = []
      extraSending = .never
    }
    return due
  }

  private mutating func settle(_ slot: Int, on link: MulticastLink, _ step: inout Step) {
    questions[slot].isSettled = true
    questions[slot].settlesAt = .never
    for query in questions[slot].subscribers { step.reports.append((link, .settled(query))) }
  }
}
