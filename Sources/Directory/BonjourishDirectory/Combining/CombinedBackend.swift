import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

/// The local network and a directory as one: an instance that is seen in both is one instance with the links of both.
///
/// Each operation runs on both sides, as far as a side can have it; a pure machine merges the events. While one side is away, the
/// other goes on, and nobody is told of an interruption.
actor CombinedBackend: DiscoveryBackend {
  private struct Question {
    /// Changed in place: a browse has as many elements as both sides list.
    var machine: any CombinedAnswers
    let handler: @Sendable (LookupEvent) -> Void
    let deadline: LoopDeadline
  }

  private struct Publication {
    var machine: CombinedPublication
    let handler: @Sendable (RegistrationEvent) -> Void
  }

  private let loop: EventLoop
  private let local: any DiscoveryBackend
  nonisolated let directory: DirectoryBackend
  private var questions: [OperationID: Question] = [:]
  private var publications: [OperationID: Publication] = [:]
  /// The operations' identities on each side. An event of a former one is ignored.
  private var sides: [OperationID: [CombinedSide: OperationID]] = [:]

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  nonisolated var executor: any SerialExecutor { loop }

  /// - Parameters:
  ///   - loop: The loop of the handlers of both sides.
  init(_ local: any DiscoveryBackend, _ directory: DirectoryBackend, on loop: EventLoop) {
    self.local = local
    self.directory = directory
    self.loop = loop
  }

  private func backend(_ side: CombinedSide) -> any DiscoveryBackend { side == .local ? local : directory }

  // MARK: - Commands

  nonisolated func lookUp(
    _ question: RecordQuestion, as id: OperationID, _ handler: @escaping @Sendable (LookupEvent) -> Void
  ) {
    perform { combined in
      let deadline = LoopDeadline(on: combined.loop) { [weak combined] in
        combined?.assumeIsolated { $0.answered(id) { $0.advance(to: .now) } }
      }
      combined.questions[id] = Question(
        machine: question.browse == nil ? CombinedLookup() : CombinedBrowse(), handler: handler, deadline: deadline)
      for side in CombinedSide.allCases {
        combined.backend(side).lookUp(question, as: combined.begin(id, on: side)) { [weak combined] event in
          combined?.assumeIsolated { $0.answered(id) { $0.handle(event, from: side, at: .now) } }
        }
      }
    }
  }

  nonisolated func publish(
    _ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void
  ) {
    perform { combined in
      let machine = CombinedPublication(registration, on: combined.sides(of: registration))
      combined.publications[id] = Publication(machine: machine, handler: handler)
      combined.run(machine.start(), id)
    }
  }

  nonisolated func update(_ txt: TXTRecord, of id: OperationID) {
    perform { combined in combined.run(combined.publications[id]?.machine.update(txt) ?? [], id) }
  }

  nonisolated func reconfirm(_ instance: ServiceInstance, interfaces: InterfaceSelection) {
    perform { $0.local.reconfirm(instance, interfaces: interfaces) }
  }

  nonisolated func followReach(
    of interfaces: InterfaceSelection, as id: OperationID, _ handler: @escaping @Sendable (Reach) -> Void
  ) {
    perform { $0.local.followReach(of: interfaces, as: id, handler) }
  }

  nonisolated func end(_ id: OperationID) {
    perform { combined in
      combined.questions.removeValue(forKey: id)?.deadline.cancel()
      combined.publications[id] = nil
      guard let sides = combined.sides.removeValue(forKey: id) else {
        combined.directory.end(id)
        return combined.local.end(id)
      }
      for (side, inner) in sides { combined.backend(side).end(inner) }
    }
  }

  nonisolated func drain() async {
    // `perform` runs after the earlier commands, so that both sides have them all then.
    await withCheckedContinuation { continuation in perform { _ in continuation.resume() } }
    await local.drain()
    await directory.drain()
  }

  func close() async {
    for question in questions.values { question.deadline.cancel() }
    (questions, publications, sides) = ([:], [:], [:])
    await local.close()
    await directory.close()
  }

  func remainingLifetimes(of name: DomainName) async -> [ResourceRecord.ID: Duration] {
    await local.remainingLifetimes(of: name)
  }

  var metrics: DiscoveryMetrics {
    get async {
      var metrics = await local.metrics
      // Questions are asked on both sides. A service may be published in the directory alone.
      metrics.registrations = publications.count
      metrics.directory = await directory.metrics.directory
      return metrics
    }
  }

  nonisolated func perform(_ body: @escaping @Sendable (isolated CombinedBackend) -> Void) {
    loop.execute { self.assumeIsolated(body) }
  }

  // MARK: - Operations

  private func begin(_ id: OperationID, on side: CombinedSide) -> OperationID {
    let inner = OperationID()
    sides[id, default: [:]][side] = inner
    return inner
  }

  /// Where a registration is published: records of any names are for the local network.
  private func sides(of registration: Registration) -> Set<CombinedSide> {
    var sides: Set<CombinedSide> = registration.interfaces.usesLocalNetwork ? [.local] : []
    if registration.service != nil || registration.hostName != nil, registration.interfaces.usesDirectory {
      sides.insert(.directory)
    }
    return sides.isEmpty ? [.local] : sides
  }

  private func answered(_ id: OperationID, _ event: (inout any CombinedAnswers) -> [LookupEvent]) {
    guard questions[id] != nil else { return }
    let events = event(&questions[id]!.machine)
    questions[id]!.deadline.set(questions[id]!.machine.nextDeadline)
    let handler = questions[id]!.handler
    for event in events { handler(event) }
  }

  private func run(_ effects: [CombinedPublication.Effect], _ id: OperationID) {
    for effect in effects {
      switch effect {
      case .publish(let side, let registration):
        let inner = begin(id, on: side)
        backend(side).publish(registration, as: inner) { [weak self] event in
          self?.assumeIsolated { combined in
            guard combined.sides[id]?[side] == inner else { return }
            combined.run(combined.publications[id]?.machine.handle(event, from: side) ?? [], id)
          }
        }
      case .update(let side, let txt):
        if let inner = sides[id]?[side] { backend(side).update(txt, of: inner) }
      case .end(let side):
        if let inner = sides[id]?.removeValue(forKey: side) { backend(side).end(inner) }
      case .report(let event): publications[id]?.handler(event)
      }
    }
  }
}
