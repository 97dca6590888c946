/// Decides when to connect again; see ``ReconnectionPolicy``.
struct ReconnectionMachine: Sendable {
  typealias Instant = ContinuousClock.Instant

  enum Event: Hashable, Sendable {
    case begin
    /// The attempt has succeeded.
    case connected
    /// The attempt has failed.
    case failed
    /// The connection has ended.
    case lost
    /// The attempt has failed, or the connection has ended, and another attempt would not help.
    case refused
    /// The wait is over.
    case waited
  }

  enum Action: Hashable, Sendable {
    /// Connect. Attempts are counted from 1 since the last stable connection.
    case connect(attempt: Int)
    case wait(until: Instant)
    case giveUp
  }

  private enum State {
    /// Not begun. Next: `connecting`.
    case idle
    /// Next: `connected`, `waiting`, `over`.
    case connecting
    /// Next: `waiting`, `over`.
    case connected(since: Instant)
    /// Next: `connecting`.
    case waiting
    case over
  }

  private let policy: ReconnectionPolicy
  private var state = State.idle
  private var failures = 0

  init(_ policy: ReconnectionPolicy) {
    policy.check()
    self.policy = policy
  }

  mutating func handle(_ event: Event, at now: Instant, using generator: inout some RandomNumberGenerator) -> Action? {
    switch (state, event) {
    case (.idle, .begin), (.waiting, .waited):
      state = .connecting
      return .connect(attempt: failures + 1)
    case (.connecting, .connected):
      state = .connected(since: now)
      return nil
    case (.connected(let since), .lost):
      if since.duration(to: now) >= policy.stablePeriod { failures = 0 }
      return fail(at: now, using: &generator)
    case (.connecting, .failed):
      return fail(at: now, using: &generator)
    case (.connecting, .refused), (.connected, .refused):
      state = .over
      return .giveUp
    case (.idle, _), (.connecting, _), (.connected, _), (.waiting, _), (.over, _):
      preconditionFailure("the event \(event) is not allowed in the state \(state)")
    }
  }

  private mutating func fail(at now: Instant, using generator: inout some RandomNumberGenerator) -> Action {
    failures += 1
    guard failures < policy.failureLimit ?? .max else {
      state = .over
      return .giveUp
    }
    state = .waiting
    let longest = policy.longestWait(afterFailures: failures)
    return .wait(until: now + longest * Double.random(in: 0...1, using: &generator))
  }
}
