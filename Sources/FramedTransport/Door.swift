/// Who stands at the door of a listener: the newcomers in the order in which they came, and where they came from.
///
/// A value; what to do with the connections is up to its owner.
struct Door: Sendable {
  /// A newcomer's place in the order.
  struct Ticket: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  enum Answer: Equatable {
    /// He may come in, and another may have to leave for him, who is forgotten already.
    case welcome(Ticket, displaced: Ticket?)
    /// There are enough from his address.
    case addressCrowded
    /// There are enough altogether.
    case crowded
  }

  /// Those of one address.
  private struct Crowd {
    var count = 0
    /// In order, so that the first is the one who has waited longest; some have left already.
    var tickets: [Ticket] = []
  }

  private let limits: NewcomerLimits
  private var lastNumber: UInt64 = 0
  /// Who is here, and where from if that matters.
  private var sources: [Ticket: AddressBlock?] = [:]
  private var crowds: [AddressBlock: Crowd] = [:]

  init(_ limits: NewcomerLimits) {
    self.limits = limits
  }

  /// How many newcomers there are.
  var count: Int { sources.count }

  /// Someone has come.
  mutating func arrive(from source: AddressBlock) -> Answer {
    if let most = limits.countPerAddress, let crowd = crowds[source], crowd.count >= most { return .addressCrowded }
    var displaced: Ticket?
    if let most = limits.count, count >= most {
      guard limits.overflow == .displace, let first = firstOfLargestCrowd() else { return .crowded }
      leave(first)
      displaced = first
    }
    lastNumber += 1
    let ticket = Ticket(number: lastNumber)
    guard limits.count != nil || limits.countPerAddress != nil else {
      sources[ticket] = .some(nil)
      return .welcome(ticket, displaced: nil)
    }
    sources[ticket] = source
    crowds[source, default: Crowd()].count += 1
    crowds[source]?.tickets.append(ticket)
    return .welcome(ticket, displaced: displaced)
  }

  /// Someone has been admitted, or has gone.
  ///
  /// - Returns: Whether he was still at the door: not one who was displaced, or had left before.
  @discardableResult
  mutating func leave(_ ticket: Ticket) -> Bool {
    guard let source = sources.removeValue(forKey: ticket) else { return false }
    guard let source, var crowd = crowds.removeValue(forKey: source) else { return true }
    crowd.count -= 1
    if crowd.count > 0 {
      // Those who have left are put out when they are more than half, so that leaving takes no longer in a large crowd.
      if crowd.tickets.count > 2 * crowd.count { crowd.tickets.removeAll { sources[$0] == nil } }
      crowds[source] = crowd
    }
    return true
  }

  private func firstOfLargestCrowd() -> Ticket? {
    let firsts = crowds.values.compactMap { crowd in
      crowd.tickets.first { sources[$0] != nil }.map { (count: crowd.count, ticket: $0) }
    }
    // Of two crowds of a size, the one whose first has waited longer.
    return firsts.max { ($0.count, $1.ticket.number) < ($1.count, $0.ticket.number) }?.ticket
  }
}
