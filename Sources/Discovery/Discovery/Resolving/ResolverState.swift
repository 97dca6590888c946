/// The state machine that resolves instances: decides which records to ask for, and combines the answers into endpoints.
///
/// A value without I/O: instances, answers and time go in, questions and endpoints come out. Instances on one host share the
/// questions for its addresses. A resolved instance whose records expire is suspected, and lost when no host answers in time. At
/// most ``Limits/inFlight`` plus ``Limits/glances`` instances are resolved at a time. At most
/// ``Limits/kept`` are then followed for changes. The others, and those with a failed question, are refreshed in rotation.
package struct ResolverState {
  package struct Limits: Sendable {
    /// The number of instances that are resolved at a time.
    package var inFlight = 32
    /// The number of additional instances that are started when many wait, to find those that the engine knows already.
    package var glances = 8
    /// The number of resolved instances that are followed for changes.
    package var kept = 200
    /// The length of a turn. After it, an instance makes room for others that wait, and continues later.
    package var turn: Duration = .seconds(1)
    /// The total time of an instance's turns before it is reported without an endpoint.
    package var timeout: Duration = .seconds(5)
    /// The time to wait for a host's other addresses after the first.
    package var addressTimeout: Duration = .milliseconds(150)
    /// The interval at which one of the instances that are not followed is asked for again.
    package var refresh: Duration = .seconds(2)
    /// The time for which a TXT record of another host than that of the SRV record does not count. Two hosts with one name agree
    /// within it who keeps the name.
    package var pairing: Duration = .seconds(3)
    /// The time from suspicion to loss. In 5 s the engine asks three times (RFC 6762 §5.2).
    package var suspicion: Duration = .seconds(5)

    package init() {}
  }

  package enum Effect: Hashable, Sendable {
    case ask(RecordQuestion)
    case endAsking(RecordQuestion)
    /// The instance has a new endpoint, or has one again after `suspected` or `lost`; nil when no host has answered in time.
    case resolved(ServiceInstance, Endpoint?)
    /// The SRV record or all addresses of a resolved instance have expired or were withdrawn. The network should be asked whether
    /// the instance exists (RFC 6762 §10.4).
    case suspected(ServiceInstance)
    /// No host has answered for a suspected instance.
    case lost(ServiceInstance)
  }

  enum Phase {
    /// Waits for its turn.
    case queued
    /// Its questions are open. Goes to `followed` or `resting` when it is decided, or back to `queued` after its turn.
    case inFlight(giveUpAt: ContinuousClock.Instant)
    /// Decided. Its questions stay open, and none had failed when it was decided.
    case followed
    /// Decided. Its questions are ended. Goes to `inFlight` for a refresh.
    case resting
  }

  enum Absence {
    case none, suspected, lost
  }

  struct Item {
    var phase = Phase.queued
    /// Whether it has had a turn without a result.
    var hadTurn = false
    /// The rest of its time to be resolved.
    var timeout: Duration
    var host: DomainName?
    var endpoint: Endpoint?
    /// The addresses that were refused when it was decided that it has no endpoint.
    var refused: [IPAddress] = []
    var isDecided = false
    var absence = Absence.none
  }

  /// An instance that is in flight.
  struct Flight {
    /// The time of the next evaluation.
    var deadline: ContinuousClock.Instant
    /// The time from which it makes room for others that wait.
    let turnEnd: ContinuousClock.Instant
  }

  let interfaces: InterfaceSelection
  let filter: AddressFilter
  let limits: Limits
  /// A random number, which chooses between servers of one instance.
  let draw: UInt32
  var items: [ServiceInstance: Item] = [:]
  var answers: [RecordQuestion: LookupAnswer] = [:]
  private var queue = TurnQueue()
  var inFlight: [ServiceInstance: Flight] = [:]
  /// The times at which suspected instances are lost.
  var suspects: [ServiceInstance: ContinuousClock.Instant] = [:]
  /// From when on the TXT record of another host counts, for the instances that have no other.
  var foreignTexts: [ServiceInstance: ContinuousClock.Instant] = [:]
  /// The time up to which they were evaluated.
  private var foreignTextsUntil: ContinuousClock.Instant?
  var followed = 0
  private var resting: [ServiceInstance] = []
  private var refreshAt: ContinuousClock.Instant?

  /// - Parameters:
  ///   - interfaces: The interfaces to ask on.
  ///   - filter: Decides which addresses count.
  ///   - limits: The limits.
  ///   - draw: A random number, which chooses between servers of one instance (RFC 2782).
  package init(
    interfaces: InterfaceSelection = .all, filter: AddressFilter = .unicast, limits: Limits = Limits(),
    draw: UInt32 = .random(in: .min ... .max)
  ) {
    self.interfaces = interfaces
    self.filter = filter
    self.limits = limits
    self.draw = draw
  }

  /// Whether an instance has not been reported yet.
  package var isBusy: Bool { !queue.isEmpty || inFlight.keys.contains { items[$0]?.isDecided == false } }

  /// Whether an instance is being resolved, or was.
  package func wants(_ instance: ServiceInstance) -> Bool { items[instance] != nil }

  /// The last reported endpoint of an instance.
  package func endpoint(of instance: ServiceInstance) -> Endpoint? { items[instance]?.endpoint }

  /// The addresses in answers for an instance's host that this machine does not connect to; see ``AddressFilter``.
  package func refusedAddresses(of instance: ServiceInstance) -> [IPAddress] {
    guard let item = items[instance] else { return [] }
    return item.host == nil ? item.refused : addressQuestions(of: item.host).flatMap { answers[$0]?.state.refused ?? [] }
  }

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package var nextDeadline: ContinuousClock.Instant? {
    let foreign = foreignTexts.values.lazy.filter { [foreignTextsUntil] time in foreignTextsUntil.map { $0 < time } ?? true }
      .min()
    var next = [refreshAt, suspects.values.min(), foreign].compactMap(\.self).min()
    for flight in inFlight.values {
      let deadline = queue.isEmpty ? flight.deadline : min(flight.deadline, flight.turnEnd)
      next = next.map { min($0, deadline) } ?? deadline
    }
    return next
  }

  // MARK: - Events

  /// Starts to resolve an instance. Does nothing when it is being resolved already.
  package mutating func want(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    guard items[instance] == nil else { return [] }
    items[instance] = Item(timeout: limits.timeout)
    queue.append(instance, hadTurn: false)
    return fill(at: now)
  }

  /// Stops resolving an instance.
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
    suspects[instance] = nil
    foreignTexts[instance] = nil
    if resting.isEmpty { refreshAt = nil }
    return effects + fill(at: now)
  }

  /// Handles an event of an open question.
  package mutating func handle(
    _ event: LookupEvent, to question: RecordQuestion, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard let place = answers.index(forKey: question), !event.isAlias(besides: question),
      answers.values[place].handle(event, at: now, draw: draw, filter: filter)
    else { return [] }
    // Mostly there is one. The set is not copied then, so that it can be changed in place.
    if answers.values[place].users.count == 1, let user = answers.values[place].users.first {
      return evaluate(user, after: event, to: question, at: now) + fill(at: now)
    }
    let users = answers.values[place].users.sorted { $0.name.text < $1.name.text }
    return users.flatMap { evaluate($0, after: event, to: question, at: now) } + fill(at: now)
  }

  /// Handles the deadlines that have passed.
  package mutating func advance(to now: ContinuousClock.Instant) -> [Effect] {
    var effects: [Effect] = []
    let due = inFlight.filter { $0.value.deadline <= now }.keys
    for instance in due.sorted(by: { $0.name.text < $1.name.text }) {
      effects += evaluate(instance, at: now)
      if case .inFlight(let giveUpAt)? = items[instance]?.phase, giveUpAt <= now {
        let lacksRecords = lacksRecords(instance)
        effects += decide(instance, nil, at: now)
        if lacksRecords { effects += suspect(instance, at: now) }
      }
    }
    if !foreignTexts.isEmpty {
      let ripe = foreignTexts.filter { one in one.value <= now && foreignTextsUntil.map { $0 < one.value } ?? true }.keys
      for instance in ripe.sorted(by: { $0.name.text < $1.name.text }) { effects += evaluate(instance, at: now) }
      foreignTextsUntil = now
    }
    for instance in suspects.filter({ $0.value <= now }).keys.sorted(by: { $0.name.text < $1.name.text }) {
      effects += giveUp(instance)
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
    while isCrowded, inFlight.count < limits.inFlight + limits.glances, let next = queue.popUnasked() {
      effects += start(next, at: now)
    }
    return effects
  }

  /// Whether more instances wait for their first turn than are in flight.
  private var isCrowded: Bool { queue.unaskedBound > limits.inFlight }

  /// The instance whose turn ended first; nil when no turn has ended.
  private func slowest(at now: ContinuousClock.Instant) -> ServiceInstance? {
    // There is nearly always none, so check that first.
    guard inFlight.values.contains(where: { $0.turnEnd <= now }) else { return nil }
    return inFlight.min { ($0.value.turnEnd, $0.key.name.text) < ($1.value.turnEnd, $1.key.name.text) }?.key
  }

  /// Postpones an instance without known records when many wait for their first turn.
  ///
  /// So instances that the engine knows already are resolved at once, even among thousands that no host answers for.
  mutating func makeWay(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    guard isCrowded, let item = items[instance], case .inFlight = item.phase, !item.isDecided,
      !item.hadTurn, let answer = answers[question(.instance(instance), .srv)]?.state, answer.isCacheExhausted, answer.isEmpty
    else { return [] }
    return postpone(instance, at: now)
  }

  /// Stops asking for an instance, to make room: queues it again, or lets it rest when it is decided.
  private mutating func postpone(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    guard case .inFlight(let giveUpAt)? = items[instance]?.phase else { return [] }
    let effects = endAsking(for: instance)
    inFlight[instance] = nil
    items[instance]!.host = nil
    if items[instance]!.isDecided {
      rest(instance, at: now)
    } else {
      items[instance]!.phase = .queued
      items[instance]!.timeout = giveUpAt - now
      items[instance]!.hadTurn = true
      queue.append(instance, hadTurn: true)
    }
    return effects
  }

  /// Ends the turn of a decided instance, which is refreshed later.
  mutating func rest(_ instance: ServiceInstance, at now: ContinuousClock.Instant) {
    items[instance]!.phase = .resting
    resting.append(instance)
    if refreshAt == nil { refreshAt = now + limits.refresh }
  }

  private mutating func start(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    let giveUpAt = now + (items[instance]!.isDecided ? limits.timeout : items[instance]!.timeout)
    items[instance]!.phase = .inFlight(giveUpAt: giveUpAt)
    inFlight[instance] = Flight(deadline: giveUpAt, turnEnd: now + limits.turn)
    return ask(question(.instance(instance), .srv), for: instance) + ask(question(.instance(instance), .txt), for: instance)
  }
}
