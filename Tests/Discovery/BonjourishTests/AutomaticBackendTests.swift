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
}
#endif
