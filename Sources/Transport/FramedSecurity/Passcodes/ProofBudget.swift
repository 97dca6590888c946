import _BonjourishEventLoop

/// The proofs of a passcode that a client may give to listeners whose key it does not know, and that they have not answered with theirs.
///
/// Whoever answers in a host's place learns from each proof whether one guess was right (CPace), and can end the exchange before it shows
/// that it did not know the passcode. A proof is counted before it is sent, so those of cancelled and of parallel attempts count, too.
/// A listener that has proved the passcode learns nothing from more proofs: those for its key are given back, and later ones are free.
///
/// A value without a clock.
struct ProofBudget: Sendable {
  /// The most proofs without an answer. With six digits, whoever gets them all is right once in 100,000 cases.
  static let limit = 10
  /// The most keys of listeners that are remembered; the oldest makes room.
  static let mostListeners = 16

  /// The keys of those who have got a proof and have not answered with theirs, one for each proof.
  private var unanswered: [KeyFingerprint] = []
  /// The keys of those who have proved the passcode, latest last.
  private var listeners: [KeyFingerprint] = []

  /// Counts a proof for whoever has a key; returns false if it must not be given.
  mutating func take(for key: KeyFingerprint) -> Bool {
    if listeners.contains(key) { return true }
    guard unanswered.count < Self.limit else { return false }
    unanswered.append(key)
    return true
  }

  /// Notes that whoever has a key has proved the passcode.
  mutating func confirm(_ key: KeyFingerprint) {
    unanswered.removeAll { $0 == key }
    guard !listeners.contains(key) else { return }
    listeners.append(key)
    listeners.removeFirst(max(0, listeners.count - Self.mostListeners))
  }
}

/// The proofs of all connections with the same settings.
final class ProofCount: Sendable {
  private let budget = Locked(ProofBudget())

  func take(for key: KeyFingerprint) -> Bool { budget.withLock { $0.take(for: key) } }

  func confirm(_ key: KeyFingerprint) { budget.withLock { $0.confirm(key) } }
}

/// Whether one connection may prove the passcode.
struct ProofAllowance: Sendable {
  let count: ProofCount
  /// The key that the listener has proved to have.
  let key: KeyFingerprint

  func take() -> Bool { count.take(for: key) }

  func confirm() { count.confirm(key) }
}
