import TestSupport
import Testing

@testable import Rooms

struct HouseDeadlineTests {
  @Test(arguments: 0..<5 as Range<UInt64>) func `what is due comes out in order, as a list that is sorted says`(seed: UInt64) {
    var generator = TestSupport.SeededGenerator(seed: seed)
    var queue = DeadlineQueue()
    var model: [Int: Duration] = [:]
    for _ in 0..<1_000 {
      let slot = Int.random(in: 0..<40, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        queue.set(slot, to: nil)
        model[slot] = nil
      case 1:
        let now = Duration.seconds(Int.random(in: 0..<100, using: &generator))
        let due = model.filter { $0.value <= now }.min { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        #expect(queue.popDue(at: now) == due)
        if let due { model[due] = nil }
      default:
        let deadline = Duration.seconds(Int.random(in: 0..<100, using: &generator))
        queue.set(slot, to: deadline)
        model[slot] = deadline
      }
      #expect(queue.next == model.values.min())
    }
  }
}
