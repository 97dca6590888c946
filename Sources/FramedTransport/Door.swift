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

  private let limits: NewcomerLimits
  private var lastNumber: UInt64 = 0
  private var sources: [Ticket: AddressBlock] = [:]
  /// In order, so that the first is the one who has waited longest.
  private var tickets: [AddressBlock: [Ticket]] = [:]

  init(_ limits: NewcomerLimits) {
    self.limits = limits
  }

  /// How many newcomers there are.
  var count: Int { sources.count }

  /// Someone has come.
  mutating func arrive(from source: AddressBlock) -> Answer {
    if let most = limits.countPerAddress, tickets[source, default: []].count >= most { return .addressCrowded }
    var displaced: Ticket?
    if let most = limits.count, count >= most {
      guard limits.overflow == .displace, let first = firstOfLargestCrowd() else { return .crowded }
      leave(first)
      displaced = first
    }
    lastNumber += 1
    let ticket = Ticket(number: lastNumber)
    sources[ticket] = source
    tickets[source, default: []].append(ticket)
    return .welcome(ticket, displaced: displaced)
  }

  /// Someone has been admitted, or has gone.
  ///
  /// - Returns: Whether he was still at the door: not one who was displaced, or had left before.
  @discardableResult
  mutating func leave(_ ticket: Ticket) -> Bool {
    guard let source = sources.removeValue(forKey: ticket) else { return false }
    tickets[source]?.removeAll { $0 == ticket }
    if tickets[source]?.isEmpty ?? true { tickets[source] = nil }
    return true
  }

  private func firstOfLargestCrowd() -> Ticket? {
    let crowd = tickets.values.max { left, right in
      // Of two crowds of a size, the one whose first has waited longer.
      (left.count, right[0].number) < (right.count, left[0].number)
    }
    return crowd?.first
  }
}
