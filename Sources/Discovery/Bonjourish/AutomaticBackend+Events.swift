#if Avahi
import _BonjourishDiscovery

/// The events of the backend in use. Those of an operation's former backend are ignored.
extension AutomaticBackend {
  func forward(_ event: LookupEvent, to id: OperationID, from inner: OperationID) {
    guard let entry = entries[id], entry.inner == inner, case .lookUp(_, let handler) = entry.operation else { return }
    switch event {
    case .interrupted: entries[id]!.isInterrupted = true
    case .restarted: entries[id]!.isInterrupted = false
    case .added, .removed, .doubted, .described, .cacheExhausted, .settled, .failed: break
    }
    handler(event)
  }

  func forward(_ event: RegistrationEvent, to id: OperationID, from inner: OperationID) {
    guard let entry = entries[id], entry.inner == inner, case .publish(let registration, let handler) = entry.operation
    else { return }
    switch event {
    case .renamed(_, let name): entries[id]!.operation = .publish(registration.renamed(to: name), handler)
    case .interrupted: entries[id]!.isInterrupted = true
    case .established: entries[id]!.isInterrupted = false
    case .failed: break
    }
    handler(event)
  }
}
#endif
