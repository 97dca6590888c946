import DirectoryProtocol
import Discovery
import EventLoop

/// The local network and a directory as one: an instance that is seen in both is one instance with the links of both.
///
/// Each operation runs on both sides, as far as a side can have it; a pure machine merges the events. While one side is away, the
/// other goes on, and nobody is told of an interruption.
actor CombinedBackend: DiscoveryBackend {
  private enum Operation {
    case browse(@Sendable (BrowseEvent) -> Void)
    case lookUp(CombinedLookup, @Sendable (LookupEvent) -> Void)
    case publish(CombinedPublication, @Sendable (RegistrationEvent) -> Void)
  }

  private struct Entry {
    var operation: Operation
    /// The machine of a browse, which is changed in place: it has as many elements as both sides list.
    var browse = CombinedBrowse()
    /// The operation's identity on each side. An event of a former one is ignored.
    var inner: [CombinedSide: OperationID] = [:]
    /// The next deadline of that machine.
    var deadline: LoopDeadline?
  }

  private let loop: EventLoop
  private let local: any DiscoveryBackend
  nonisolated let directory: DirectoryBackend
  private var entries: [OperationID: Entry] = [:]

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

  nonisolated func browse(_ query: BrowseQuery, as id: OperationID, _ handler: @escaping @Sendable (BrowseEvent) -> Void) {
    perform { combined in
      combined.entries[id] = Entry(operation: .browse(handler))
      combined.entries[id]?.deadline = LoopDeadline(on: combined.loop) { [weak combined] in
        combined?.assumeIsolated { $0.timePasses(id) }
      }
      for side in CombinedSide.allCases {
        let inner = combined.begin(id, on: side)
        combined.backend(side).browse(query, as: inner) { [weak combined] event in
          combined?.assumeIsolated { $0.browsed(event, id, inner, side) }
        }
      }
    }
  }

  nonisolated func lookUp(
    _ question: RecordQuestion, as id: OperationID, _ handler: @escaping @Sendable (LookupEvent) -> Void
  ) {
    perform { combined in
      combined.entries[id] = Entry(operation: .lookUp(CombinedLookup(), handler))
      for side in CombinedSide.allCases {
        let inner = combined.begin(id, on: side)
        combined.backend(side).lookUp(question, as: inner) { [weak combined] event in
          combined?.assumeIsolated { $0.lookedUp(event, id, inner, side) }
        }
      }
    }
  }

  nonisolated func publish(
    _ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void
  ) {
    perform { combined in
      let machine = CombinedPublication(registration, on: combined.sides(of: registration))
      combined.entries[id] = Entry(operation: .publish(machine, handler))
      combined.run(machine.start(), id, handler)
    }
  }

  nonisolated func update(_ txt: TXTRecord, of id: OperationID) {
    perform { combined in
      guard case .publish(var machine, let handler)? = combined.entries[id]?.operation else { return }
      let effects = machine.update(txt)
      combined.entries[id]!.operation = .publish(machine, handler)
      combined.run(effects, id, handler)
    }
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
      guard let entry = combined.entries.removeValue(forKey: id) else {
        combined.directory.end(id)
        return combined.local.end(id)
      }
      entry.deadline?.cancel()
      for (side, inner) in entry.inner { combined.backend(side).end(inner) }
    }
  }

  nonisolated func drain() async {
    // `perform` runs after the earlier commands, so that both sides have them all then.
    await withCheckedContinuation { continuation in perform { _ in continuation.resume() } }
    await local.drain()
    await directory.drain()
  }

  func close() async {
    for entry in entries.values { entry.deadline?.cancel() }
    entries = [:]
    await local.close()
    await directory.close()
  }

  var metrics: DiscoveryMetrics {
    get async {
      var metrics = await local.metrics
      // The operations are the same on both sides.
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
    entries[id]!.inner[side] = inner
    return inner
  }

  /// Where a registration is published: records of any names are for the local network, and a service that is restricted to
  /// interfaces is where these are.
  private func sides(of registration: Registration) -> Set<CombinedSide> {
    var sides: Set<CombinedSide> = []
    let isDirectoryNamed = registration.interfaces.onlyName.map {
      NetworkInterface(index: .max, name: $0).isDirectory
    }
    if isDirectoryNamed != true { sides.insert(.local) }
    if registration.service != nil || registration.hostName != nil, directory.includes(registration.interfaces) {
      sides.insert(.directory)
    }
    return sides.isEmpty ? [.local] : sides
  }

  private func browsed(_ event: BrowseEvent, _ id: OperationID, _ inner: OperationID, _ side: CombinedSide) {
    guard entries[id]?.inner[side] == inner, case .browse(let handler)? = entries[id]?.operation else { return }
    let events = entries[id]!.browse.handle(event, from: side, at: .now)
    setTimer(id)
    for event in events { handler(event) }
  }

  private func setTimer(_ id: OperationID) { entries[id]?.deadline?.set(entries[id]?.browse.nextDeadline) }

  private func timePasses(_ id: OperationID) {
    guard case .browse(let handler)? = entries[id]?.operation else { return }
    let events = entries[id]!.browse.advance(to: .now)
    setTimer(id)
    for event in events { handler(event) }
  }

  private func lookedUp(_ event: LookupEvent, _ id: OperationID, _ inner: OperationID, _ side: CombinedSide) {
    guard entries[id]?.inner[side] == inner, case .lookUp(var machine, let handler)? = entries[id]?.operation else { return }
    let events = machine.handle(event, from: side)
    entries[id]!.operation = .lookUp(machine, handler)
    for event in events { handler(event) }
  }

  private func published(_ event: RegistrationEvent, _ id: OperationID, _ inner: OperationID, _ side: CombinedSide) {
    guard entries[id]?.inner[side] == inner, case .publish(var machine, let handler)? = entries[id]?.operation else { return }
    let effects = machine.handle(event, from: side)
    entries[id]!.operation = .publish(machine, handler)
    run(effects, id, handler)
  }

  private func run(
    _ effects: [CombinedPublication.Effect], _ id: OperationID, _ handler: @Sendable (RegistrationEvent) -> Void
  ) {
    for effect in effects {
      switch effect {
      case .publish(let side, let registration):
        let inner = begin(id, on: side)
        backend(side).publish(registration, as: inner) { [weak self] event in
          self?.assumeIsolated { $0.published(event, id, inner, side) }
        }
      case .update(let side, let txt):
        if let inner = entries[id]?.inner[side] { backend(side).update(txt, of: inner) }
      case .end(let side):
        if let inner = entries[id]?.inner.removeValue(forKey: side) { backend(side).end(inner) }
      case .report(let event): handler(event)
      }
    }
  }
}
