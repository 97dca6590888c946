import FramedTransport

/// Who makes a guess.
struct Guesser: Hashable, Sendable {
  /// The address, without the port.
  let address: SocketAddress
  /// The key that the peer has proved to have; `nil` for none.
  let key: KeyFingerprint?

  init(_ peer: SocketAddress, key: KeyFingerprint? = nil) {
    address = peer.with(port: 0)
    self.key = key
  }
}

/// Those who have proved a passcode: their guesses are evaluated whatever others have tried.
///
/// A value without a clock. A member is known by its key if it shows one, and by its address. Nobody can take the key; a stranger may
/// come from the address, so wrong guesses of a member are charged with a wait, which doubles: 17 guesses in a day.
struct PasscodeMembers: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The most marks that are kept, two for a member with a key; the oldest makes room.
  static let limit = 1_024
  /// The wait after the first wrong guess.
  static let firstWait = Duration.seconds(1)

  fileprivate enum Mark: Hashable {
    case key(KeyFingerprint)
    case address(SocketAddress)
  }

  fileprivate struct Member: Hashable {
    let mark: Mark
    /// Wrong guesses, and one being evaluated.
    var wrongGuesses = 0
    /// When the next guess may be made; `nil` for at once.
    var next: Instant?
  }

  /// The right to have one guess evaluated: the member as it was before.
  struct Permit: Equatable, Sendable {
    fileprivate let former: Member
  }

  /// Latest proof last.
  private var members: [Member] = []

  /// Whether somebody is a member who may make a guess.
  func permits(_ guesser: Guesser, at now: Instant) -> Bool { index(of: guesser, at: now) != nil }

  /// Takes a permit for one guess; `nil` for somebody who is no member, or has to wait.
  mutating func begin(_ guesser: Guesser, at now: Instant) -> Permit? {
    guard let index = index(of: guesser, at: now) else { return nil }
    let former = members[index]
    // Waits of more than a day are all the same.
    members[index].next = now + Self.firstWait * (1 << min(former.wrongGuesses, 20))
    members[index].wrongGuesses += 1
    return Permit(former: former)
  }

  /// Gives a permit back, because the guess was right. Former wrong guesses still count: otherwise each proof of the member would pay
  /// for guesses of a stranger at the same address.
  mutating func giveBack(_ permit: Permit) {
    guard let index = members.firstIndex(where: { $0.mark == permit.former.mark }) else { return }
    members[index] = permit.former
  }

  /// Notes that somebody has proved the passcode.
  mutating func add(_ guesser: Guesser) { add(marks(of: guesser)) }

  /// Notes a key whose owner needs no proof.
  mutating func add(_ key: KeyFingerprint) { add([.key(key)]) }

  private mutating func add(_ marks: [Mark]) {
    for mark in marks {
      let index = members.firstIndex { $0.mark == mark }
      members.append(index.map { members.remove(at: $0) } ?? Member(mark: mark))
    }
    members.removeFirst(max(0, members.count - Self.limit))
  }

  /// The key first, because nobody else can have it.
  private func marks(of guesser: Guesser) -> [Mark] {
    [guesser.key.map { .key($0) }, .address(guesser.address)].compactMap(\.self)
  }

  private func index(of guesser: Guesser, at now: Instant) -> Int? {
    marks(of: guesser).lazy.compactMap { mark in
      members.firstIndex { $0.mark == mark && $0.next ?? now <= now }
    }.first
  }
}
