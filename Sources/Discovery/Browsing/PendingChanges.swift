/// The changes that one subscriber has not taken yet. Later changes of an instance are merged into its first one.
///
/// There is at most one change for each instance, however slow the subscriber is. Applying the merged changes gives the same
/// list as applying every change.
package struct PendingChanges {
  private enum Slot: Hashable {
    case instance(ServiceInstance)
    case settled
    case connection
  }

  /// A place in the queue. It is valid while the slot's change has this number.
  private struct Ticket {
    let slot: Slot
    let number: Int
  }

  private struct Waiting {
    var change: BrowseChange
    let number: Int
  }

  /// The tickets in the order in which they are taken, from `head`. Some are no longer valid.
  private var queue: [Ticket] = []
  private var head = 0
  private var waiting: [Slot: Waiting] = [:]
  private var nextNumber = 0

  package init() {}

  package var isEmpty: Bool { waiting.isEmpty }
  package var count: Int { waiting.count }
  /// The length of the queue, including tickets that are no longer valid.
  var queueLength: Int { queue.count }

  /// Adds a change.
  package mutating func append(_ change: BrowseChange) {
    switch change {
    case .found(let service), .updated(let service), .lost(let service):
      merge(change, into: .instance(service.instance))
    case .interrupted, .restored:
      merge(change, into: .connection)
    case .settled:
      // It applies to all changes before it, so the last one replaces earlier ones.
      enqueue(change, in: .settled)
    }
  }

  /// Takes the oldest change.
  package mutating func popFirst() -> BrowseChange? {
    while head < queue.count {
      let ticket = queue[head]
      head += 1
      guard isHeld(ticket), let taken = waiting.removeValue(forKey: ticket.slot) else { continue }
      compact()
      return taken.change
    }
    queue.removeAll(keepingCapacity: true)
    head = 0
    return nil
  }

  private mutating func merge(_ change: BrowseChange, into slot: Slot) {
    guard let pending = waiting[slot] else { return enqueue(change, in: slot) }
    waiting[slot] = Self.merge(change, into: pending.change).map { Waiting(change: $0, number: pending.number) }
    compact()
  }

  private mutating func enqueue(_ change: BrowseChange, in slot: Slot) {
    waiting[slot] = Waiting(change: change, number: nextNumber)
    queue.append(Ticket(slot: slot, number: nextNumber))
    nextNumber += 1
    compact()
  }

  private func isHeld(_ ticket: Ticket) -> Bool { waiting[ticket.slot]?.number == ticket.number }

  /// Merges two changes that the subscriber has not seen; nil when they cancel out.
  private static func merge(_ change: BrowseChange, into pending: BrowseChange) -> BrowseChange? {
    switch (pending, change) {
    case (.found, .found(let service)), (.found, .updated(let service)): .found(service)
    case (.found, .lost): nil
    case (.updated, .found(let service)), (.updated, .updated(let service)): .updated(service)
    case (.updated, .lost(let service)): .lost(service)
    // The subscriber has not seen the loss, so the service has only changed.
    case (.lost, .found(let service)), (.lost, .updated(let service)): .updated(service)
    case (.lost, .lost(let service)): .lost(service)
    // The two cancel out: the subscriber has seen neither.
    case (.interrupted, .restored), (.restored, .interrupted): nil
    case (.interrupted, .interrupted), (.restored, .restored): change
    case (.settled, _), (.interrupted, _), (.restored, _), (.found, _), (.updated, _), (.lost, _):
      preconditionFailure("changes of different slots must not be merged")
    }
  }

  /// Drops the tickets that are taken or no longer valid when they are more than half of the queue.
  private mutating func compact() {
    guard queue.count > 32, queue.count > 2 * waiting.count + 16 else { return }
    queue = queue[head...].filter(isHeld)
    head = 0
  }
}
