/// The pending connections of a listener in the order of their arrival, and their addresses.
///
/// A value without I/O: its owner acts on the connections.
struct AdmissionQueue: Sendable {
  /// A pending connection's place in the order.
  struct Ticket: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  enum Answer: Equatable {
    /// The connection is accepted. Another may have to end for it; that one has already been removed from the queue.
    case accepted(Ticket, displaced: Ticket?)
    /// Too many connections from its address are pending.
    case addressCrowded
    /// Too many connections are pending.
    case crowded
  }

  /// The pending connections of one address.
  private struct Crowd {
    var count = 0
    /// In order of arrival. Includes some that have already left.
    var tickets: [Ticket] = []
  }

  private let limits: PendingConnectionLimits
  private var lastNumber: UInt64 = 0
  /// The pending connections, and their addresses if those are limited.
  private var sources: [Ticket: AddressBlock?] = [:]
  private var crowds: [AddressBlock: Crowd] = [:]

  init(_ limits: PendingConnectionLimits) {
    self.limits = limits
  }

  /// The number of pending connections.
  var count: Int { sources.count }

  /// Adds a connection, if the limits permit one more.
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
      return .accepted(ticket, displaced: nil)
    }
    sources[ticket] = source
    crowds[source, default: Crowd()].count += 1
    crowds[source]?.tickets.append(ticket)
    return .accepted(ticket, displaced: displaced)
  }

  /// Removes a connection that has been admitted or closed.
  ///
  /// - Returns: Whether it was still pending: neither displaced nor removed before.
  @discardableResult
  mutating func leave(_ ticket: Ticket) -> Bool {
    guard let source = sources.removeValue(forKey: ticket) else { return false }
    guard let source, var crowd = crowds.removeValue(forKey: source) else { return true }
    crowd.count -= 1
    if crowd.count > 0 {
      // Tickets that have left are removed when they are more than half, so that leaving takes constant time on average.
      if crowd.tickets.count > 2 * crowd.count { crowd.tickets.removeAll { sources[$0] == nil } }
      crowds[source] = crowd
    }
    return true
  }

  private func firstOfLargestCrowd() -> Ticket? {
    let firsts = crowds.values.compactMap { crowd in
      crowd.tickets.first { sources[$0] != nil }.map { (count: crowd.count, ticket: $0) }
    }
    // If two crowds have the same size, the one whose first connection has waited longer.
    return firsts.max { ($0.count, $1.ticket.number) < ($1.count, $0.ticket.number) }?.ticket
  }
}
