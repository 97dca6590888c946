import FramedTransport
import TestSupport
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import BonjourishTransport

/// A backend without a network that can carry connections, too: the test gives it the stream of the next one.
final class RelayingFake: RelayingBackend {
  struct Dial: Sendable {
    let instance: ServiceInstance
    let interfaces: InterfaceSelection
    let limit: Duration
    let transportLoop: TransportLoop
  }

  private struct State {
    var accepting: [OperationID: (port: UInt16, accept: @Sendable (RelayedStream, @escaping @Sendable () -> Void) -> Void)] =
      [:]
    var acceptances = 0
    var dials: [Dial] = []
    var answer: RelayedService?
  }

  let base: FakeBackend
  private let state = Locked(State())

  init() throws { base = try FakeBackend() }

  /// The ports for which connections are accepted now.
  var ports: [UInt16] { state.withLock { $0.accepting.values.map(\.port).sorted() } }

  /// How often somebody has begun to accept connections.
  var acceptances: Int { state.withLock { $0.acceptances } }

  var dials: [Dial] { state.withLock { $0.dials } }

  /// Has the next program connect that dials.
  func answer(_ service: RelayedService) { state.withLock { $0.answer = service } }

  /// Brings a connection to those who accept one.
  func bring(_ stream: RelayedStream, refused: @escaping @Sendable () -> Void = {}) {
    for (_, accept) in state.withLock({ Array($0.accepting.values) }) { accept(stream, refused) }
  }

  // MARK: - RelayingBackend

  func acceptRelayed(
    atPort port: UInt16, as id: OperationID,
    _ accept: @escaping @Sendable (RelayedStream, _ refused: @escaping @Sendable () -> Void) -> Void
  ) {
    state.withLock { state in
      state.accepting[id] = (port, accept)
      state.acceptances += 1
    }
  }

  func dial(
    _ instance: ServiceInstance, interfaces: InterfaceSelection, within limit: Duration, on transportLoop: TransportLoop
  ) async throws(TransportError) -> RelayedService {
    let answer = state.withLock { state in
      state.dials.append(Dial(instance: instance, interfaces: interfaces, limit: limit, transportLoop: transportLoop))
      return state.answer
    }
    guard let answer else { throw TransportError(.unreachable, "Nobody accepts") }
    return answer
  }

  // MARK: - DiscoveryBackend

  var executor: any SerialExecutor { base.executor }

  func lookUp(_ question: RecordQuestion, as id: OperationID, _ handler: @escaping @Sendable (LookupEvent) -> Void) {
    base.lookUp(question, as: id, handler)
  }

  func publish(
    _ registration: Registration, as id: OperationID, _ handler: @escaping @Sendable (RegistrationEvent) -> Void
  ) {
    base.publish(registration, as: id, handler)
  }

  func update(_ txt: TXTRecord, of id: OperationID) { base.update(txt, of: id) }

  func reconfirm(_ instance: ServiceInstance, interfaces: InterfaceSelection) {
    base.reconfirm(instance, interfaces: interfaces)
  }

  func followReach(
    of interfaces: InterfaceSelection, as id: OperationID, _ handler: @escaping @Sendable (Reach) -> Void
  ) {
    base.followReach(of: interfaces, as: id, handler)
  }

  func end(_ id: OperationID) {
    guard state.withLock({ $0.accepting.removeValue(forKey: id) }) == nil else { return }
    base.end(id)
  }

  var metrics: DiscoveryMetrics { base.metrics }

  func drain() async { await base.drain() }

  func close() async { await base.close() }
}
