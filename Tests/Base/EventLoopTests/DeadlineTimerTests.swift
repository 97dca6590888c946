import Testing
import _BonjourishEventLoop

/// An actor with a timer, on a loop.
private actor Sleeper {
  private let loop: EventLoop
  private let timer: DeadlineTimer
  private let hasSlept: Observed<Bool>
  private(set) var fired: [String] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop) {
    self.loop = loop
    let hasSlept = Observed(false)
    self.hasSlept = hasSlept
    timer = DeadlineTimer(MonotonicClock(now: { .now }, sleep: { _ in hasSlept.change { $0 = true } }))
  }

  /// Sets the timer, and returns when its deadline has passed. The action cannot arrive here before the caller is done.
  func set(_ name: String, at deadline: ContinuousClock.Instant) {
    hasSlept.change { $0 = false }
    timer.set(deadline, on: self) { $0.fired.append(name) }
    while !hasSlept.change({ $0 }) {}
  }

  func cancel() { timer.cancel() }

  func run(_ body: @Sendable (isolated Sleeper) -> Void) { body(self) }
}

@Suite(.timeLimit(.minutes(1))) struct DeadlineTimerTests {
  @Test func `a timer that was set anew does not fire for the former deadline`() async throws {
    let loop = try EventLoop(name: "test")
    let sleeper = Sleeper(on: loop)
    await sleeper.run { sleeper in
      let now = ContinuousClock.now
      sleeper.set("former", at: now + .seconds(1))
      sleeper.set("latter", at: now)
    }
    while await sleeper.fired.isEmpty { await Task.yield() }
    #expect(await sleeper.fired == ["latter"])
    await loop.shutdown()
  }

  @Test func `a deadline that is put off again and again takes two sleeps`() async throws {
    let loop = try EventLoop(name: "test")
    let (sleeps, isOver) = (Observed<[ContinuousClock.Instant]>([]), Observed(false))
    let clock = MonotonicClock(
      now: { .now },
      sleep: { end in
        sleeps.change { $0.append(end) }
        while !isOver.change({ $0 }) { await Task.yield() }
      })
    let sleeper = Sleeper(on: loop)
    let (timer, fired) = (DeadlineTimer(clock), Observed(0))
    let now = ContinuousClock.now
    for step in 0...100 { timer.set(now + .seconds(step), on: sleeper) { _ in fired.change { $0 += 1 } } }
    #expect(fired.change { $0 } == 0)
    isOver.change { $0 = true }
    while fired.change({ $0 }) == 0 { await Task.yield() }
    #expect(sleeps.change { $0 } == [now, now + .seconds(100)])
    await sleeper.run { _ in }
    #expect(fired.change { $0 } == 1)
    await loop.shutdown()
  }

  @Test func `a timer that was cancelled does not fire`() async throws {
    let loop = try EventLoop(name: "test")
    let sleeper = Sleeper(on: loop)
    await sleeper.run { sleeper in
      sleeper.set("cancelled", at: .now)
      sleeper.cancel()
      sleeper.set("next", at: .now + .seconds(1))
    }
    while await sleeper.fired.isEmpty { await Task.yield() }
    #expect(await sleeper.fired == ["next"])
    await loop.shutdown()
  }

  @Test func `a timer that was cancelled can be set for the same deadline`() async throws {
    let loop = try EventLoop(name: "test")
    let sleeper = Sleeper(on: loop)
    await sleeper.run { sleeper in
      let deadline = ContinuousClock.now
      sleeper.set("cancelled", at: deadline)
      sleeper.cancel()
      sleeper.set("next", at: deadline)
    }
    while await sleeper.fired.isEmpty { await Task.yield() }
    #expect(await sleeper.fired == ["next"])
    await loop.shutdown()
  }

  @Test func `a deadline that is put off and brought back takes one sleep, and an earlier one another`() async throws {
    let loop = try EventLoop(name: "test")
    let (sleeps, fired) = (Observed<[ContinuousClock.Instant]>([]), Observed(0))
    let clock = MonotonicClock(
      now: { .now },
      sleep: { end in
        sleeps.change { $0.append(end) }
        while !Task.isCancelled { await Task.yield() }
      })
    let (timer, sleeper) = (DeadlineTimer(clock), Sleeper(on: loop))
    let now = ContinuousClock.now
    for seconds in [2, 3, 2, 1] {
      timer.set(now + .seconds(seconds), on: sleeper) { _ in fired.change { $0 += 1 } }
      if seconds == 3 { _ = await sleeps.take { $0.isEmpty ? nil : () } }
    }
    let begun = await sleeps.take { $0.count < 2 ? nil : $0 }
    #expect(begun == [now + .seconds(2), now + .seconds(1)])
    timer.cancel()
    await sleeper.run { _ in }
    #expect(fired.value(\.self) == 0)
    await loop.shutdown()
  }

  @Test func `a timer fires once for a deadline, and again for the same when it is set again`() async throws {
    let loop = try EventLoop(name: "test")
    let sleeper = Sleeper(on: loop)
    let deadline = ContinuousClock.now
    for count in 1...2 {
      await sleeper.set("\(count)", at: deadline)
      while await sleeper.fired.count < count { await Task.yield() }
    }
    #expect(await sleeper.fired == ["1", "2"])
    await loop.shutdown()
  }

  @Test func `a timer does not keep its actor alive`() async throws {
    let loop = try EventLoop(name: "test")
    let timer = DeadlineTimer(MonotonicClock(now: { .now }, sleep: { _ in while !Task.isCancelled { await Task.yield() } }))
    weak var former: Sleeper?
    do {
      let sleeper = Sleeper(on: loop)
      former = sleeper
      timer.set(.now, on: sleeper) { _ in }
    }
    while former != nil { await Task.yield() }
    timer.cancel()
    await loop.shutdown()
  }
}

@Suite(.timeLimit(.minutes(1))) struct WaiterTests {
  @Test func `waiting ends when the condition does not hold any more, and not at every wake`() async {
    let waiter = Waiter()
    let (count, looks) = (Observed(3), Observed(0))
    async let waiting: Void = waiter.wait {
      looks.change { $0 += 1 }
      return count.change { $0 } > 0
    }
    while count.change({ $0 }) > 0 {
      while looks.change({ $0 }) == 0 { await Task.yield() }
      looks.change { $0 = 0 }
      count.change { $0 -= 1 }
      waiter.wake()
    }
    await waiting
    #expect(looks.change { $0 } > 0)
  }

  @Test func `cancelling the task ends the waiting`() async {
    let waiter = Waiter()
    let looked = Observed(false)
    let task = Task {
      await waiter.wait {
        looked.change { $0 = true }
        return true
      }
    }
    while !looked.change({ $0 }) { await Task.yield() }
    task.cancel()
    await task.value
    // And it can be waited again.
    await waiter.wait { false }
  }

  /// An actor of a loop that waits until told.
  private actor Owner {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    let waiter = Waiter()
    var isOpen = false
    /// Whether each evaluation of the condition was on the loop.
    var evaluations: [Bool] = []

    init(on loop: EventLoop) { self.loop = loop }

    func wait() async {
      await waiter.wait {
        evaluations.append(loop.isCurrent)
        return !isOpen
      }
    }

    func open() {
      isOpen = true
      waiter.wake()
    }
  }

  @Test func `the condition is evaluated in the isolation of the caller`() async throws {
    let loop = try EventLoop(name: "test")
    let owner = Owner(on: loop)
    let waiting = Task { await owner.wait() }
    while await owner.evaluations.count < 2 { await Task.yield() }
    await owner.open()
    await waiting.value
    #expect(await owner.evaluations.allSatisfy { $0 })
    await loop.shutdown()
  }

  @Test func `a change between the two looks at a value is not missed`() async {
    let observed = Observed(0)
    let consumer = Task {
      var sum = 0
      while sum < 10_000 {
        sum +=
          await observed.take { value -> Int? in
            defer { value = 0 }
            return value == 0 ? nil : value
          } ?? 0
      }
      return sum
    }
    for _ in 0..<10_000 { observed.change { $0 += 1 } }
    #expect(await consumer.value == 10_000)
  }
}
