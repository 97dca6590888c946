import _BonjourishDiscovery
import _BonjourishEventLoop

/// The services that one ``Bonjour`` publishes. Its browsers mark them as its own.
///
/// Publishers and browsers use it on the backend's executor, so observers run there too.
final class OwnServices: Sendable {
  typealias Observer = @Sendable (ServiceInstance, _ isOwn: Bool) -> Void

  fileprivate struct State {
    /// The number of publishers that hold each name.
    var counts: [ServiceInstance: Int] = [:]
    var observers: [OperationID: Observer] = [:]
  }

  private let state = Locked(State())
  /// Counts what these services and the browsers tell.
  let deliveries = DeliveryCounters()

  func contains(_ instance: ServiceInstance) -> Bool { state.withLock { $0.counts[instance] != nil } }

  /// Adds the name that a publisher has established.
  func insert(_ instance: ServiceInstance) {
    tell(instance) { $0.counts[instance, default: 0] += 1 }
  }

  /// Removes a name that a publisher has lost to another host. Another publisher may still have it on another interface.
  func lose(_ instance: ServiceInstance) {
    tell(instance) { $0.remove(instance) }
  }

  /// Removes a service that a publisher has withdrawn. Browsers are not told: for them it stays the program's own until it is
  /// lost.
  func remove(_ instance: ServiceInstance) {
    state.withLock { $0.remove(instance) }
  }

  func observe(as id: OperationID, _ observer: @escaping Observer) {
    state.withLock { $0.observers[id] = observer }
  }

  func stopObserving(as id: OperationID) {
    state.withLock { $0.observers[id] = nil }
  }

  private func tell(_ instance: ServiceInstance, _ change: (inout State) -> Void) {
    let (observers, isOwn) = state.withLock { state in
      change(&state)
      return (Array(state.observers.values), state.counts[instance] != nil)
    }
    for observer in observers { observer(instance, isOwn) }
  }
}

extension OwnServices.State {
  fileprivate mutating func remove(_ instance: ServiceInstance) {
    guard let count = counts[instance] else { return }
    counts[instance] = count > 1 ? count - 1 : nil
  }
}
