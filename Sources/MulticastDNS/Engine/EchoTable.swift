/// The datagrams that we sent by multicast and that the kernel is about to give back to us.
///
/// Each is expected once: another process on this host may send the very same.
struct EchoTable {
  /// Milliseconds after which a datagram is not expected any more.
  private static let patience: Int64 = 2000
  /// How many are expected at most.
  private static let maximum = 4096

  private var expected: [Int: (count: Int, last: Instant)] = [:]
  private var order: [(hash: Int, sent: Instant)] = []
  /// How many at the beginning of `order` are dealt with.
  private var done = 0

  mutating func expect(_ packet: [UInt8], at now: Instant) {
    forget(before: now - Self.patience)
    if order.count - done == Self.maximum { forgetFirst() }
    let hash = packet.hashValue
    expected[hash] = ((expected[hash]?.count ?? 0) + 1, now)
    order.append((hash, now))
  }

  /// Whether a datagram from this host is one of ours, which is then not expected again.
  mutating func take(_ packet: [UInt8], at now: Instant) -> Bool {
    forget(before: now - Self.patience)
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
    // The same may have been sent again since.
    if expected[hash]?.last == sent { expected[hash] = nil }
  }
}
