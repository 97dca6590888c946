/// The pending connections of a listener in the order of their arrival, their addresses, and how far they have come.
///
/// When there is no room for a new connection, another has to end. Those who have come equally far have a share of the places: a quarter
/// is for the silent, half for those who were heard, a quarter for those who have answered. Whoever floods the listener with one kind
/// displaces that kind, and a new connection who is quick has enough time to come further.
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

  private struct Pending {
    /// The address, if those are limited.
    let source: AddressBlock?
    var progress: ConnectionProgress
  }

  private let limits: PendingConnectionLimits
  private var lastNumber: UInt64 = 0
  private var pending: [Ticket: Pending] = [:]
  /// The numbers of pending connections from each address.
  private var crowds: [AddressBlock: Int] = [:]
  /// The numbers of those that have come equally far.
  private var counts: [ConnectionProgress: Int] = [:]

  init(_ limits: PendingConnectionLimits) {
    self.limits = limits
  }

  /// The number of pending connections.
  var count: Int { pending.count }

  /// Adds a connection, if the limits permit one more.
  mutating func arrive(from source: AddressBlock) -> Answer {
    if let most = limits.countPerAddress, let count = crowds[source], count >= most { return .addressCrowded }
    var displaced: Ticket?
    if let most = limits.count, count >= most {
      displaced = displace()
      guard displaced != nil else { return .crowded }
    }
    lastNumber += 1
    let ticket = Ticket(number: lastNumber)
    let isLimited = limits.count != nil || limits.countPerAddress != nil
    pending[ticket] = Pending(source: isLimited ? source : nil, progress: .silent)
    counts[.silent, default: 0] += 1
    if isLimited { crowds[source, default: 0] += 1 }
    return .accepted(ticket, displaced: displaced)
  }

  /// Removes the connection that has to go when there is no room; `nil` if new connections have to go instead, or none is pending.
  mutating func displace() -> Ticket? {
    guard limits.overflow == .displace, let next = nextToGo() else { return nil }
    leave(next)
    return next
  }

  /// Notes how far a connection has come, if it is still pending.
  mutating func note(_ progress: ConnectionProgress, of ticket: Ticket) {
    guard let former = pending[ticket]?.progress, former < progress else { return }
    pending[ticket]?.progress = progress
    counts[former, default: 0] -= 1
    counts[progress, default: 0] += 1
  }

  /// Removes a connection that has been admitted or closed.
  ///
  /// - Returns: Whether it was still pending: neither displaced nor removed before.
  @discardableResult
  mutating func leave(_ ticket: Ticket) -> Bool {
    guard let former = pending.removeValue(forKey: ticket) else { return false }
    counts[former.progress, default: 0] -= 1
    guard let source = former.source, let count = crowds[source] else { return true }
    crowds[source] = count > 1 ? count - 1 : nil
    return true
  }

  /// The connection that has to go: of those that exceed their share most, one of the address with most connections, and of these the
  /// one that has waited longest.
  private func nextToGo() -> Ticket? {
    let excess = counts.filter { $0.value > 0 }.map { (progress: $0.key, quarters: 4 * $0.value - count * $0.key.quarters) }
    // If two exceed it equally, those who have not come as far.
    guard let crowded = excess.max(by: { ($0.quarters, $1.progress) < ($1.quarters, $0.progress) })?.progress else {
      return nil
    }
    var next: (ticket: Ticket, crowd: Int)?
    for (ticket, connection) in pending where connection.progress == crowded {
      let crowd = connection.source.flatMap { crowds[$0] } ?? 1
      if let next, (crowd, next.ticket.number) < (next.crowd, ticket.number) { continue }
      next = (ticket, crowd)
    }
    return next?.ticket
  }
}

/// How far a pending connection has come.
package enum ConnectionProgress: Int, Comparable, Sendable {
  /// Nothing was received.
  case silent
  /// The peer has said something.
  case heard
  /// The peer has answered what it could not know before, and has taken as much trouble as this side.
  case answered

  /// The share of the places, in quarters.
  fileprivate var quarters: Int { self == .heard ? 2 : 1 }

  package static func < (left: ConnectionProgress, right: ConnectionProgress) -> Bool { left.rawValue < right.rawValue }
}
