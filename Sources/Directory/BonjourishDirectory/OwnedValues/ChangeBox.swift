import _BonjourishEventLoop

/// The changes that one reader has not taken yet. Those of one value are merged, so there are no more than values.
final class ChangeBox: Sendable {
  private struct State {
    var changes: [String: OwnedValues.Change] = [:]
    /// The names of the changes in order.
    var order: [String] = []
    var offers: [OwnedValues.Orphan] = []
    var isFinished = false
    var payload = Int.max
  }

  private let state = Observed(State())

  /// The most bytes of a message that the server takes.
  var payload: Int { state.value(\.payload) }

  func setPayload(_ byteCount: Int) { state.change { $0.payload = byteCount } }

  func set(_ name: String, _ change: OwnedValues.Change) {
    state.change { state in
      if state.changes.updateValue(change, forKey: name) == nil { state.order.append(name) }
    }
  }

  func offer(_ orphan: OwnedValues.Orphan) {
    state.change { state in
      state.offers.removeAll { $0.name == orphan.name }
      state.offers.append(orphan)
    }
  }

  /// Forgets orphans that cannot be taken any more.
  func keepOffers(_ isValid: (String) -> Bool) {
    state.change { state in state.offers.removeAll { !isValid($0.name) } }
  }

  func finish() { state.change { $0.isFinished = true } }

  /// The next change; nil at the end, or when the task is cancelled.
  func next() async -> OwnedValues.Change? {
    let next: OwnedValues.Change?? = await state.take { state in
      if !state.order.isEmpty { return .some(state.changes.removeValue(forKey: state.order.removeFirst())) }
      if !state.offers.isEmpty { return .some(.orphaned(state.offers.removeFirst())) }
      return state.isFinished ? .some(nil) : nil
    }
    return next ?? nil
  }
}
