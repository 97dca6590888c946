import Testing

@testable import MulticastDNS

@Suite struct DeadlineQueueTests {
  /// Compared with a plain table over random changes.
  @Test func agreesWithATable() {
    for seed in UInt64(0)..<50 {
      var random = SplitMix(state: seed)
      var queue = DeadlineQueue()
      var table: [Int: Instant] = [:]
      for _ in 0..<500 {
        let slot = Int.random(in: 0..<40, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          queue.remove(slot)
          table[slot] = nil
        case 1:
          let now = Instant(microseconds: .random(in: 0..<100, using: &random))
          let due = table.filter { $0.value <= now }.min { ($0.value, $0.key) < ($1.value, $1.key) }
          #expect(queue.popDue(at: now) == due?.key, "seed \(seed)")
          if let due { table[due.key] = nil }
        default:
          let deadline = Instant(microseconds: .random(in: 0..<100, using: &random))
          queue.set(slot, to: deadline)
          table[slot] = deadline
        }
        #expect(queue.next == table.values.min() ?? .never, "seed \(seed)")
        #expect(queue.count == table.count)
      }
    }
  }

  @Test func neverTakesASlotOut() {
    var queue = DeadlineQueue()
    queue.set(3, to: Instant(microseconds: 1))
    queue.set(3, to: .never)
    #expect(queue.count == 0 && queue.deadline(of: 3) == nil && queue.popDue(at: .never) == nil)
  }
}
