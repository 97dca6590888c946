/// The multicast datagrams that we sent and that the kernel will loop back to us.
///
/// Each is expected once, because another process on this host may send the same bytes.
struct EchoTable {
  /// The time after which a datagram is no longer expected, in milliseconds.
  private static let timeout: Int64 = 2000
  /// The maximum number of expected datagrams.
  private static let maximum = 4096

  private var expected: [Int: (count: Int, last: Instant)] = [:]
  private var order: [(hash: Int, sent: Instant)] = []
  /// The number of obsolete entries at the start of `order`.
  private var done = 0

  mutating func expect(_ packet: [UInt8], at now: Instant) {
    forget(before: now - Self.timeout)
    if order.count - done == Self.maximum { forgetFirst() }
    let hash = packet.hashValue
    expected[hash] = ((expected[hash]?.count ?? 0) + 1, now)
    order.append((hash, now))
  }

  /// Whether a datagram from this host is one of ours. If so, it is not expected again.
  mutating func take(_ packet: [UInt8], at now: Instant) -> Bool {
    forget(before: now - Self.timeout)
    let hash = packet.hashValue
    guard let (count, last) = expected[hash], count > 0 else { return false }
    expected[hash] = (count - 1, last)
    return true
  }

  private mutating func forget(before moment: Instant) {
    while done < order.count, order[done].sent < moment { forgetFirst() }
    if done > 64, done * 2 > order.count {
      order.removeFirst(done)
      done = 0
    }
  }

  private mutating func forgetFirst() {
    let (hash, sent) = order[done]
    done += 1
    // Keep the entry if the same datagram was sent again later.
    if expected[hash]?.last == sent { expected[hash] = nil }
  }
}
