/// The changes that one subscriber has not taken yet. Later changes of an element are merged into its first one.
///
/// There is at most one change for each element, however slow the subscriber is. Applying the merged changes gives the same
/// list as applying every change.
package struct PendingChanges<Element: Identifiable & Hashable & Sendable>: Sendable where Element.ID: Sendable {
  package typealias Change = DiscoveryChange<Element>

  enum Slot: Hashable {
    case element(Element.ID)
    case settled
    case connection
  }

  /// A place in the queue. It is valid while the slot's change has this number.
  struct Ticket {
    let slot: Slot
    let number: Int
  }

  private struct Waiting {
    var change: Change
    let number: Int
  }

  /// The tickets in the order in which they are taken, from `head`. Some are no longer valid.
  private(set) var queue: [Ticket] = []
  private var head = 0
  private var waiting: [Slot: Waiting] = [:]
  private var nextNumber = 0

  package init() {}

  package var isEmpty: Bool { waiting.isEmpty }
  package var count: Int { waiting.count }

  /// Adds a change.
  package mutating func append(_ change: Change) {
    switch change {
    case .found(let element), .updated(let element), .lost(let element):
      merge(change, into: .element(element.id))
    case .interrupted, .restored:
      merge(change, into: .connection)
    case .settled:
      // It applies to all changes before it, so the last one replaces earlier ones.
      enqueue(change, in: .settled)
    }
  }

  /// Takes the oldest change.
  package mutating func popFirst() -> Change? {
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

  private mutating func merge(_ change: Change, into slot: Slot) {
    guard let pending = waiting[slot] else { return enqueue(change, in: slot) }
    waiting[slot] = Self.merge(change, into: pending.change).map { Waiting(change: $0, number: pending.number) }
    compact()
  }

  private mutating func enqueue(_ change: Change, in slot: Slot) {
    waiting[slot] = Waiting(change: change, number: nextNumber)
    queue.append(Ticket(slot: slot, number: nextNumber))
    nextNumber += 1
    compact()
  }

  private func isHeld(_ ticket: Ticket) -> Bool { waiting[ticket.slot]?.number == ticket.number }

  /// Merges two changes that the subscriber has not seen; nil when they cancel out.
  private static func merge(_ change: Change, into pending: Change) -> Change? {
    switch (pending, change) {
    case (.found, .found(let element)), (.found, .updated(let element)): .found(element)
    case (.found, .lost): nil
    case (.updated, .found(let element)), (.updated, .updated(let element)): .updated(element)
    case (.updated, .lost(let element)): .lost(element)
    // The subscriber has not seen the loss, so the element has only changed.
    case (.lost, .found(let element)), (.lost, .updated(let element)): .updated(element)
    case (.lost, .lost(let element)): .lost(element)
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
