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

  /// A place in the queue. It holds while the slot's change has the same number.
  private struct Ticket {
    let slot: Slot
    let number: Int
  }

  private struct Waiting {
    var change: BrowseChange
    let number: Int
  }

  /// Tickets in the order in which they are to be taken, beginning at `head`; some do not hold any more.
  private var queue: [Ticket] = []
  private var head = 0
  private var waiting: [Slot: Waiting] = [:]
  private var nextNumber = 0

  package init() {}

  package var isEmpty: Bool { waiting.isEmpty }
  package var count: Int { waiting.count }
  /// How long the queue is, tickets that do not hold any more included.
  var queueLength: Int { queue.count }

  /// Adds a change.
  package mutating func append(_ change: BrowseChange) {
    switch change {
    case .found(let service), .updated(let service), .lost(let service):
      merge(change, into: .instance(service.instance))
    case .interrupted, .restored:
      merge(change, into: .connection)
    case .settled:
      // It speaks for all that came before it, so the last one counts.
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
    case (.interrupted, .interrupted), (.restored, .restored): change
    case (.settled, _), (.interrupted, _), (.restored, _), (.found, _), (.updated, _), (.lost, _):
      preconditionFailure("changes of different slots are never merged")
    }
  }

  /// Drops the tickets that were taken or do not hold any more, once they are the greater part.
  private mutating func compact() {
    guard queue.count > 32, queue.count > 2 * waiting.count + 16 else { return }
    queue = queue[head...].filter(isHeld)
    head = 0
  }
}
