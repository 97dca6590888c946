import Testing
import _BonjourishEventLoop

@Suite(.timeLimit(.minutes(1))) struct WorkThreadTests {
  @Test func `work is done in order, on another thread, and again after a pause`() async {
    let thread = WorkThread()
    let done = Locked<[Int]>([])
    for round in 0..<20 {
      await withCheckedContinuation { continuation in
        for number in 0..<50 { thread.run { done.withLock { $0.append(round * 50 + number) } } }
        thread.run { continuation.resume() }
      }
      #expect(done.withLock { $0 } == Array(0..<(round + 1) * 50))
    }
  }

  @Test func `work may give more work, and blocks nobody who gives it`() async {
    let thread = WorkThread()
    let gate = Locked(false)
    await withCheckedContinuation { continuation in
      // Without a thread of its own, this would never end.
      thread.run {
        while !gate.withLock({ $0 }) {}
        thread.run { continuation.resume() }
      }
      gate.withLock { $0 = true }
    }
  }

  private final class Counter: Sendable {
    let value = Locked(0)
  }

  @Test func `none of what many threads give is lost`() async {
    let thread = WorkThread()
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<500 {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
              thread.run {
                counter.value.withLock { $0 += 1 }
                continuation.resume()
              }
            }
          }
        }
      }
    }
    #expect(counter.value.withLock { $0 } == 4_000)
  }
}
