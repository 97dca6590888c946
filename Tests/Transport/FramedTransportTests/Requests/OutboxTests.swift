import Testing

@testable import FramedTransport

@Suite struct OutboxTests {
  @Test func `frames leave in order, and refusals are counted until they have left`() {
    var outbox = Outbox()
    #expect(outbox.isEmpty)
    outbox.append([1], from: .machine)
    outbox.append([2], from: .refusal)
    outbox.append([3], from: .refusal)
    #expect(!outbox.isEmpty && outbox.refusalCount == 2)
    for (number, refusals) in [(1, 2), (2, 1), (3, 0)] as [(UInt8, Int)] {
      #expect(outbox.first() == [number] && outbox.first() == [number])
      #expect(outbox.removeFirst() == nil)
      #expect(outbox.refusalCount == refusals)
    }
    #expect(outbox.first() == nil && outbox.isEmpty)
  }

  @Test func `the task of a frame is told when it has left, and a frame without its task does not leave`() async throws {
    for isDropped in [false, true] {
      var outbox = Outbox()
      let result = await withCheckedContinuation { notifier in
        outbox.append([1], from: .notifier(7, notifier))
        outbox.append([2], from: .machine)
        #expect(outbox.dropNotifier(8) == nil)
        let waiting = isDropped ? outbox.dropNotifier(7) : outbox.removeFirst()
        #expect(waiting != nil && outbox.first() == [2])
        #expect(outbox.dropNotifier(7) == nil)
        #expect(outbox.removeFirst() == nil && outbox.isEmpty)
        waiting?.resume(returning: .success(()))
      }
      #expect(throws: Never.self) { try result.get() }
    }
  }

  @Test func `at the end the waiting tasks are told, and nothing is left`() async {
    var outbox = Outbox()
    let ended = MessagingError(.disconnected, "over")
    let result = await withCheckedContinuation { notifier in
      outbox.append([1], from: .refusal)
      outbox.append([2], from: .notifier(1, notifier))
      let waiting = outbox.removeAll()
      #expect(waiting.count == 1 && outbox.isEmpty && outbox.refusalCount == 0)
      for notifier in waiting { notifier.resume(returning: .failure(ended)) }
    }
    #expect(throws: ended) { try result.get() }
  }
}
