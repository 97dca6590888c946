import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

private let start = ContinuousClock.now
private func time(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

/// When a directory is connected to, and when its silence or its refusal is told.
@Suite struct ConnectionAttemptsTests {
  private var machine = ConnectionAttempts(isAlone: false, seed: 1)

  @Test(arguments: [(false, 500), (true, 2_000)])
  mutating func `it is told once that a directory takes long, later if there is nothing else`(isAlone: Bool, timeout: Int) {
    machine = ConnectionAttempts(isAlone: isAlone, seed: 1)
    #expect(machine.begin(at: start) == [.connect])
    #expect(machine.nextDeadline == time(timeout))
    #expect(machine.advance(to: time(timeout - 1)).isEmpty)
    #expect(machine.advance(to: time(timeout)) == [.late])
    #expect(machine.nextDeadline == nil)
    let isBelieved = machine.failed(.unavailable, at: time(2_100))
    #expect(isBelieved)
    machine.retry(after: .seconds(1), at: time(2_100))
    #expect(machine.advance(to: time(3_100)) == [.connect])
    #expect(machine.nextDeadline == nil)
  }

  @Test mutating func `an attempt comes later with each failure, until one succeeds`() {
    func wait(_ machine: inout ConnectionAttempts) -> Duration? {
      machine.retry(at: start)
      return machine.nextDeadline.map { $0 - start }
    }
    machine.told()
    for limit in [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000] {
      let delay = wait(&machine) ?? .zero
      #expect(delay >= .milliseconds(limit / 2) && delay <= .milliseconds(limit))
    }
    machine.connected()
    let delay = wait(&machine) ?? .zero
    #expect(delay <= .milliseconds(250))
  }

  @Test(arguments: [300, 450])
  mutating func `a server that refuses once and then lets in is not told to be late by the first attempt`(refusal: Int) {
    _ = machine.begin(at: start)
    let isBelieved = machine.failed(.notPermitted, at: time(refusal))
    #expect(!isBelieved)
    #expect(machine.nextDeadline == time(refusal + 100))
    #expect(machine.advance(to: time(refusal + 100)) == [.connect])
    // The second attempt has the whole time, and nothing is left of either when it has succeeded.
    #expect(machine.nextDeadline == time(refusal + 600))
    machine.connected()
    #expect(machine.nextDeadline == nil)
    #expect(machine.advance(to: time(60_000)).isEmpty)
  }

  @Test(arguments: [.notPermitted, .untrusted, .refused] as [DiscoveryError.Code])
  mutating func `a server must refuse three times in a row to be believed`(code: DiscoveryError.Code) {
    _ = machine.begin(at: start)
    var now = 0
    func refused(_ machine: inout ConnectionAttempts) -> Bool { machine.failed(code, at: time(now)) }
    for _ in 0..<2 {
      #expect(!refused(&machine))
      now += 100
      #expect(machine.advance(to: time(now)) == [.connect])
    }
    #expect(refused(&machine))
    #expect(machine.nextDeadline == nil)
    // It is asked later, and believed as before, until it has let in or was away.
    machine.retry(after: .seconds(5), at: time(now))
    #expect(machine.nextDeadline == time(now + 5_000))
    #expect(machine.advance(to: time(now + 5_000)) == [.connect])
    #expect(refused(&machine))
    machine.connected()
    #expect(!refused(&machine))
    let isBelieved = machine.failed(.unavailable, at: time(now))
    #expect(isBelieved)
    #expect(!refused(&machine))
  }

  @Test mutating func `a configuration that cannot be used is believed at once`() {
    _ = machine.begin(at: start)
    let isBelieved = machine.failed(.invalidDirectory, at: time(1))
    #expect(isBelieved)
    #expect(machine.nextDeadline == nil)
  }
}
