/// Turns instances into endpoints: which records to ask for, and what their answers come to.
///
/// A value without I/O: wishes, answers and time go in, questions and endpoints come out. Instances on one host share the
/// questions for its addresses. At most ``Limits/inFlight`` and a few instances are being resolved at a time, and at most
/// ``Limits/kept`` are followed for changes afterwards; the others, and those with a question that failed, are asked for again
/// by turns.
package struct ResolverState {
  package struct Limits: Sendable {
    /// How many instances are resolved at a time.
    package var inFlight = 32
    /// How many more of a crowd are looked at beside them, to see what is known of them already.
    package var glances = 8
    /// How many instances are followed once they are resolved.
    package var kept = 200
    /// How long an instance that is being resolved may keep others waiting; then it goes on after them.
    package var turn: Duration = .seconds(1)
    /// How long an instance is waited for, in all its turns, before it is reported without an endpoint.
    package var patience: Duration = .seconds(5)
    /// How long after a host's first address the rest of them are waited for.
    package var addressPatience: Duration = .milliseconds(150)
    /// How often one of those that are not followed is asked for again.
    package var refresh: Duration = .seconds(2)

    package init() {}
  }

  package enum Effect: Hashable, Sendable {
    case ask(RecordQuestion)
    case endAsking(RecordQuestion)
    /// The instance has this endpoint now; nil when nobody has answered in time.
    case resolved(ServiceInstance, Endpoint?)
  }

  enum Phase {
    /// Waits for its turn.
    case queued
    /// Asked for, and not decided: goes to `followed` or `resting`.
    case inFlight(giveUpAt: ContinuousClock.Instant)
    /// Decided, and its questions stay open; none of them had failed by then.
    case followed
    /// Decided, and not asked for at present: goes to `inFlight` again.
    case resting
  }

  struct Item {
    var phase = Phase.queued
    /// Whether it has had a turn in vain.
    var hadTurn = false
    /// How long it is still waited for.
    var patience: Duration
    var host: DomainName?
    var endpoint: Endpoint?
    var isDecided = false
  }

  /// An instance that is in flight.
  private struct Flight {
    /// When it is to be looked at again.
    var deadline: ContinuousClock.Instant
    /// When it makes room, if others wait.
    let turnEnd: ContinuousClock.Instant
  }

  let interface: NetworkInterface?
  let limits: Limits
  var items: [ServiceInstance: Item] = [:]
  var answers: [RecordQuestion: LookupAnswer] = [:]
  private var queue = TurnQueue()
  private var inFlight: [ServiceInstance: Flight] = [:]
  private var followed = 0
  private var resting: [ServiceInstance] = []
  private var refreshAt: ContinuousClock.Instant?

  /// - Parameter interface: The only interface to ask on; nil for all.
  package init(on interface: NetworkInterface?, limits: Limits = Limits()) {
    self.interface = interface
    self.limits = limits
  }

  /// Whether some instance has been reported neither with nor without an endpoint.
  package var isBusy: Bool { !queue.isEmpty || inFlight.keys.contains { items[$0]?.isDecided == false } }

  /// The endpoint reported last.
  package func endpoint(of instance: ServiceInstance) -> Endpoint? { items[instance]?.endpoint }

  /// When ``advance(to:)`` has something to do.
  package var nextDeadline: ContinuousClock.Instant? {
    var next = refreshAt
    for flight in inFlight.values {
      let deadline = queue.isEmpty ? flight.deadline : min(flight.deadline, flight.turnEnd)
      next = next.map { min($0, deadline) } ?? deadline
    }
    return next
  }

  // MARK: - Events

  /// Begins to resolve an instance; harmless when it is being resolved.
  package mutating func want(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    guard items[instance] == nil else { return [] }
    items[instance] = Item(patience: limits.patience)
    queue.append(instance, hadTurn: false)
    return fill(at: now)
  }

  /// Gives an instance up.
  package mutating func forget(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    guard let item = items[instance] else { return [] }
    let effects = endAsking(for: instance)
    switch item.phase {
    case .queued: queue.remove(instance)
    case .inFlight: inFlight[instance] = nil
    case .followed: followed -= 1
    case .resting: resting.removeAll { $0 == instance }
    }
    items[instance] = nil
    if resting.isEmpty { refreshAt = nil }
    return effects + fill(at: now)
  }

  /// Takes in what was said to a question that was asked.
  package mutating func handle(
    _ event: LookupEvent, to question: RecordQuestion, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard answers[question] != nil else { return [] }
    answers[question]!.handle(event, at: now)
    let users = answers[question]!.users.sorted { $0.name.text < $1.name.text }
    return users.flatMap { evaluate($0, at: now) + makeWay($0, at: now) } + fill(at: now)
  }

  /// Lets time pass.
  package mutating func advance(to now: ContinuousClock.Instant) -> [Effect] {
    var effects: [Effect] = []
    let due = inFlight.filter { $0.value.deadline <= now }.keys
    for instance in due.sorted(by: { $0.name.text < $1.name.text }) {
      effects += evaluate(instance, at: now)
      if case .inFlight(let giveUpAt)? = items[instance]?.phase, giveUpAt <= now { effects += decide(instance, nil, at: now) }
    }
    if let refreshAt, refreshAt <= now {
      if inFlight.count < limits.inFlight { effects += start(resting.removeFirst(), at: now) }
      self.refreshAt = resting.isEmpty ? nil : now + limits.refresh
    }
    return effects + fill(at: now)
  }

  // MARK: - Instances

  private mutating func fill(at now: ContinuousClock.Instant) -> [Effect] {
    var effects: [Effect] = []
    while !queue.isEmpty {
      if inFlight.count >= limits.inFlight {
        guard let slow = slowest(at: now) else { break }
        effects += postpone(slow, at: now)
      }
      guard let next = queue.popNext() else { break }
      effects += start(next, at: now)
    }
    while isCrowded, inFlight.count < limits.inFlight + limits.glances, let next = queue.popNewcomer() {
      effects += start(next, at: now)
    }
    return effects
  }

  /// Whether more wait for their first turn than have theirs.
  private var isCrowded: Bool { queue.newcomerBound > limits.inFlight }

  /// The instance whose turn has been over for the longest time.
  private func slowest(at now: ContinuousClock.Instant) -> ServiceInstance? {
    // Nearly always there is none.
    guard inFlight.values.contains(where: { $0.turnEnd <= now }) else { return nil }
    return inFlight.min { ($0.value.turnEnd, $0.key.name.text) < ($1.value.turnEnd, $1.key.name.text) }?.key
  }

  /// In a crowd that has not had a turn, lets one go on after the others about whom nothing is known beforehand.
  ///
  /// So what the network has told already is found at once, even in the middle of thousands that nobody answers for.
  private mutating func makeWay(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    guard isCrowded, let item = items[instance], case .inFlight = item.phase, !item.isDecided,
      !item.hadTurn, let answer = answers[question(.instance(instance), .srv)], answer.isCacheExhausted, answer.records.isEmpty
    else { return [] }
    return postpone(instance, at: now)
  }

  /// Makes room for those that wait.
  private mutating func postpone(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    guard case .inFlight(let giveUpAt)? = items[instance]?.phase else { return [] }
    let effects = endAsking(for: instance)
    inFlight[instance] = nil
    items[instance]!.host = nil
    if items[instance]!.isDecided {
      rest(instance, at: now)
    } else {
      items[instance]!.phase = .queued
      items[instance]!.patience = giveUpAt - now
      items[instance]!.hadTurn = true
      queue.append(instance, hadTurn: true)
    }
    return effects
  }

  private mutating func rest(_ instance: ServiceInstance, at now: ContinuousClock.Instant) {
    items[instance]!.phase = .resting
    resting.append(instance)
    if refreshAt == nil { refreshAt = now + limits.refresh }
  }

  private mutating func start(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    let giveUpAt = now + (items[instance]!.isDecided ? limits.patience : items[instance]!.patience)
    items[instance]!.phase = .inFlight(giveUpAt: giveUpAt)
    inFlight[instance] = Flight(deadline: giveUpAt, turnEnd: now + limits.turn)
    return ask(question(.instance(instance), .srv), for: instance) + ask(question(.instance(instance), .txt), for: instance)
  }

  /// When an instance that is in flight is to be looked at again.
  private func deadline(of instance: ServiceInstance) -> ContinuousClock.Instant? {
    guard let item = items[instance], case .inFlight(let giveUpAt) = item.phase else { return nil }
    guard server(of: instance) != nil, text(of: instance) != nil, !addresses(of: item).isEmpty else { return giveUpAt }
    return min(addressDeadline(of: item) ?? giveUpAt, giveUpAt)
  }

  /// Looks at what is known of an instance, and asks for or reports what follows from it.
  private mutating func evaluate(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    let effects = proceed(with: instance, at: now)
    // Kept, because it is wanted after every event and costs several look-ups.
    if let deadline = deadline(of: instance) { inFlight[instance]?.deadline = deadline }
    return effects
  }

  private mutating func proceed(with instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    var effects: [Effect] = []
    guard let server = server(of: instance) else { return [] }
    if items[instance]!.host != server.host {
      let former = addressQuestions(of: items[instance]!)
      items[instance]!.host = server.host
      // The new questions first: what both hosts share stays open.
      for question in addressQuestions(of: items[instance]!) { effects += ask(question, for: instance) }
      for question in former { effects += endAsking(question, for: instance) }
    }
    guard let txt = text(of: instance) else { return effects }
    let addresses = addresses(of: items[instance]!)
    guard !addresses.isEmpty else { return effects }
    switch items[instance]!.phase {
    case .inFlight(let giveUpAt):
      if now < giveUpAt, !hasAllAddresses(items[instance]!, at: now) { return effects }
    case .followed:
      // What was reported stands until those who answer at once have answered again.
      if addressQuestions(of: items[instance]!).contains(where: { answers[$0]?.isRenewed == true }) { return effects }
    case .queued, .resting: break
    }
    return effects + decide(instance, Endpoint(host: server.host, port: server.port, txt: txt, addresses: addresses), at: now)
  }

  /// Reports an endpoint, or the lack of one, and makes room for the next instance.
  private mutating func decide(_ instance: ServiceInstance, _ endpoint: Endpoint?, at now: ContinuousClock.Instant) -> [Effect]
  {
    var effects: [Effect] = []
    var item = items[instance]!
    // Whoever had an endpoint keeps it: that it is gone is for the browser to say.
    if endpoint != nil || !item.isDecided {
      if endpoint != item.endpoint || !item.isDecided { effects.append(.resolved(instance, endpoint)) }
      item.endpoint = endpoint
      item.isDecided = true
    }
    if case .inFlight = item.phase {
      inFlight[instance] = nil
      if followed < limits.kept, questions(of: instance).allSatisfy({ answers[$0]?.hasFailed == false }) {
        followed += 1
        item.phase = .followed
      } else {
        effects += endAsking(for: instance)
        item.host = nil
        item.phase = .resting
        resting.append(instance)
        if refreshAt == nil { refreshAt = now + limits.refresh }
      }
    }
    items[instance] = item
    return effects
  }
}
