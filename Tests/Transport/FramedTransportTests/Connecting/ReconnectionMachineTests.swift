import TestSupport
import Testing
import _BonjourishBase

@testable import FramedTransport

@Suite struct ReconnectionMachineTests {
  private let start = ContinuousClock.now

  @Test func `the first attempt is made at once, and the longest wait doubles up to the cap`() {
    let policy = ReconnectionPolicy(base: .seconds(1), cap: .seconds(10))
    #expect((1...7).map { policy.longestWait(afterFailures: $0) } == [1, 2, 4, 8, 10, 10, 10].map { .seconds($0) })
    #expect(policy.longestWait(afterFailures: .max) == .seconds(10))
    let even = ReconnectionPolicy(base: .seconds(3), cap: .seconds(3))
    #expect(even.longestWait(afterFailures: 1) == .seconds(3))
    #expect(even.longestWait(afterFailures: 2) == .seconds(3))
    var machine = ReconnectionMachine(policy)
    var generator = SeededGenerator(seed: 1)
    #expect(machine.handle(.begin, at: start, using: &generator) == .connect(attempt: 1))
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `waits are any time up to the longest, and stable connections begin anew`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let policy = ReconnectionPolicy(base: .milliseconds(200), cap: .seconds(30), stablePeriod: .seconds(5))
    var machine = ReconnectionMachine(policy)
    var now = start
    var failures = 0
    var shares: [Double] = []
    #expect(machine.handle(.begin, at: now, using: &generator) == .connect(attempt: 1))
    for _ in 0..<200 {
      let action: ReconnectionMachine.Action?
      if generator.once(in: 3) {
        #expect(machine.handle(.connected, at: now, using: &generator) == nil)
        let period = Duration.milliseconds(generator.number(in: 0..<10_000))
        now += period
        failures = period >= .seconds(5) ? 1 : failures + 1
        action = machine.handle(.lost, at: now, using: &generator)
      } else {
        failures += 1
        action = machine.handle(.failed, at: now, using: &generator)
      }
      guard case .wait(let deadline) = action else {
        Issue.record("\(String(describing: action)), seed \(seed)")
        return
      }
      let longest = policy.longestWait(afterFailures: failures)
      #expect((.zero...longest).contains(now.duration(to: deadline)), "seed \(seed)")
      shares.append(now.duration(to: deadline) / longest)
      now = deadline
      #expect(machine.handle(.waited, at: now, using: &generator) == .connect(attempt: failures + 1), "seed \(seed)")
    }
    // Spread over all of it: a mean of 200 stays within five standard deviations.
    let mean = shares.reduce(0, +) / Double(shares.count)
    #expect(abs(mean - 0.5) < 0.103, "seed \(seed)")
  }

  @Test func `so many failures in a row are the end, and a stable connection between them is not`() {
    var generator = SeededGenerator(seed: 1)
    var machine = ReconnectionMachine(ReconnectionPolicy(stablePeriod: .seconds(5), failureLimit: 2))
    _ = machine.handle(.begin, at: start, using: &generator)
    guard case .wait = machine.handle(.failed, at: start, using: &generator) else {
      Issue.record("one failure was too much")
      return
    }
    _ = machine.handle(.waited, at: start, using: &generator)
    _ = machine.handle(.connected, at: start, using: &generator)
    guard case .wait = machine.handle(.lost, at: start + .seconds(5), using: &generator) else {
      Issue.record("a failure was not forgotten")
      return
    }
    _ = machine.handle(.waited, at: start, using: &generator)
    _ = machine.handle(.connected, at: start, using: &generator)
    #expect(machine.handle(.lost, at: start + .milliseconds(4999), using: &generator) == .giveUp)
  }

  @Test(arguments: [true, false])
  func `after a refusal no attempt follows`(isConnected: Bool) {
    var generator = SeededGenerator(seed: 1)
    var machine = ReconnectionMachine(.standard)
    _ = machine.handle(.begin, at: start, using: &generator)
    if isConnected { _ = machine.handle(.connected, at: start, using: &generator) }
    #expect(machine.handle(.refused, at: start, using: &generator) == .giveUp)
  }
}
