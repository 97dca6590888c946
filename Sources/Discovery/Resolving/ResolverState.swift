/// Turns instances into endpoints: which records to ask for, and what their answers come to.
///
/// A value without I/O: wishes, answers and time go in, questions and endpoints come out. Instances on one host share the
/// questions for its addresses. At most ``Limits/inFlight`` instances are being resolved at a time, and at most
/// ``Limits/kept`` are followed for changes afterwards; the others, and those with a question that failed, are asked for again
/// by turns.
package struct ResolverState {
  package struct Limits: Sendable {
    /// How many instances are resolved at a time.
    package var inFlight = 32
    /// How many instances are followed once they are resolved.
    package var kept = 200
    /// How long an instance is waited for before it is reported without an endpoint.
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

  private enum Phase {
    /// Waits for its turn.
    case queued
    /// Asked for, and not decided: goes to `followed` or `resting`.
    case inFlight(giveUpAt: ContinuousClock.Instant)
    /// Decided, and its questions stay open; none of them had failed by then.
    case followed
    /// Decided, and not asked for at present: goes to `inFlight` again.
    case resting
  }

  private struct Item {
    var phase = Phase.queued
    var host: DomainName?
    var endpoint: Endpoint?
    var isDecided = false
  }

  private let interface: NetworkInterface?
  private let limits: Limits
  private var items: [ServiceInstance: Item] = [:]
  private var answers: [RecordQuestion: LookupAnswer] = [:]
  private var queue: [ServiceInstance] = []
  /// When each of those that are in flight is to be looked at again.
  private var inFlight: [ServiceInstance: ContinuousClock.Instant] = [:]
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
    guard let first = inFlight.values.min() else { return refreshAt }
    return refreshAt.map { min($0, first) } ?? first
  }

  // MARK: - Events

  /// Begins to resolve an instance; harmless when it is being resolved.
  package mutating func want(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    guard items[instance] == nil else { return [] }
    items[instance] = Item()
    queue.append(instance)
    return fill(at: now)
  }

  /// Gives an instance up.
  package mutating func forget(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    guard let item = items[instance] else { return [] }
    let effects = endAsking(for: instance)
    switch item.phase {
    case .queued: queue.removeAll { $0 == instance }
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
    return answers[question]!.users.sorted { $0.name.text < $1.name.text }.flatMap { evaluate($0, at: now) } + fill(at: now)
  }

  /// Lets time pass.
  package mutating func advance(to now: ContinuousClock.Instant) -> [Effect] {
    var effects: [Effect] = []
    let due = inFlight.filter { $0.value <= now }.keys
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
    while inFlight.count < limits.inFlight, !queue.isEmpty { effects += start(queue.removeFirst(), at: now) }
    return effects
  }

  private mutating func start(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    items[instance]!.phase = .inFlight(giveUpAt: now + limits.patience)
    inFlight[instance] = now + limits.patience
    return ask(question(.instance(instance), .srv), for: instance) + ask(question(.instance(instance), .txt), for: instance)
  }

  /// When an instance that is in flight is to be looked at again.
  private func deadline(of instance: ServiceInstance) -> ContinuousClock.Instant? {
    guard let item = items[instance], case .inFlight(let giveUpAt) = item.phase else { return nil }
    guard server(of: instance) != nil, text(of: instance) != nil, !addresses(of: item).isEmpty else { return giveUpAt }
    return min(addressDeadline(of: item) ?? giveUpAt, giveUpAt)
  }

  /// Until when more addresses are waited for; nil for as long as somebody may answer.
  ///
  /// An address that is good on one link only is worth little: one that has just told the network of its others may have to
  /// wait for a second before it says them again (RFC 6762 §6).
  private func addressDeadline(of item: Item) -> ContinuousClock.Instant? {
    guard !addresses(of: item).allSatisfy(\.isLinkLocal) else { return nil }
    return addressQuestions(of: item).compactMap { answers[$0]?.answeredAt }.min().map { $0 + limits.addressPatience }
  }

  /// Looks at what is known of an instance, and asks for or reports what follows from it.
  private mutating func evaluate(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    let effects = proceed(with: instance, at: now)
    // Kept, because it is wanted after every event and costs several look-ups.
    if let deadline = deadline(of: instance) { inFlight[instance] = deadline }
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

  // MARK: - Answers

  private func question(_ name: RecordQuestion.Name, _ kind: RecordKind) -> RecordQuestion {
    RecordQuestion(name, kind, on: interface)
  }

  private func questions(of instance: ServiceInstance) -> [RecordQuestion] {
    [question(.instance(instance), .srv), question(.instance(instance), .txt)]
      + (items[instance].map { addressQuestions(of: $0) } ?? [])
  }

  private func addressQuestions(of item: Item) -> [RecordQuestion] {
    guard let host = item.host else { return [] }
    return [question(.host(host), .a), question(.host(host), .aaaa)]
  }

  /// The server to use: of the lowest priority (RFC 2782), and the newest of these.
  private func server(of instance: ServiceInstance) -> (host: DomainName, port: UInt16)? {
    var best: (host: DomainName, port: UInt16, priority: UInt16)?
    for record in answers[question(.instance(instance), .srv)]?.records ?? [] {
      guard case .server(let host, let port, let priority, weight: _) = record.data, port != 0 else { continue }
      if priority <= best?.priority ?? .max { best = (host, port, priority) }
    }
    return best.map { ($0.host, $0.port) }
  }

  /// The newest TXT record. When there is none, which RFC 6763 §6.1 forbids but happens, the one reported last: a service that
  /// says goodbye takes its records back one by one. An empty one when there was none ever.
  private func text(of instance: ServiceInstance) -> TXTRecord? {
    guard let answer = answers[question(.instance(instance), .txt)] else { return nil }
    for record in answer.records.reversed() {
      if case .text(let txt) = record.data { return txt }
    }
    return answer.isSettled && !answer.hasFailed ? items[instance]?.endpoint?.txt ?? TXTRecord() : nil
  }

  private func addresses(of item: Item) -> [IPAddress] {
    var addresses: [IPAddress] = []
    for record in addressQuestions(of: item).flatMap({ answers[$0]?.records ?? [] }) {
      guard case .address(let address) = record.data, address.isUnicast, !addresses.contains(address) else { continue }
      addresses.append(address)
    }
    return addresses.sorted { ($0.preference, $0.description) < ($1.preference, $1.description) }
  }

  /// Whether it is not worth while to wait for more addresses: both families have answered, or nobody will any more.
  private func hasAllAddresses(_ item: Item, at now: ContinuousClock.Instant) -> Bool {
    let both = addressQuestions(of: item).compactMap { answers[$0] }
    if both.allSatisfy({ $0.isSettled || ($0.isCacheExhausted && !$0.records.isEmpty) }) { return true }
    return addressDeadline(of: item).map { $0 <= now } ?? false
  }

  // MARK: - Questions

  private mutating func ask(_ question: RecordQuestion, for instance: ServiceInstance) -> [Effect] {
    guard let answer = answers[question] else {
      answers[question] = LookupAnswer(users: [instance])
      return [.ask(question)]
    }
    guard answer.hasFailed else {
      answers[question]!.users.insert(instance)
      return []
    }
    // It is asked anew, for all who want it.
    answers[question] = LookupAnswer(users: answer.users.union([instance]))
    return [.endAsking(question), .ask(question)]
  }

  private mutating func endAsking(_ question: RecordQuestion, for instance: ServiceInstance) -> [Effect] {
    guard answers[question] != nil else { return [] }
    answers[question]!.users.remove(instance)
    guard answers[question]!.users.isEmpty else { return [] }
    answers[question] = nil
    return [.endAsking(question)]
  }

  private mutating func endAsking(for instance: ServiceInstance) -> [Effect] {
    questions(of: instance).flatMap { endAsking($0, for: instance) }
  }
}
