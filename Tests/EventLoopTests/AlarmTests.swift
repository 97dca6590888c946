import EventLoop
import Testing

/// An actor with an alarm, on a loop.
private actor Sleeper {
  private let loop: EventLoop
  private var alarm: Alarm
  private(set) var rings: [String] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop) {
    self.loop = loop
    alarm = Alarm(Timekeeper(now: { .now }, sleep: { _ in }))
  }

  /// Sets the alarm, and returns when its action is on the way here, where it cannot arrive before the caller is done.
  func set(_ name: String, at deadline: ContinuousClock.Instant) {
    let isOnItsWay = Locked(false)
    alarm.set(deadline) { [self] in
      isOnItsWay.withLock { $0 = true }
      await ring(name)
    }
    while !isOnItsWay.withLock({ $0 }) {}
  }

  func cancel() { alarm.cancel() }

  private func ring(_ name: String) {
    if alarm.fired() { rings.append(name) }
  }

  func run(_ body: @Sendable (isolated Sleeper) -> Void) { body(self) }
}

@Suite(.timeLimit(.minutes(1))) struct AlarmTests {
  @Test func `an alarm that was set anew does not ring for what it was set to before`() async throws {
    let loop = try EventLoop(name: "test")
    let sleeper = Sleeper(on: loop)
    await sleeper.run { sleeper in
      let now = ContinuousClock.now
      sleeper.set("former", at: now)
      sleeper.set("latter", at: now + .seconds(1))
    }
    while await sleeper.rings.isEmpty { await Task.yield() }
    #expect(await sleeper.rings == ["latter"])
    await loop.shutdown()
  }

  @Test func `an alarm that was cancelled does not ring`() async throws {
    let loop = try EventLoop(name: "test")
    let sleeper = Sleeper(on: loop)
    await sleeper.run { sleeper in
      sleeper.set("cancelled", at: .now)
      sleeper.cancel()
      sleeper.set("next", at: .now + .seconds(1))
    }
    while await sleeper.rings.isEmpty { await Task.yield() }
    #expect(await sleeper.rings == ["next"])
    await loop.shutdown()
  }
}
