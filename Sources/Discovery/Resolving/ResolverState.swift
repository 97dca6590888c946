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
    package var patience: Duration = .seconds(5)
    /// The time to wait for a host's other addresses after the first.
    package var addressPatience: Duration = .milliseconds(150)
    /// The interval at which one of the instances that are not followed is asked for again.
    package var refresh: Duration = .seconds(2)
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
    var patience: Duration
    var host: DomainName?
    var endpoint: Endpoint?
    var isDecided = false
    var absence = Absence.none
  }

  /// An instance that is in flight.
  private struct Flight {
    /// The time of the next evaluation.
    var deadline: ContinuousClock.Instant
    /// The time from which it makes room for others that wait.
    let turnEnd: ContinuousClock.Instant
  }

  let interfaces: InterfaceSelection
  let limits: Limits
  /// A random number, which chooses between servers of one instance.
  let draw: UInt32
  var items: [ServiceInstance: Item] = [:]
  var answers: [RecordQuestion: LookupAnswer] = [:]
  private var queue = TurnQueue()
  private var inFlight: [ServiceInstance: Flight] = [:]
  /// The times at which suspected instances are lost.
  var suspects: [ServiceInstance: ContinuousClock.Instant] = [:]
  private var followed = 0
  private var resting: [ServiceInstance] = []
  private var refreshAt: ContinuousClock.Instant?

  /// - Parameters:
  ///   - interfaces: The interfaces to ask on.
  ///   - limits: The limits.
  ///   - draw: A random number, which chooses between servers of one instance (RFC 2782).
  package init(interfaces: InterfaceSelection = .all, limits: Limits = Limits(), draw: UInt32 = .random(in: .min ... .max)) {
    self.interfaces = interfaces
    self.limits = limits
    self.draw = draw
  }

  /// Whether an instance has not been reported yet.
  package var isBusy: Bool { !queue.isEmpty || inFlight.keys.contains { items[$0]?.isDecided == false } }

  /// The last reported endpoint of an instance.
  package func endpoint(of instance: ServiceInstance) -> Endpoint? { items[instance]?.endpoint }

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  package var nextDeadline: ContinuousClock.Instant? {
    var next = [refreshAt, suspects.values.min()].compactMap(\.self).min()
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
    items[instance] = Item(patience: limits.patience)
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
    if resting.isEmpty { refreshAt = nil }
    return effects + fill(at: now)
  }

  /// Handles an event of an open question.
  package mutating func handle(
    _ event: LookupEvent, to question: RecordQuestion, at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard answers[question] != nil, !event.isAlias(besides: question) else { return [] }
    answers[question]!.handle(event, at: now)
    let users = answers[question]!.users.sorted { $0.name.text < $1.name.text }
    return users.flatMap { evaluate($0, at: now) + makeWay($0, at: now) + review($0, at: now) } + fill(at: now)
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
    while isCrowded, inFlight.count < limits.inFlight + limits.glances, let next = queue.popNewcomer() {
      effects += start(next, at: now)
    }
    return effects
  }

  /// Whether more instances wait for their first turn than are in flight.
  private var isCrowded: Bool { queue.newcomerBound > limits.inFlight }

  /// The instance whose turn ended first; nil when no turn has ended.
  private func slowest(at now: ContinuousClock.Instant) -> ServiceInstance? {
    // There is nearly always none, so check that first.
    guard inFlight.values.contains(where: { $0.turnEnd <= now }) else { return nil }
    return inFlight.min { ($0.value.turnEnd, $0.key.name.text) < ($1.value.turnEnd, $1.key.name.text) }?.key
  }

  /// Postpones an instance without known records when many wait for their first turn.
  ///
  /// So instances that the engine knows already are resolved at once, even among thousands that no host answers for.
  private mutating func makeWay(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    guard isCrowded, let item = items[instance], case .inFlight = item.phase, !item.isDecided,
      !item.hadTurn, let answer = answers[question(.instance(instance), .srv)], answer.isCacheExhausted, answer.records.isEmpty
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

  /// The time at which an instance in flight must be evaluated again.
  private func deadline(of instance: ServiceInstance) -> ContinuousClock.Instant? {
    guard let item = items[instance], case .inFlight(let giveUpAt) = item.phase else { return nil }
    guard server(of: instance) != nil, text(of: instance) != nil, !addresses(of: item).isEmpty else { return giveUpAt }
    return min(addressDeadline(of: item) ?? giveUpAt, giveUpAt)
  }

  /// Evaluates the known answers for an instance: asks for more records, or reports the endpoint.
  private mutating func evaluate(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    let effects = proceed(with: instance, at: now)
    // The deadline is stored because every event needs it and computing it costs several look-ups.
    if let deadline = deadline(of: instance) { inFlight[instance]?.deadline = deadline }
    return effects
  }

  private mutating func proceed(with instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    var effects: [Effect] = []
    guard let server = server(of: instance) else { return [] }
    if items[instance]!.host != server.host {
      let former = addressQuestions(of: items[instance]!)
      items[instance]!.host = server.host
      // Ask the new questions before ending the old ones, so that a question they share stays open.
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
      // The reported endpoint stays until all hosts that answer at once have answered again.
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
    // A known endpoint is never replaced by nil: the instance is suspected instead.
    if endpoint != nil || !item.isDecided {
      let wasAbsent = item.absence != .none
      if endpoint != item.endpoint || !item.isDecided || wasAbsent { effects.append(.resolved(instance, endpoint)) }
      item.absence = .none
      suspects[instance] = nil
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
