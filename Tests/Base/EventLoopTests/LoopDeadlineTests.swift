import Testing
import _BonjourishEventLoop

/// A deadline on a loop, and what it has done. Sendable: used on the loop only.
private final class Owner: @unchecked Sendable {
  let loop: EventLoop
  private(set) var fired: [LoopTime] = []
  private(set) lazy var deadline = LoopDeadline(on: loop) { [unowned self] in fired.append(.now) }

  init(on loop: EventLoop) { self.loop = loop }

  func run<Value: Sendable>(_ body: @escaping @Sendable (Owner) -> Value) async -> Value {
    await withCheckedContinuation { continuation in loop.execute { continuation.resume(returning: body(self)) } }
  }
}

@Suite(.timeLimit(.minutes(1))) struct LoopDeadlineTests {
  private func withOwner(_ body: (Owner) async -> Void) async throws {
    let loop = try EventLoop(name: "test")
    let owner = Owner(on: loop)
    await body(owner)
    await owner.run { $0.deadline.cancel() }
    await loop.shutdown()
  }

  @Test func `a deadline that is put off leaves the timer as it is`() async throws {
    try await withOwner { owner in
      let start = LoopTime.now
      let times = await owner.run { owner in
        (1...100).map { step in
          owner.deadline.set(start + .seconds(3_600 + step))
          return owner.deadline.timerTime
        }
      }
      #expect(times.allSatisfy { $0 == start + .seconds(3_601) })
    }
  }

  @Test func `one that is put off fires once, not before its time`() async throws {
    try await withOwner { owner in
      let late = LoopTime.now + .milliseconds(20)
      await owner.run { owner in
        owner.deadline.set(late + .milliseconds(-19))
        owner.deadline.set(late)
      }
      while await owner.run({ $0.fired.isEmpty }) { await Task.yield() }
      let fired = await owner.run { $0.fired }
      #expect(fired.count == 1 && fired[0] >= late)
      #expect(await owner.run { $0.deadline.timerTime } == .never)
    }
  }

  @Test func `an earlier one replaces the timer`() async throws {
    try await withOwner { owner in
      await owner.run { owner in
        owner.deadline.set(ContinuousClock.now + .seconds(3_600))
        owner.deadline.set(ContinuousClock.now)
      }
      while await owner.run({ $0.fired.isEmpty }) { await Task.yield() }
      #expect(await owner.run { $0.fired.count } == 1)
    }
  }

  @Test func `one that was removed does not fire`() async throws {
    try await withOwner { owner in
      let due = LoopTime.now
      await owner.run { owner in
        owner.deadline.set(due)
        owner.deadline.set(nil)
        #expect(owner.deadline.timerTime == .never)
        // `never` leaves the timer, which finds nothing.
        owner.deadline.set(due)
        owner.deadline.set(.never)
        #expect(owner.deadline.timerTime == due)
      }
      while await owner.run({ $0.deadline.timerTime != .never }) { await Task.yield() }
      let hasFired = await owner.run { !$0.fired.isEmpty }
      #expect(!hasFired)
    }
  }
}
