import FramedTransport

/// The number of wrong guesses that a passcode survives.
///
/// A value without a clock. Each guess takes a permit *before* it is evaluated and gives it back only if it was right, so guesses
/// that are made at the same time cannot exceed the limit together.
///
/// A listener never learns which passcode somebody tried, so it cannot count the same wrong one once: that is what CPace is for. Instead
/// one address has a part of the guesses only, and those who have proved the passcode have guesses of their own (``PasscodeMembers``).
struct GuessBudget: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The right to have one guess evaluated.
  struct Permit: Equatable, Sendable {
    /// The round in which it was given; a permit of an earlier round is void.
    fileprivate let round: UInt64
    /// What it was taken from; `nil` for the guesses of strangers.
    fileprivate let member: PasscodeMembers.Permit?
  }

  /// Wrong guesses until no more are evaluated.
  let limit: Int
  /// Wrong guesses of one address until no more of it are evaluated.
  let limitPerAddress: Int
  /// The time after which one wrong guess is forgiven; `nil` for never.
  let regain: Duration?

  /// The addresses of wrong guesses, and of those being evaluated, oldest first.
  private var spent: [SocketAddress] = []
  /// Who has proved the passcode.
  private var members = PasscodeMembers()
  /// The number of passcodes that there have been.
  private(set) var round: UInt64 = 0
  /// When the oldest spent guess is forgiven.
  private var nextRegain: Instant?

  init(limit: Int, limitPerAddress: Int = .max, regain: Duration?) {
    precondition(limit > 0, "limit must be at least 1")
    precondition(limitPerAddress > 0, "limitPerAddress must be at least 1")
    precondition(regain.map { $0 > .zero } ?? true, "regain must be more than zero")
    self.limit = limit
    self.limitPerAddress = limitPerAddress
    self.regain = regain
  }

  /// The number of guesses that strangers may still make.
  mutating func remaining(at now: Instant) -> Int {
    forgive(at: now)
    return limit - spent.count
  }

  /// Whether somebody may make a guess.
  mutating func permits(_ guesser: Guesser, at now: Instant) -> Bool {
    forgive(at: now)
    return members.permits(guesser, at: now) || permitsStranger(guesser)
  }

  private func permitsStranger(_ guesser: Guesser) -> Bool {
    spent.count < limit && spent.count { $0 == guesser.address } < limitPerAddress
  }

  /// Takes a permit for one guess; `nil` if none is left, or if the guess was begun in an earlier round.
  mutating func begin(_ guesser: Guesser, round: UInt64, at now: Instant) -> Permit? {
    forgive(at: now)
    guard round == self.round else { return nil }
    if let member = members.begin(guesser, at: now) { return Permit(round: round, member: member) }
    guard permitsStranger(guesser) else { return nil }
    spent.append(guesser.address)
    if nextRegain == nil, let regain { nextRegain = now + regain }
    return Permit(round: round, member: nil)
  }

  /// Gives a permit back, because the guess was right. A wrong guess keeps it.
  mutating func succeed(_ permit: Permit, of guesser: Guesser) {
    guard permit.round == round else { return }
    if let member = permit.member {
      members.giveBack(member)
    } else if let index = spent.lastIndex(of: guesser.address) {
      spent.remove(at: index)
      if spent.isEmpty { nextRegain = nil }
    }
    members.add(guesser)
  }

  /// Makes whoever has a key a member.
  mutating func admit(_ key: KeyFingerprint) { members.add(key) }

  /// Begins a new round.
  ///
  /// - Parameter isNew: Whether the passcode is another one, which nobody has proved yet.
  mutating func restart(isNew: Bool) {
    round += 1
    spent = []
    nextRegain = nil
    if isNew { members = PasscodeMembers() }
  }

  private mutating func forgive(at now: Instant) {
    guard let regain else { return }
    while let due = nextRegain, due <= now {
      spent.removeFirst()
      nextRegain = spent.isEmpty ? nil : due + regain
    }
  }
}
