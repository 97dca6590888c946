public import FramedTransport
import _BonjourishEventLoop

/// A listener's passcode, and the count of wrong guesses at it.
///
/// After `limit` wrong guesses, or `limitPerAddress` from one address, no more are evaluated until ``reopen(with:)``: those who
/// connect get the error `passcodePaused`. A guess is counted before the answer leaves, and guesses made at the same time are counted
/// together. One guard may serve several listeners.
///
/// Whoever has proved the passcode with an `Identity` is not shut out by the wrong guesses of others: such a member is known by its key.
/// One without is known by its address, and not shut out by those of other addresses. A member's wrong guesses count apart: after each
/// one it must wait, one second at first and twice as long each time. The latest 512 members with a key are known. Those whose key a
/// listener knows (``KnownKeys``) are members, too.
///
/// ```swift
/// let passcodes = PasscodeGuard(.random()) { event in
///   switch event {
///   case .wrongGuess(let peer, 0): print("\(peer.host) gave the last wrong passcode; type reopen for a new one")
///   case .wrongGuess(let peer, let remaining): print("\(peer.host) gave a wrong passcode; \(remaining) more may be wrong")
///   case .refused(let peer, let count): print("\(count) attempts were not evaluated, the last from \(peer.host)")
///   @unknown default: print(event)
///   }
/// }
/// let listener = try await Listener.bind(security: .passcode(passcodes, identity: identity))
/// ```
public final class PasscodeGuard: Sendable {
  /// What the host of a listener is told. Later versions may add cases: a `switch` has a `default` or `@unknown default`.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Event: Sendable {
    /// Somebody did not know the passcode. The guard pauses when no guesses remain: nobody new comes in. While it pauses, this tells of
    /// members who have mistyped it, again with none remaining.
    case wrongGuess(from: SocketAddress, remaining: Int)
    /// Somebody connected while the guard pauses, or from an address that has no guesses left; the guess was not evaluated. Told once a
    /// second at most: `count` is the number of those refused since the last such event, of which this is the last.
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
  ///   - limitPerAddress: The number of wrong guesses of one address after which no more of it are evaluated, at least 1. It keeps one
  ///     program that tries a wrong passcode again and again from using up the guesses of all. It does not stop somebody who
  ///     has many addresses: that does `limit`.
  ///   - regain: The time after which one wrong guess is forgiven, so that mistyping in a long evening does not add up; `nil` for
  ///     never. It also gives a patient stranger a guess in each such time.
  ///   - events: Called with each event, on a thread that serves connections: it must not block.
  public convenience init(
    _ passcode: Passcode, limit: Int = 10, limitPerAddress: Int = 3, regain: Duration? = nil,
    events: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    self.init(passcode, limit: limit, limitPerAddress: limitPerAddress, regain: regain, now: { .now }, events: events)
  }

  /// Creates a guard with the caller's clock.
  package init(
    _ passcode: Passcode, limit: Int, limitPerAddress: Int = 3, regain: Duration?,
    now: @escaping @Sendable () -> ContinuousClock.Instant, events: @escaping @Sendable (Event) -> Void
  ) {
    state = Locked(
      State(passcode: passcode, budget: GuessBudget(limit: limit, limitPerAddress: limitPerAddress, regain: regain)))
    self.now = now
    self.events = events
  }

  /// The present passcode.
  public var passcode: Passcode { state.withLock { $0.passcode } }

  /// The number of wrong guesses until the guard pauses; 0 while it pauses.
  public var remainingGuesses: Int { state.withLock { $0.budget.remaining(at: now()) } }

  /// Whether no guess of anybody new is evaluated.
  public var isPaused: Bool { remainingGuesses == 0 }

  /// Starts counting again. Attempts that are under way are refused as while it pauses, and are not counted.
  ///
  /// - Parameter passcode: The new passcode. Without one the old one stays, which is only wise if the guesses were harmless.
  public func reopen(with passcode: Passcode? = nil) {
    state.withLock { state in
      if let passcode { state.passcode = passcode }
      state.budget.restart(isNew: passcode != nil)
    }
  }

  /// What an attempt needs: the passcode, who makes it, and the round to which the guess belongs.
  struct Challenge {
    let passcode: Passcode
    let guesser: Guesser
    let round: UInt64
  }

  /// The outcome of a guess.
  enum Judgement: Equatable {
    case right
    case wrong
    /// The guess was not evaluated.
    case paused
  }

  /// Begins an attempt; `nil` if the guess would not be evaluated.
  ///
  /// - Parameters:
  ///   - key: The key that the peer has proved to have; `nil` for none.
  ///   - isKnown: Whether the key would do in place of the passcode: whoever has it is a member.
  func challenge(_ peer: SocketAddress, key: KeyFingerprint? = nil, isKnown: Bool = false) -> Challenge? {
    let guesser = Guesser(peer, key: key)
    let challenge = state.withLock { state -> Challenge? in
      if isKnown, let key { state.budget.admit(key) }
      guard state.budget.permits(guesser, at: now()) else { return nil }
      return Challenge(passcode: state.passcode, guesser: guesser, round: state.budget.round)
    }
    if challenge == nil { tellRefused(peer) }
    return challenge
  }

  /// Evaluates a guess, if the budget permits one more.
  ///
  /// - Parameter isRight: Called once a permit has been taken.
  func judge(_ challenge: Challenge, from peer: SocketAddress, _ isRight: () -> Bool) -> Judgement {
    guard let permit = state.withLock({ $0.budget.begin(challenge.guesser, round: challenge.round, at: now()) }) else {
      tellRefused(peer)
      return .paused
    }
    guard isRight() else {
      let remaining = state.withLock { $0.budget.remaining(at: now()) }
      events(.wrongGuess(from: peer, remaining: remaining))
      return .wrong
    }
    state.withLock { $0.budget.succeed(permit, of: challenge.guesser) }
    return .right
  }

  private func tellRefused(_ peer: SocketAddress) {
    guard let count = state.withLock({ $0.refusals.add(at: now()) }) else { return }
    events(.refused(from: peer, count: count))
  }
}

extension PasscodeGuard.Event: CustomStringConvertible {
  /// The event for display, such as `10.0.0.2:40000 gave a wrong passcode; 9 more may be wrong`.
  public var description: String {
    switch self {
    case .wrongGuess(let peer, let remaining): "\(peer) gave a wrong passcode; \(remaining) more may be wrong"
    case .refused(let peer, let count): "\(count) attempts were not evaluated, the last from \(peer)"
    }
  }
}
