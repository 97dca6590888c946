#if Avahi
import _BonjourishDiscovery
import _BonjourishEventLoop
import TestSupport
import Testing

@testable import Bonjourish

/// A backend that carries out a command many jobs of the loop after it was given.
private final class SlowBackend: DiscoveryBackend {
  private let loop: EventLoop
  let ended = Observed(0)

  init(on loop: EventLoop) {
    self.loop = loop
  }

  var executor: any SerialExecutor { loop }

  private func later(after jobs: Int = 20, _ body: @escaping @Sendable () -> Void) {
    loop.execute { [self] in
      if jobs > 0 { later(after: jobs - 1, body) } else { body() }
    }
  }

  func lookUp(_ question: RecordQuestion, as id: OperationID, _ handler: @escaping @Sendable (LookupEvent) -> Void) {}
  func publish(
    _ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void
  ) {}
  func update(_ txt: TXTRecord, of id: OperationID) {}
  func reconfirm(_ instance: ServiceInstance, interfaces: InterfaceSelection) {}
  func followReach(of interfaces: InterfaceSelection, as id: OperationID, _ handler: @escaping @Sendable (Reach) -> Void) {}
  func end(_ id: OperationID) { later { [ended] in ended.change { $0 += 1 } } }
  var metrics: DiscoveryMetrics { DiscoveryMetrics() }
  func drain() async { await withCheckedContinuation { continuation in later { continuation.resume() } } }
  func close() async {}
}

@Suite(.timeLimit(.minutes(1))) struct AutomaticBackendTests {
  @Test func `draining waits until the backend has carried out what was handed on to it`() async throws {
    let loop = try EventLoop(name: "test")
    let slow = SlowBackend(on: loop)
    let backend = AutomaticBackend(on: loop, using: slow)
    // On the loop, where the look at the result takes its place in the queue: elsewhere it could come late enough by chance.
    let question = try BrowseQuery("_http._tcp", domain: .local).question()
    await withTaskExecutorPreference(loop) {
      for count in 1...3 {
        let id = OperationID()
        backend.lookUp(question, as: id) { _ in }
        backend.end(id)
        await backend.drain()
        #expect(slow.ended.change { $0 } == count)
      }
    }
    await backend.close()
    await backend.drain()
  }

  /// Sets the reason why nobody is reached, and returns when the operations were told.
  private func setOutage(_ outage: NetworkOutage?, of backend: AutomaticBackend, on loop: EventLoop) async {
    loop.execute {
      backend.assumeIsolated { backend in
        backend.outage = { _ in outage }
        backend.networkChanged()
      }
    }
    await backend.drain()
  }

  @Test func `operations of the daemon that reach nobody are interrupted and start again when they do`() async throws {
    let fake = try FakeBackend()
    let loop = try #require(fake.executor as? EventLoop)
    let backend = AutomaticBackend(on: loop, using: fake)
    let told = Locked<[String]>([])
    @Sendable func note(_ text: String) { told.withLock { $0.append(text) } }
    let query = BrowseQuery("_http._tcp", domain: .local)
    let registration = Registration("Ada", type: "_http._tcp", domain: .local, port: 80, txt: [:])
    backend.lookUp(try query.question(), as: OperationID()) { event in
      switch event {
      case .interrupted(let error): note("browser: \(error.code)")
      case .restarted: note("browser: restored")
      default: note("browser: \(event)")
      }
    }
    await setOutage(.noInterface, of: backend, on: loop)
    await setOutage(.notHeard(interface: "eth0"), of: backend, on: loop)
    // This one begins while nobody is reached.
    backend.publish(registration, as: OperationID()) { event in
      if case .interrupted(let error) = event { note("service: \(error.code)") } else { note("service: \(event)") }
    }
    await backend.drain()
    #expect(told.withLock { $0 } == ["browser: noNetwork", "service: noNetwork"])
    #expect(fake.commands == [.browse(query), .endBrowse(query)])

    await setOutage(nil, of: backend, on: loop)
    #expect(told.withLock { $0 }.last == "browser: restored")
    #expect(Set(fake.commands.suffix(2)) == [.browse(query), .publish(registration)])
    await backend.close()
  }

  private let ada = Registration("Ada", type: "_http._tcp", domain: .local, port: 80, txt: [:])
  private let question = RecordQuestion(.domain("x.local"), .a)

  /// The codes of interruptions, and the names of other events.
  private final class Told: Sendable {
    private let words = Locked<[String]>([])

    func note(_ event: RegistrationEvent) {
      words.withLock { words in
        switch event {
        case .established(let name): words.append("established \(name)")
        case .renamed(_, let name): words.append("renamed \(name)")
        case .interrupted(let error): words.append("interrupted \(error.code)")
        case .failed(let error): words.append("failed \(error.code)")
        }
      }
    }

    func note(_ event: LookupEvent) {
      words.withLock { words in
        if case .interrupted(let error) = event { words.append("interrupted \(error.code)") } else { words.append("\(event)") }
      }
    }

    /// What was told since the last time.
    func take() -> [String] {
      words.withLock { words in
        defer { words = [] }
        return words
      }
    }
  }

  @Test func `what is published again has its latest name and text`() async throws {
    let fake = try FakeBackend()
    let loop = try #require(fake.executor as? EventLoop)
    let backend = AutomaticBackend(on: loop, using: fake)
    let (id, told) = (OperationID(), Told())
    backend.publish(ada, as: id) { told.note($0) }
    backend.update(["v": "1"], of: id)
    backend.update(["v": "2"], of: OperationID())
    await backend.drain()
    await fake.sayToPublishers(.renamed(from: "Ada", to: "Ada #2"), .established("Ada #2"))
    #expect(told.take() == ["renamed Ada #2", "established Ada #2"])
    await setOutage(.noInterface, of: backend, on: loop)
    await setOutage(nil, of: backend, on: loop)
    let latest = ada.renamed(to: "Ada #2").replacing(txt: ["v": "1"])
    #expect(fake.commands == [.publish(ada), .update(["v": "1"]), .endPublish(ada), .publish(latest)])
    backend.end(id)
    await backend.drain()
    #expect(fake.commands.last == .endPublish(latest))
    await backend.close()
  }

  @Test func `an interruption is told once, by the engine or because of the network, until it is over`() async throws {
    let fake = try FakeBackend()
    let loop = try #require(fake.executor as? EventLoop)
    let backend = AutomaticBackend(on: loop, using: fake)
    let (service, lookup) = (Told(), Told())
    let gone = DiscoveryError(.unavailable, "gone")
    backend.publish(ada, as: OperationID()) { service.note($0) }
    backend.lookUp(question, as: OperationID()) { lookup.note($0) }
    await backend.drain()
    await fake.sayToPublishers(.interrupted(gone))
    await fake.say(.interrupted(gone), to: question)
    await setOutage(.noInterface, of: backend, on: loop)
    #expect(service.take() == ["interrupted unavailable"] && lookup.take() == ["interrupted unavailable"])
    await setOutage(nil, of: backend, on: loop)
    // A look-up is there again at once, and a service when it is established.
    #expect(service.take() == [] && lookup.take() == ["restarted"])
    await setOutage(.noInterface, of: backend, on: loop)
    #expect(service.take() == [] && lookup.take() == ["interrupted noNetwork"])
    await setOutage(nil, of: backend, on: loop)
    await fake.sayToPublishers(.established("Ada"))
    await fake.say(.interrupted(gone), .restarted, .settled, to: question)
    #expect(service.take() == ["established Ada"])
    #expect(lookup.take() == ["restarted", "interrupted unavailable", "restarted", "settled"])
    await setOutage(.noInterface, of: backend, on: loop)
    #expect(service.take() == ["interrupted noNetwork"] && lookup.take() == ["interrupted noNetwork"])
    await backend.close()
  }

  @Test func `commands reach the engine in use, and count while they last`() async throws {
    let fake = try FakeBackend()
    let loop = try #require(fake.executor as? EventLoop)
    let backend = AutomaticBackend(on: loop, using: fake)
    let query = BrowseQuery("_http._tcp", domain: .local)
    let (ids, told) = ((0..<3).map { _ in OperationID() }, Told())
    backend.lookUp(try query.question(), as: ids[0]) { told.note($0) }
    backend.lookUp(question, as: ids[1]) { told.note($0) }
    backend.publish(ada, as: ids[2]) { told.note($0) }
    backend.reconfirm(ServiceInstance("Ada", type: "_http._tcp"), interfaces: .all)
    await backend.drain()
    #expect(
      fake.commands == [
        .browse(query), .lookUp(question), .publish(ada), .reconfirm(ServiceInstance("Ada", type: "_http._tcp")),
      ])
    let metrics = await backend.metrics
    #expect(metrics.browsers == 1 && metrics.lookups == 1 && metrics.registrations == 1 && metrics.backendChanges == 0)
    #expect(await backend.remainingLifetimes(of: "x.local") == [:])
    for id in ids { backend.end(id) }
    await backend.drain()
    #expect(Set(fake.commands.suffix(3)) == [.endBrowse(query), .endLookUp(question), .endPublish(ada)])
    let none = await backend.metrics
    #expect(none.browsers == 0 && none.lookups == 0 && none.registrations == 0)
    await backend.close()
    backend.lookUp(question, as: OperationID()) { told.note($0) }
    await backend.drain()
    #expect(fake.commands.count == 7 && told.take() == [])
  }

  @Test func `the reach is that of the engine in use, told when it changes`() async throws {
    let fake = try FakeBackend()
    let loop = try #require(fake.executor as? EventLoop)
    let backend = AutomaticBackend(on: loop, using: fake)
    let id = OperationID()
    let told = Locked<[Reach]>([])
    backend.followReach(of: "eth0", as: id) { reach in told.withLock { $0.append(reach) } }
    await backend.drain()
    #expect(fake.followedReaches == ["eth0"])
    let works = Reach([Reach.Item(Link(NetworkInterface(index: 2, name: "eth0"), .ipv4), .works)])
    for reach in [Reach(), Reach(), works] { await fake.sayReach(reach) }
    #expect(told.withLock { $0 } == [Reach(), works])
    backend.end(id)
    await backend.drain()
    #expect(fake.followedReaches == [])
    await backend.close()
  }
}
#endif
