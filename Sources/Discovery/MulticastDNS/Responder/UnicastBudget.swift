import _BonjourishDiscovery

/// Limits the bytes that are sent to each host by unicast. Who forges a host's address in queries could otherwise have every
/// responder of the link flood it with answers, which are longer than the queries.
///
/// An answer is sent whole while the host's debt is below ``burst``. The debt falls by ``rate``. At most ``maximumHosts`` have one.
struct UnicastBudget {
  /// The bytes after which a host gets no more for now. An answer of several datagrams may exceed it.
  private static let burst: Int64 = 16 << 10
  /// The bytes per second in the long run.
  private static let rate: Int64 = 16 << 10
  private static let maximumHosts = 64

  /// The time when the debt of each host will be paid.
  private var paidAt: [IPAddress: Instant] = [:]

  /// Whether a host may be sent an answer now.
  mutating func permits(_ host: IPAddress, at now: Instant) -> Bool {
    if let paid = paidAt[host] { return paid <= now + Self.burst * 1000 / Self.rate }
    if paidAt.count == Self.maximumHosts { paidAt = paidAt.filter { $0.value > now } }
    return paidAt.count < Self.maximumHosts
  }

  /// Notes datagrams that are sent to a host.
  mutating func note(_ packets: [[UInt8]], to host: IPAddress, at now: Instant) {
    let bytes = packets.reduce(0) { $0 + Int64($1.count) }
    let start = max(now, paidAt[host] ?? now)
    paidAt[host] = Instant(microseconds: start.microseconds + bytes * 1_000_000 / Self.rate)
  }
}
