import Testing

@testable import _BonjourishEventLoop

@Suite(.timeLimit(.minutes(1))) struct LoopTimerTests {
  /// Used on the loop only.
  private final class Timers: @unchecked Sendable {
    let loop: EventLoop
    var first: LoopTimer?

    init(_ loop: EventLoop) { self.loop = loop }

    /// Calls a closure on the loop, and returns when its argument was called.
    func wait(_ body: @escaping @Sendable (Timers, @escaping () -> Void) -> Void) async {
      await withCheckedContinuation { continuation in loop.execute { body(self) { continuation.resume() } } }
    }
  }

  @Test func `a timer that has run cancels no other, also not the one in its place`() async throws {
    let timers = Timers(try EventLoop(name: "test"))
    await timers.wait { timers, done in
      timers.first = timers.loop.schedule(at: LoopTime.now) {
        _ = timers.loop.schedule(at: LoopTime.now, done)
        timers.first?.cancel()
      }
    }
    await timers.loop.shutdown()
  }

  @Test func `a timer is as near as its time, whatever was set before, and one of the past runs at once`() async throws {
    let timers = Timers(try EventLoop(name: "test"))
    for nanoseconds in [Int64.min, -1, 0, 1] {
      await timers.wait { timers, done in
        _ = timers.loop.schedule(after: .seconds(3_600)) {}
        _ = timers.loop.schedule(at: LoopTime(nanoseconds: nanoseconds), done)
      }
    }
    await timers.loop.shutdown()
  }

  @Test func `the place of a timer is used again, and timers keep their order`() throws {
    let loop = try EventLoop(name: "test")
    var queue = TimerQueue()
    var ran: [Int] = []
    func insert(_ number: Int, at time: Int64) -> LoopTimer {
      let timer = LoopTimer(deadline: LoopTime(nanoseconds: time), owner: loop) { ran.append(number) }
      queue.insert(timer)
      return timer
    }
    let timers = [(0, 5), (1, 3), (2, 5), (3, 1)].map { insert($0.0, at: $0.1) }
    #expect(queue.next == LoopTime(nanoseconds: 1))
    queue.remove(timers[3])
    queue.remove(timers[3])
    _ = insert(4, at: 5)
    #expect(queue.next == LoopTime(nanoseconds: 3))
    #expect(queue.popDue(at: LoopTime(nanoseconds: 2)) == nil)
    while let action = queue.popDue(at: LoopTime(nanoseconds: 5)) { action() }
    #expect(ran == [1, 0, 2, 4] && queue.next == .never)
    _ = insert(5, at: 7)
    queue.removeAll()
    #expect(queue.next == .never && queue.popDue(at: .never) == nil)
  }
}
