/// The number of wrong guesses that a passcode survives.
///
/// A value without a clock. Each guess takes a permit *before* it is evaluated and gives it back only if it was right, so guesses
/// that are made at the same time cannot exceed the limit together.
struct GuessBudget: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The right to have one guess evaluated.
  struct Permit: Equatable, Sendable {
    /// The round in which it was given; a permit of an earlier round is void.
    fileprivate let round: UInt64
  }

  /// Wrong guesses until no more are evaluated.
  let limit: Int
  /// The time after which one wrong guess is forgiven; `nil` for never.
  let regain: Duration?

  /// Wrong guesses, and those being evaluated.
  private(set) var spent = 0
  /// The number of passcodes that there have been.
  private(set) var round: UInt64 = 0
  /// When the oldest spent guess is forgiven.
  private var nextRegain: Instant?

  init(limit: Int, regain: Duration?) {
    precondition(limit > 0, "limit must be at least 1")
    precondition(regain.map { $0 > .zero } ?? true, "regain must be more than zero")
    self.limit = limit
    self.regain = regain
  }

  /// The number of guesses that may still be made.
  mutating func remaining(at now: Instant) -> Int {
    forgive(at: now)
    return limit - spent
  }

  /// Takes a permit for one guess; `nil` if none is left, or if the guess was begun in an earlier round.
  mutating func begin(round: UInt64, at now: Instant) -> Permit? {
    forgive(at: now)
    guard round == self.round, spent < limit else { return nil }
    spent += 1
    if nextRegain == nil, let regain { nextRegain = now + regain }
    return Permit(round: round)
  }

  /// Gives a permit back, because the guess was right. A wrong guess keeps it.
  mutating func succeed(_ permit: Permit) {
    guard permit.round == round else { return }
    spent -= 1
    if spent == 0 { nextRegain = nil }
  }

  /// Begins a new round, with a new passcode or a new trust in the old one.
  mutating func restart() {
    round += 1
    spent = 0
    nextRegain = nil
  }

  private mutating func forgive(at now: Instant) {
    guard let regain else { return }
    while let due = nextRegain, due <= now {
      spent -= 1
      nextRegain = spent > 0 ? due + regain : nil
    }
  }
}
