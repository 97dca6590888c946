import EventLoop
public import FramedTransport

/// A listener's passcode, and the count of wrong guesses at it.
///
/// After `limit` wrong guesses no more are evaluated until ``reopen(with:)``: those who connect get the error `passcodePaused`. A
/// guess is counted before the answer leaves, and guesses made at the same time are counted together. One guard may serve several
/// listeners.
///
/// ```swift
/// let door = PasscodeGuard(.random()) { event in print(event) }
/// let listener = try await Listener.bind(security: .passcode(door, identity: identity))
/// ```
public final class PasscodeGuard: Sendable {
  /// What the host of a listener is told.
  public enum Event: Sendable {
    /// Somebody did not know the passcode. The guard pauses when no guesses remain.
    case wrongGuess(from: SocketAddress, remaining: Int)
    /// Somebody connected while the guard pauses; the guess was not evaluated. Told once a second at most: `count` is the number of
    /// those refused since the last such event, of which this is the last.
    case refused(from: SocketAddress, count: Int)
  }

  private struct State {
    var passcode: Passcode
    var budget: GuessBudget
    var refusals = RefusalCount()
  }

  private let state: Locked<State>
  private let now: @Sendable () -> ContinuousClock.Instant
  private let events: @Sendable (Event) -> Void

  /// Creates a guard.
  ///
  /// - Parameters:
  ///   - passcode: The passcode.
  ///   - limit: The number of wrong guesses after which the guard pauses, at least 1.
  ///   - regain: The time after which one wrong guess is forgiven, so that mistyping in a long evening does not add up; `nil` for
  ///     never. It also gives a patient stranger a guess in each such time.
  ///   - events: Called with each event, on a thread that serves connections: it must not block.
  public convenience init(
    _ passcode: Passcode, limit: Int = 10, regain: Duration? = nil, events: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    self.init(passcode, limit: limit, regain: regain, now: { .now }, events: events)
  }

  /// Creates a guard with the caller's clock.
  package init(
    _ passcode: Passcode, limit: Int, regain: Duration?, now: @escaping @Sendable () -> ContinuousClock.Instant,
    events: @escaping @Sendable (Event) -> Void
  ) {
    state = Locked(State(passcode: passcode, budget: GuessBudget(limit: limit, regain: regain)))
    self.now = now
    self.events = events
  }

  /// The present passcode.
  public var passcode: Passcode { state.withLock { $0.passcode } }

  /// The number of wrong guesses until the guard pauses; 0 while it pauses.
  public var remainingGuesses: Int { state.withLock { $0.budget.remaining(at: now()) } }

  /// Whether no guess is evaluated.
  public var isPaused: Bool { remainingGuesses == 0 }

  /// Starts counting again. Attempts that are under way are refused as while it pauses, and are not counted.
  ///
  /// - Parameter passcode: The new passcode. Without one the old one stays, which is only wise if the guesses were harmless.
  public func reopen(with passcode: Passcode? = nil) {
    state.withLock { state in
      if let passcode { state.passcode = passcode }
      state.budget.restart()
    }
  }

  /// What an attempt needs: the passcode, and the round to which the guess belongs.
  struct Challenge {
    let passcode: Passcode
    let round: UInt64
  }

  /// The outcome of a guess.
  enum Judgement: Equatable {
    case right
    case wrong
    /// The guess was not evaluated.
    case paused
  }

  /// Begins an attempt; `nil` while the guard pauses.
  func challenge(_ peer: SocketAddress) -> Challenge? {
    let challenge = state.withLock { state -> Challenge? in
      guard state.budget.remaining(at: now()) > 0 else { return nil }
      return Challenge(passcode: state.passcode, round: state.budget.round)
    }
    if challenge == nil { tellRefused(peer) }
    return challenge
  }

  /// Evaluates a guess, if the budget permits one more.
  ///
  /// - Parameter isRight: Called once a permit has been taken.
  func judge(_ challenge: Challenge, from peer: SocketAddress, _ isRight: () -> Bool) -> Judgement {
    guard let permit = state.withLock({ $0.budget.begin(round: challenge.round, at: now()) }) else {
      tellRefused(peer)
      return .paused
    }
    guard isRight() else {
      let remaining = state.withLock { $0.budget.remaining(at: now()) }
      events(.wrongGuess(from: peer, remaining: remaining))
      return .wrong
    }
    state.withLock { $0.budget.succeed(permit) }
    return .right
  }

  private func tellRefused(_ peer: SocketAddress) {
    guard let count = state.withLock({ $0.refusals.add(at: now()) }) else { return }
    events(.refused(from: peer, count: count))
  }
}
