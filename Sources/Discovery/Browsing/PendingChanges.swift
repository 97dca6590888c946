/// The changes that one subscriber has not taken yet: at most one for each instance, later ones merged into it.
///
/// However slow the subscriber is, what waits for it is bounded by the number of instances there are, and applying what it
/// takes always leads to the same list as applying every change would.
package struct PendingChanges {
  private enum Slot: Hashable {
    case instance(ServiceInstance)
    case settled
    case connection
  }

  /// Slots in the order in which they are to be taken. A slot that was cancelled out has no change any more.
  private var order: [Slot] = []
  private var head = 0
  private var changes: [Slot: BrowseChange] = [:]

  package init() {}

  package var isEmpty: Bool { changes.isEmpty }
  package var count: Int { changes.count }

  /// Adds a change.
  package mutating func append(_ change: BrowseChange) {
    let slot: Slot
    switch change {
    case .found(let service), .updated(let service), .lost(let service): slot = .instance(service.instance)
    case .settled: slot = .settled
    case .interrupted, .restored: slot = .connection
    }
    guard let pending = changes[slot] else {
      changes[slot] = change
      order.append(slot)
      compact()
      return
    }
    changes[slot] = Self.merge(change, into: pending)
  }

  /// Takes the oldest change.
  package mutating func popFirst() -> BrowseChange? {
    while head < order.count {
      let slot = order[head]
      head += 1
      if let change = changes.removeValue(forKey: slot) {
        compact()
        return change
      }
    }
    order.removeAll(keepingCapacity: true)
    head = 0
    return nil
  }

  /// What two changes, of which the subscriber has seen neither, come to; nil when they cancel out.
  private static func merge(_ change: BrowseChange, into pending: BrowseChange) -> BrowseChange? {
    switch (pending, change) {
    case (.found, .found(let service)), (.found, .updated(let service)): .found(service)
    case (.found, .lost): nil
    case (.updated, .found(let service)), (.updated, .updated(let service)): .updated(service)
    case (.updated, .lost(let service)): .lost(service)
    // Whoever has not seen the loss sees a service that changed.
    case (.lost, .found(let service)), (.lost, .updated(let service)): .updated(service)
    case (.lost, .lost(let service)): .lost(service)
    // Whoever has not seen the first of the two need not see that it is over.
    case (.interrupted, .restored), (.restored, .interrupted): nil
    case (.interrupted, .interrupted), (.restored, .restored), (.settled, .settled): change
    case (.settled, _), (.interrupted, _), (.restored, _), (.found, _), (.updated, _), (.lost, _):
      preconditionFailure("changes of different slots are never merged")
    }
  }

  /// Drops slots that were taken or cancelled out once they are the greater part.
  private mutating func compact() {
    guard order.count > 32, order.count > 2 * changes.count + 16 else { return }
    var seen: Set<Slot> = []
    order = order[head...].filter { changes[$0] != nil && seen.insert($0).inserted }
    head = 0
  }
}
