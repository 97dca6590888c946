package import _BonjourishDiscovery
import _BonjourishEventLoop

/// A backend without a network: it notes what it is told to do, and says what the test makes it say.
package final class FakeBackend: DiscoveryBackend {
  package enum Command: Hashable, Sendable {
    case browse(BrowseQuery)
    case lookUp(RecordQuestion)
    case publish(Registration)
    case update(TXTRecord)
    case reconfirm(ServiceInstance)
    case endBrowse(BrowseQuery)
    case endLookUp(RecordQuestion)
    case endPublish(Registration)
    case close
  }

  private struct State {
    var commands: [Command] = []
    var browses: [OperationID: (BrowseQuery, @Sendable (LookupEvent) -> Void)] = [:]
    var lookups: [OperationID: (RecordQuestion, @Sendable (LookupEvent) -> Void)] = [:]
    var reaches: [OperationID: (InterfaceSelection, @Sendable (Reach) -> Void)] = [:]
    var publications: [OperationID: (Registration, @Sendable (RegistrationEvent) -> Void)] = [:]
    var waiting: [(condition: @Sendable ([Command]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let loop: EventLoop
  private let state = Locked(State())

  package init() throws {
    loop = try EventLoop(name: "fake")
  }

  package var executor: any SerialExecutor { loop }

  /// What was commanded so far, in order.
  package var commands: [Command] { state.withLock { $0.commands } }

  /// Returns when the commands so far satisfy a condition.
  package func commands(satisfy condition: @escaping @Sendable ([Command]) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isSatisfied = state.withLock { state in
        if condition(state.commands) { return true }
        state.waiting.append((condition, continuation))
        return false
      }
      if isSatisfied { continuation.resume() }
    }
  }

  // MARK: - What the network says

  /// Says something to everyone who browses; returns when they have heard it.
  package func sayToBrowsers(_ events: BrowseEvent...) async {
    await say(events.map(\.answer)) { state in state.browses.values.map(\.1) }
  }

  /// Says something to those who ask a question.
  package func say(_ events: LookupEvent..., to question: RecordQuestion) async {
    await say(events) { state in state.lookups.values.filter { $0.0 == question }.map(\.1) }
  }

  /// Says something to everyone who publishes.
  package func sayToPublishers(_ events: RegistrationEvent...) async {
    await say(events) { state in state.publications.values.map(\.1) }
  }

  /// Says to everyone who follows it where the network is reached.
  package func sayReach(_ reach: Reach) async {
    await say([reach]) { state in state.reaches.values.map(\.1) }
  }

  /// The interfaces whose reach is followed.
  package var followedReaches: [InterfaceSelection] { state.withLock { $0.reaches.values.map(\.0) } }

  /// Returns when the interfaces whose reach is followed satisfy a condition.
  package func follows(_ condition: ([InterfaceSelection]) -> Bool) async {
    while !condition(followedReaches) { await Task.yield() }
  }

  /// Says something to those who publish under a name, asked for or told.
  package func say(_ events: RegistrationEvent..., toPublishersOf name: InstanceName) async {
    await say(events) { state in state.publications.values.filter { $0.0.name == name }.map(\.1) }
  }

  private func say<Event: Sendable>(
    _ events: [Event], to listeners: @escaping @Sendable (borrowing State) -> [@Sendable (Event) -> Void]
  ) async {
    for event in events {
      loop.execute { [self] in
        let handlers = state.withLock { listeners($0) }
        for handler in handlers { handler(event) }
      }
    }
    await drain()
  }

  // MARK: - DiscoveryBackend

  package func lookUp(_ question: RecordQuestion, as id: OperationID, _ handler: @escaping @Sendable (LookupEvent) -> Void) {
    if let query = question.browse {
      note(.browse(query)) { $0.browses[id] = (query, handler) }
    } else {
      note(.lookUp(question)) { $0.lookups[id] = (question, handler) }
    }
  }

  package func publish(
    _ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void
  ) {
    note(.publish(registration)) { $0.publications[id] = (registration, handler) }
  }

  package func update(_ txt: TXTRecord, of id: OperationID) {
    note(.update(txt)) { _ in }
  }

  package func reconfirm(_ instance: ServiceInstance, interfaces: InterfaceSelection) {
    note(.reconfirm(instance)) { _ in }
  }

  package func followReach(
    of interfaces: InterfaceSelection, as id: OperationID, _ handler: @escaping @Sendable (Reach) -> Void
  ) {
    state.withLock { $0.reaches[id] = (interfaces, handler) }
  }

  package func end(_ id: OperationID) {
    let ended: Command? = state.withLock { state in
      state.reaches[id] = nil
      if let (query, _) = state.browses.removeValue(forKey: id) { return .endBrowse(query) }
      if let (question, _) = state.lookups.removeValue(forKey: id) { return .endLookUp(question) }
      if let (registration, _) = state.publications.removeValue(forKey: id) { return .endPublish(registration) }
      return nil
    }
    if let ended { note(ended) { _ in } }
  }

  package var metrics: DiscoveryMetrics {
    state.withLock { state in
      var metrics = DiscoveryMetrics()
      metrics.browsers = state.browses.count
      return metrics
    }
  }

  package func drain() async {
    await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
  }

  package func close() async {
    note(.close) { _ in }
  }

  private func note(_ command: Command, _ change: (inout State) -> Void) {
    let woken = state.withLock { state in
      change(&state)
      state.commands.append(command)
      let commands = state.commands
      let woken = state.waiting.filter { $0.condition(commands) }.map(\.continuation)
      state.waiting.removeAll { $0.condition(commands) }
      return woken
    }
    for continuation in woken { continuation.resume() }
  }
}

extension BrowseEvent {
  /// What is answered to the question of a browse.
  fileprivate var answer: LookupEvent {
    func pointer(_ instance: ServiceInstance, _ link: Link) -> ResourceRecord {
      ResourceRecord(.pointer(try! instance.fullName), on: link)
    }
    return switch self {
    case .described(let instance, let endpoint, let source): .described(instance, endpoint, source)
    case .appeared(let instance, let link): .added(pointer(instance, link))
    case .vanished(let instance, let link): .removed(pointer(instance, link))
    case .doubted(let instance, let link, let presence): .doubted(pointer(instance, link), presence)
    case .settled: .settled
    case .interrupted(let error): .interrupted(error)
    case .restored: .restarted
    case .failed(let error): .failed(error)
    }
  }
}
