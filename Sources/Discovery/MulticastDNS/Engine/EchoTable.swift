/// The multicast datagrams that we sent and that the kernel will loop back to us.
///
/// Each is expected once, because another process on this host may send the same bytes. On a busy machine an echo may come seconds
/// late. But the kernel keeps the order in which they were sent: what has not come back before later ones will not come any more.
struct EchoTable {
  /// The maximum number of datagrams from the first that is expected to the last.
  private static let maximum = 4096
  /// How many datagrams sent later must come back before one is no longer expected. The order may change a little when several
  /// processors send.
  private static let longestDisorder = 64

  /// The hashes of the datagrams in the order in which they were sent; nil for those that have come back.
  private var sent: [Int?] = []
  /// The number of obsolete entries at the start of `sent`.
  private var done = 0
  /// How often each is expected.
  private var counts: [Int: Int] = [:]

  mutating func expect(_ packet: [UInt8]) {
    if sent.count - done == Self.maximum { forget(through: done) }
    let hash = packet.hashValue
    counts[hash, default: 0] += 1
    sent.append(hash)
  }

  /// Whether a datagram from this host is one of ours. If so, it is not expected again.
  mutating func take(_ packet: [UInt8]) -> Bool {
    let hash = packet.hashValue
    guard counts[hash] != nil, let place = sent[done...].firstIndex(of: hash) else { return false }
    remove(place)
    forget(through: place - Self.longestDisorder)
    while done < sent.count, sent[done] == nil { done += 1 }
    return true
  }

  private mutating func forget(through place: Int) {
    while done <= place {
      remove(done)
      done += 1
    }
    if done > 64, done * 2 > sent.count {
      sent.removeFirst(done)
      done = 0
    }
  }

  private mutating func remove(_ place: Int) {
    guard let hash = sent[place].take() else { return }
    counts[hash] = counts[hash].flatMap { $0 > 1 ? $0 - 1 : nil }
  }
}
