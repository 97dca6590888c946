import _BonjourishEventLoop

/// The changes that one reader has not taken yet. Those of one value are merged, so there are no more than values.
final class ChangeBox: Sendable {
  private struct State {
    var changes: [String: OwnedValues.Change] = [:]
    /// The names of the changes in order.
    var order: [String] = []
    var offers: [OwnedValues.Orphan] = []
    var reader: CheckedContinuation<Void, Never>?
    var isFinished = false
    var payload = Int.max
  }

  private let state = Locked(State())

  /// The most bytes of a message that the server takes.
  var payload: Int { state.withLock(\.payload) }

  func setPayload(_ byteCount: Int) { state.withLock { $0.payload = byteCount } }

  func set(_ name: String, _ change: OwnedValues.Change) {
    wake { state in
      if state.changes.updateValue(change, forKey: name) == nil { state.order.append(name) }
    }
  }

  func offer(_ orphan: OwnedValues.Orphan) {
    wake { state in
      state.offers.removeAll { $0.name == orphan.name }
      state.offers.append(orphan)
    }
  }

  /// Forgets orphans that cannot be taken any more.
  func keepOffers(_ isValid: (String) -> Bool) {
    state.withLock { state in state.offers.removeAll { !isValid($0.name) } }
  }

  func finish() { wake { $0.isFinished = true } }

  private func wake(_ body: (inout State) -> Void) {
    let reader = state.withLock { state in
      body(&state)
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  private enum Next {
    case change(OwnedValues.Change?)
    case wait
  }

  /// The next change; nil at the end, or when the task is cancelled.
  func next() async -> OwnedValues.Change? {
    while !Task.isCancelled {
      let next = state.withLock { state -> Next in
        if !state.order.isEmpty { return .change(state.changes.removeValue(forKey: state.order.removeFirst())) }
        if !state.offers.isEmpty { return .change(.orphaned(state.offers.removeFirst())) }
        return state.isFinished ? .change(nil) : .wait
      }
      if case .change(let change) = next { return change }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isDue = state.withLock { state in
            precondition(state.reader == nil, "changes must have one reader at a time")
            guard state.order.isEmpty, state.offers.isEmpty, !state.isFinished, !Task.isCancelled else { return true }
            state.reader = continuation
            return false
          }
          if isDue { continuation.resume() }
        }
      } onCancel: {
        wake { _ in }
      }
    }
    return nil
  }
}
