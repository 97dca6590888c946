import Testing
import _BonjourishBase

struct IndexedHeapTests {
  @Test(arguments: 0..<50 as Range<UInt64>) func `random changes give what a plain table gives`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var heap = IndexedHeap<Int>()
    var table: [Int: Int] = [:]
    for _ in 0..<500 {
      let slot = Int.random(in: 0..<40, using: &random)
      let priority = Int.random(in: 0..<100, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        heap.remove(slot)
        table[slot] = nil
      case 1:
        let first = table.filter { $0.value <= priority }.min { ($0.value, $0.key) < ($1.value, $1.key) }
        #expect(heap.popFirst(through: priority) == first?.key)
        if let first { table[first.key] = nil }
      default:
        heap.set(slot, to: priority)
        table[slot] = priority
      }
      #expect(heap.first == table.values.min())
      #expect(heap.count == table.count)
      #expect((0..<50).allSatisfy { heap[$0] == table[$0] })
    }
  }

  @Test func `the entry that fills the gap of a removed one can rise`() {
    // A heap as it stands, each slot at its position. The last entry, 3, fills the gap of 13, whose parent is 11.
    let priorities = [0, 10, 1, 11, 12, 4, 2, 13, 14, 15, 16, 5, 6, 7, 3]
    var heap = IndexedHeap<Int>()
    for (slot, priority) in priorities.enumerated() { heap.set(slot, to: priority) }
    heap.remove(7)
    var order: [Int] = []
    while let slot = heap.popFirst(through: .max) { order.append(priorities[slot]) }
    #expect(order == priorities.filter { $0 != 13 }.sorted())
  }

  @Test func `slots of equal priority go in the order of their numbers`() {
    var heap = IndexedHeap<Int>()
    for slot in [3, 0, 4, 1, 2] { heap.set(slot, to: 7) }
    #expect((0..<5).map { _ in heap.popFirst(through: 7) } == [0, 1, 2, 3, 4])
    #expect(heap.popFirst(through: .max) == nil)
  }
}
